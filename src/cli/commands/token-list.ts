import type { AccessFilter } from '../../accounts/ports.js';
import { groupedCount } from '../../kernel/wording.js';
import { type Flags, resolveStoreSettings } from '../config/resolve.js';
import { emailsOf } from '../emails.js';
import { type Asked, accessFilter, askedFor, lifeOf } from '../filters.js';
import { type Io, say } from '../io.js';
import { isTable, pageWanted, printRows, readWanted, sayPage, showsUsers, totalOf, unmatched } from '../output/listing.js';
import { TOKEN_LISTING, TOKEN_TABLE } from '../output/tokens.js';
import { type Parties, withParties } from '../parties.js';

/** `passkey token list`: live tokens; with `--all` also those that ended. */
export async function list(io: Io, flags: Flags): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  const wanted = readWanted(io, flags, TOKEN_LISTING);
  const table = isTable(flags);
  const { tokens, emails, now, total, otherwise } = await withParties(io, { settings, create: false }, async (parties) => {
    const { accounts } = parties;
    const at = parties.now();
    const asked = await askedFor(io, flags, accounts);
    const filter = { ...accessFilter(asked), ...lifetime(flags, at) };
    const found = await accounts.listTokens({ ...filter, ...pageWanted(wanted) });
    const all = await totalOf(flags, wanted, { shown: found.length, count: () => accounts.countTokens(filter) });
    return {
      tokens: found,
      emails: await emailsOf(accounts, showsUsers(flags, wanted) ? found.map(({ owner }) => owner) : []),
      now: at,
      total: all,
      otherwise: all > 0 || !table ? '' : await whyNone(parties, flags, asked),
    };
  });
  if (table && total === 0) return say(io, otherwise);
  if (!table || tokens.length > 0) {
    const rows = tokens.map((token) => ({ token, emails, now }));
    await printRows(io, flags, { listing: TOKEN_LISTING, wanted, rows, table: TOKEN_TABLE });
  }
  if (table) sayPage(io, TOKEN_LISTING.noun, { offset: wanted.offset, shown: tokens.length, total });
}

function lifetime(flags: Flags, now: number): AccessFilter {
  const life = lifeOf(flags);
  return life === false ? { liveAt: now } : { revoked: life };
}

async function whyNone({ accounts, now }: Parties, flags: Flags, asked: readonly Asked[]): Promise<string> {
  const life = lifetime(flags, now());
  const state = flags.revoked === true ? 'revoked ' : flags.all === true ? '' : 'live ';
  const isAny = async (filter: AccessFilter) => (await accounts.listTokens({ ...filter, limit: 1 })).length > 0;
  if (asked.length === 0) return `No ${state}tokens here.`;
  const blamed = await unmatched(asked, (one) => isAny({ ...accessFilter([one]), ...life }));
  // Those that the filters match in any state.
  const others = state === '' ? 0 : await accounts.countTokens(accessFilter(asked));
  const what = state === 'live ' ? 'ended token' : 'other token';
  const hint = others === 0 ? '' : ` ${groupedCount(others, what)} ${others === 1 ? 'does' : 'do'}: add --all.`;
  return `No ${state}token matches ${blamed}.${hint}`;
}
