import { type Flags, resolveStoreSettings } from '../config/resolve.js';
import { type Io, print, say } from '../io.js';
import { printJson } from '../output/json.js';
import { renderTable } from '../output/table.js';
import { shortTime } from '../output/time.js';
import { userRowOf } from '../output/users.js';
import { withParties } from '../parties.js';

const COLUMNS = [
  { title: 'USER', yields: 1, max: 40 },
  { title: 'E-MAIL', yields: 2 },
  { title: 'NAME', yields: 3, max: 40 },
  { title: 'PASSKEYS', align: 'right' as const },
  { title: 'CREATED (UTC)' },
];

/** `passkey user list` */
export async function run(io: Io, flags: Flags): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  const users = await withParties(io, { settings, create: false }, async ({ accounts, relyingParty }) => {
    const [owners, passkeys] = await Promise.all([accounts.listOwners(), relyingParty.list()]);
    const counts = new Map<string, number>();
    for (const { owner } of passkeys) counts.set(`${owner.type}:${owner.id}`, (counts.get(`${owner.type}:${owner.id}`) ?? 0) + 1);
    return owners.map((owner) => ({ owner, passkeys: counts.get(`${owner.type}:${owner.id}`) ?? 0 }));
  });
  if (flags.json === true) {
    return printJson(
      io,
      users.map(({ owner, passkeys }) => userRowOf(owner, passkeys)),
    );
  }
  if (users.length === 0) return say(io, 'No users here. `passkey user add --email E --name N` makes one.');
  const rows = users.map(({ owner, passkeys }) => [
    `${owner.type}:${owner.id}`,
    owner.email,
    owner.name,
    String(passkeys),
    shortTime(owner.createdAt),
  ]);
  print(io, renderTable(io, COLUMNS, rows));
}
