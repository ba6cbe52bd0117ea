import type { OwnerFilter, OwnerQuery } from '../../accounts/ports.js';
import { type Flags, resolveStoreSettings } from '../config/resolve.js';
import { type Asked, askedFor, ownerFilter } from '../filters.js';
import { type Io, ownCommand } from '../io.js';
import { pageWanted, printList, readWanted, unmatched } from '../output/listing.js';
import { type ListedUser, USER_LISTING, USER_TABLE } from '../output/users.js';
import { type Parties, withParties } from '../parties.js';

/** `passkey user list` */
export async function list(io: Io, flags: Flags): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  const wanted = readWanted(io, flags, USER_LISTING);
  await withParties(io, { settings, create: false }, async (parties) => {
    const asked = await askedFor(io, flags, parties.accounts);
    const filter = ownerFilter(asked, flags);
    await printList(io, flags, {
      listing: USER_LISTING,
      wanted,
      portions: rows(parties, { ...filter, ...pageWanted(wanted) }),
      count: () => parties.accounts.countOwners(filter),
      whyNone: () => whyNone(io, flags, parties, asked),
      table: () => USER_TABLE,
    });
  });
}

async function* rows({ accounts }: Parties, query: OwnerQuery): AsyncGenerator<readonly ListedUser[]> {
  const owners = await accounts.listOwners(query);
  const counts = await accounts.countPasskeysOf(owners);
  yield owners.map((owner, index) => ({ owner, livePasskeys: counts[index] ?? 0 }));
}

async function whyNone(io: Io, flags: Flags, { accounts }: Parties, asked: readonly Asked[]): Promise<string> {
  const filters = asked.map((one) => ({ flag: one.flag, filter: ownerFilter([one], {}) }));
  if (flags.revoked === true) filters.push({ flag: '--revoked', filter: ownerFilter([], flags) });
  const isAny = async (filter: OwnerFilter) => (await accounts.listOwners({ ...filter, limit: 1 })).length > 0;
  if (filters.length === 0 || !(await isAny({}))) return `No users here. \`${ownCommand(io)} user add --email E --name N\` adds one.`;
  return `No user matches ${await unmatched(filters, ({ filter }) => isAny(filter))}.`;
}
