import { groupedCount } from '../../kernel/wording.js';
import { type Flags, resolveStoreSettings } from '../config/resolve.js';
import { emailsOf } from '../emails.js';
import { type Asked, askedFor, lifeOf, passkeyFilter } from '../filters.js';
import { type Io, say } from '../io.js';
import { isTable, pageWanted, printRows, readWanted, sayPage, showsUsers, totalOf, unmatched } from '../output/listing.js';
import { PASSKEY_LISTING, passkeyTableColumns } from '../output/passkeys.js';
import { type Parties, withParties } from '../parties.js';

/** `passkey list` */
export async function run(io: Io, flags: Flags): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  const wanted = readWanted(io, flags, PASSKEY_LISTING);
  const table = isTable(flags);
  const { passkeys, emails, total, otherwise } = await withParties(io, { settings, create: false }, async (parties) => {
    const { relyingParty, accounts } = parties;
    const asked = await askedFor(io, flags, accounts);
    const filter = passkeyFilter(asked, lifeOf(flags));
    const found = await relyingParty.list({ ...filter, ...pageWanted(wanted) });
    const all = await totalOf(flags, wanted, { shown: found.length, count: () => relyingParty.count(filter) });
    return {
      passkeys: found,
      emails: await emailsOf(accounts, showsUsers(flags, wanted) ? found.map(({ owner }) => owner) : []),
      total: all,
      otherwise: all > 0 || !table ? '' : await whyNone(parties, asked, lifeOf(flags)),
    };
  });
  if (table && total === 0) return say(io, otherwise);
  if (!table || passkeys.length > 0) {
    const rows = passkeys.map((passkey) => ({ passkey, emails }));
    await printRows(io, flags, { listing: PASSKEY_LISTING, wanted, rows, table: passkeyTableColumns(passkeys) });
  }
  if (table) sayPage(io, PASSKEY_LISTING.noun, { offset: wanted.offset, shown: passkeys.length, total });
}

/** Names the filters that match nothing, and says what `--all` would show. */
async function whyNone({ relyingParty }: Parties, asked: readonly Asked[], revoked: boolean | 'only'): Promise<string> {
  const isAny = async (filter: Parameters<typeof relyingParty.list>[0]) => (await relyingParty.list({ ...filter, limit: 1 })).length > 0;
  const [state, other] = revoked === 'only' ? ['revoked', 'live'] : ['live', 'revoked'];
  if (!(await isAny({ revoked }))) {
    return (await isAny({ revoked: true })) ? `No passkeys are ${state} here.` : 'No passkeys are stored here.';
  }
  const blamed = await unmatched(asked, ({ filter }) => isAny({ ...filter, revoked }));
  const others = revoked === true ? 0 : await relyingParty.count(passkeyFilter(asked, revoked === 'only' ? false : 'only'));
  const hint = others === 0 ? '' : ` ${groupedCount(others, `${other} passkey`)} ${others === 1 ? 'does' : 'do'}: add --all.`;
  return `No ${revoked === true ? '' : `${state} `}passkey matches ${blamed}.${hint}`;
}
