import type { Command } from 'commander';
import * as Type from 'typebox';
import type { OwnerFilter, OwnerQuery } from '../../accounts/ports.js';
import { addStoreSettings } from '../command.js';
import { type Flags, resolveStoreSettings } from '../config/resolve.js';
import { type Asked, addUserFilters, FILTERS_HELP, ownerFilter, readFilters } from '../filters.js';
import { addFlags } from '../flags.js';
import { addHelp } from '../help.js';
import type { Io } from '../io.js';
import { addListOptions, pageWanted, printList, readWanted, unmatched } from '../listing.js';
import { type Parties, withParties } from '../parties.js';
import { type ListedUser, USERS, userRow, withPasskeyCounts } from './rows.js';

export function define(command: Command): void {
  addFlags(addUserFilters(command), {
    withoutPasskey: { about: 'only those without a live passkey', conflicts: ['rpId', 'provider', 'aaguid', 'backedUp'] },
  });
  addHelp(addStoreSettings(addListOptions(command, USERS)), {
    examples: [
      'passkey user list',
      'passkey user list --unused-since 90d --sort -passkeys',
      'passkey user list --label ada --json',
      'passkey user list --without-passkey --revoked',
    ],
    remarks: [FILTERS_HELP],
    common: ['--label', '--without-passkey', '--sort', '--limit', '--json'],
    page: 'admin.md',
  });
}

export const userList = Type.Array(userRow, { title: 'passkey user list --json' });

/** Runs `passkey user list`. */
export async function run(io: Io, flags: Flags): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  const wanted = readWanted(io, flags, USERS);
  await withParties(io, { settings, create: false }, async (parties) => {
    const asked = await readFilters(io, flags, parties.accounts);
    const filter = ownerFilter(asked, flags);
    const after = wanted.after === undefined ? undefined : await parties.accounts.resolveUser(wanted.after);
    await printList(io, flags, {
      command: 'passkey user list',
      listing: USERS,
      wanted,
      portions: rows(parties, { ...filter, ...pageWanted(wanted), after }),
      count: () => parties.accounts.countOwners(filter),
      whyNone: () => whyNone(flags, parties, asked),
    });
  });
}

async function* rows({ accounts }: Parties, query: OwnerQuery): AsyncGenerator<readonly ListedUser[]> {
  yield withPasskeyCounts(accounts, await accounts.listOwners(query));
}

async function whyNone(flags: Flags, { accounts }: Parties, asked: readonly Asked[]): Promise<string> {
  const filters = asked.map((one) => ({ flag: one.flag, filter: ownerFilter([one], {}) }));
  if (flags.revoked === true) filters.push({ flag: '--revoked', filter: ownerFilter([], { revoked: true }) });
  if (flags.withoutPasskey === true) filters.push({ flag: '--without-passkey', filter: ownerFilter([], { withoutPasskey: true }) });
  const isAny = async (filter: OwnerFilter) => (await accounts.listOwners({ ...filter, limit: 1 })).length > 0;
  if (filters.length === 0 || !(await isAny({}))) return 'No users here. `passkey user add --email E --name N` adds one.';
  return `No user matches ${await unmatched(filters, ({ filter }) => isAny(filter))}.`;
}
