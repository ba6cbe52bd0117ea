import type { Command } from 'commander';
import { groupedCount } from '../../kernel/wording.js';
import { passkeyRow } from '../../relying-party/passkey-document.js';
import type { PasskeyQuery } from '../../relying-party/ports.js';
import { addStoreSettings } from '../command.js';
import { type Flags, resolveStoreSettings } from '../config/resolve.js';
import { createEmailFinder } from '../emails.js';
import { type Asked, addAllPasskeyFilters, FILTERS_HELP, passkeyFilter, readFilters, readLife } from '../filters.js';
import { addHelp } from '../help.js';
import type { Io } from '../io.js';
import { addListOptions, isTable, pageWanted, printList, readAfter, readWanted, showsUsers, unmatched } from '../listing.js';
import { type Parties, withParties } from '../parties.js';
import { listInPortions } from './portions.js';
import { type ListedPasskey, PASSKEYS } from './rows.js';

export function define(command: Command): void {
  addHelp(addStoreSettings(addListOptions(addAllPasskeyFilters(command), PASSKEYS)), {
    examples: [
      'passkey list',
      'passkey list --user ada@example.com --all',
      'passkey list --provider yubikey --unused-since 90d --columns id,email,provider,last_used_at',
      'passkey list --sort -last_used_at --limit 50 --after 3',
      "passkey list --json | jq '.[].id'",
    ],
    remarks: [FILTERS_HELP],
    common: ['--user', '--all', '--sort', '--limit', '--json'],
    page: 'admin.md',
  });
}

/** Runs `passkey list`. */
export async function run(io: Io, flags: Flags): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  const wanted = readWanted(io, flags, PASSKEYS);
  await withParties(io, { settings, create: false }, async (parties) => {
    const asked = await readFilters(io, flags, parties.accounts);
    const filter = passkeyFilter(asked, readLife(flags));
    const { relyingParty } = parties;
    const isThere = async (id: number) => (await relyingParty.find(id)) !== undefined;
    const after = await readAfter(io, wanted, { noun: 'passkey', isThere });
    await printList(io, flags, {
      command: 'passkey list',
      listing: PASSKEYS,
      wanted,
      portions: rows(
        parties,
        { ...filter, ...pageWanted(wanted), after },
        { withRow: !isTable(flags), withEmails: showsUsers(flags, wanted) },
      ),
      count: () => relyingParty.count(filter),
      whyNone: () => whyNone(parties, asked, readLife(flags)),
    });
  });
}

async function* rows(
  { relyingParty, accounts }: Parties,
  query: PasskeyQuery,
  { withRow, withEmails }: { readonly withRow: boolean; readonly withEmails: boolean },
): AsyncGenerator<readonly ListedPasskey[]> {
  const findEmails = createEmailFinder(accounts);
  for await (const passkeys of listInPortions(relyingParty, query)) {
    const emails = await findEmails(withEmails ? passkeys.map(({ owner }) => owner) : []);
    yield passkeys.map((passkey) => ({ passkey, row: withRow ? passkeyRow(passkey) : undefined, emails }));
  }
}

/** Explains why the list is empty: names the filters that match nothing, and tells what `--all` would show. */
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
