import type { OwnerFilter } from '../../accounts/ports.js';
import { type Flags, resolveStoreSettings } from '../config/resolve.js';
import { type Asked, askedFor, ownerFilter } from '../filters.js';
import { type Io, ownCommand, say } from '../io.js';
import { isTable, pageWanted, printRows, readWanted, sayPage, totalOf, unmatched } from '../output/listing.js';
import { USER_LISTING, USER_TABLE } from '../output/users.js';
import { type Parties, withParties } from '../parties.js';

/** `passkey user list` */
export async function list(io: Io, flags: Flags): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  const wanted = readWanted(io, flags, USER_LISTING);
  const table = isTable(flags);
  const { rows, total, otherwise } = await withParties(io, { settings, create: false }, async (parties) => {
    const { accounts } = parties;
    const asked = await askedFor(io, flags, accounts);
    const filter = ownerFilter(asked, flags);
    const owners = await accounts.listOwners({ ...filter, ...pageWanted(wanted) });
    const counts = await accounts.countPasskeysOf(owners);
    const all = await totalOf(flags, wanted, { shown: owners.length, count: () => accounts.countOwners(filter) });
    return {
      rows: owners.map((owner, index) => ({ owner, livePasskeys: counts[index] ?? 0 })),
      total: all,
      otherwise: all > 0 || !table ? '' : await whyNone(io, flags, parties, asked),
    };
  });
  if (table && total === 0) return say(io, otherwise);
  if (!table || rows.length > 0) await printRows(io, flags, { listing: USER_LISTING, wanted, rows, table: USER_TABLE });
  if (table) sayPage(io, USER_LISTING.noun, { offset: wanted.offset, shown: rows.length, total });
}

async function whyNone(io: Io, flags: Flags, { accounts }: Parties, asked: readonly Asked[]): Promise<string> {
  const filters = asked.map((one) => ({ flag: one.flag, filter: ownerFilter([one], {}) }));
  if (flags.revoked === true) filters.push({ flag: '--revoked', filter: ownerFilter([], flags) });
  const isAny = async (filter: OwnerFilter) => (await accounts.listOwners({ ...filter, limit: 1 })).length > 0;
  if (filters.length === 0 || !(await isAny({}))) return `No users here. \`${ownCommand(io)} user add --email E --name N\` adds one.`;
  return `No user matches ${await unmatched(filters, ({ filter }) => isAny(filter))}.`;
}
