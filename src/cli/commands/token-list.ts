import { formatMinute } from '../../webauthn/wording.js';
import { type Flags, resolveStoreSettings } from '../config/resolve.js';
import { type Io, print, say } from '../io.js';
import { printJson } from '../output/json.js';
import { renderTable } from '../output/table.js';
import { tokenRowOf } from '../output/users.js';
import { withParties } from '../parties.js';

const COLUMNS = [
  { title: 'ID', align: 'right' as const },
  { title: 'USER', yields: 1, max: 40 },
  { title: 'LABEL', yields: 2, max: 40 },
  { title: 'CREATED (UTC)' },
  { title: 'EXPIRES (UTC)' },
];

/** `passkey token list`: live tokens; with `--all` also those that ended. */
export async function run(io: Io, flags: Flags): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  const tokens = await withParties(io, { settings, create: false }, async ({ accounts }) => {
    const owner = typeof flags.user === 'string' ? await accounts.resolveUser(flags.user) : undefined;
    return accounts.listTokens(owner ? { owner: { type: owner.type, id: owner.id } } : {});
  });
  const now = io.now();
  const ended = (token: (typeof tokens)[number]) =>
    token.revokedAt !== undefined || (token.expiresAt !== undefined && token.expiresAt <= now);
  const shown = flags.all === true ? tokens : tokens.filter((token) => !ended(token));

  if (flags.json === true) return printJson(io, shown.map(tokenRowOf));
  if (shown.length === 0) return say(io, flags.all === true ? 'No tokens here.' : 'No live tokens here.');
  const state = (token: (typeof tokens)[number]) => (token.revokedAt === undefined ? (ended(token) ? 'expired' : 'live') : 'revoked');
  const rows = shown.map((token) => [
    String(token.id),
    `${token.owner.type}:${token.owner.id}`,
    token.label ?? '',
    formatMinute(token.createdAt),
    token.expiresAt === undefined ? 'never' : formatMinute(token.expiresAt),
    state(token),
  ]);
  print(io, renderTable(io, [...COLUMNS, { title: 'STATE' }], rows));
}
