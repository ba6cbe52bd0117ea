import type { Access } from '../../accounts/ports.js';
import { PasskeyError } from '../../errors.js';
import { count, formatMinute, formatTimestamp } from '../../webauthn/wording.js';
import { idsOf, NOTHING_CHANGED } from '../arguments.js';
import { line } from '../ask.js';
import { type Flags, readFlag, resolveStoreSettings } from '../config/resolve.js';
import { duration, text } from '../config/values.js';
import { type Io, print, printAll, printJson, printJsonArray, say } from '../io.js';
import { printable } from '../output/printable.js';
import { tableLines } from '../output/table.js';
import { withParties } from '../parties.js';
import type { TokenRow } from '../schemas/users.js';

/** At least a second: a bare number means milliseconds, and `30` is a slip for `30d`. */
const LIFE = { min: 1000, max: 36_500 * 86_400_000 };

/** Never the secret, nor its hash. */
function tokenRowOf(access: Access): TokenRow {
  const time = (at: number | undefined) => (at === undefined ? null : formatTimestamp(at));
  return {
    id: access.id,
    label: access.label ?? null,
    user_id: access.owner.id,
    user_type: access.owner.type,
    passkey_id: access.passkeyId ?? null,
    created_at: formatTimestamp(access.createdAt),
    expires_at: time(access.expiresAt),
    revoked_at: time(access.revokedAt),
  };
}

/** `passkey token create --user USER`: the bearer token and nothing else on stdout. */
export async function create(io: Io, flags: Flags): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  const expires = flags.expires === undefined ? undefined : readFlag(io, duration(LIFE), '--expires', flags.expires);
  const label = flags.label === undefined ? undefined : readFlag(io, text({ placeholder: 'label' }), '--label', flags.label);
  const user = typeof flags.user === 'string' ? flags.user : await line(io, 'User (e-mail or TYPE:ID):', 'give --user');

  await withParties(io, { settings, create: false }, async ({ accounts }) => {
    const { type, id } = await accounts.resolveUser(user);
    const wanted = {
      owner: { type, id },
      ...(expires === undefined ? {} : { expiresAt: io.now() + expires }),
      ...(label === undefined ? {} : { label }),
    };
    const { token, access } = await accounts.createToken(wanted, { via: 'passkey token create' });
    if (flags.json === true) printJson(io, { token, ...tokenRowOf(access) });
    else print(io, token);
  });
}

const COLUMNS = [
  { title: 'ID', align: 'right' as const },
  { title: 'USER', yields: 1, max: 40 },
  { title: 'LABEL', yields: 2, max: 40 },
  { title: 'CREATED (UTC)' },
  { title: 'EXPIRES (UTC)' },
];

/** `passkey token list`: live tokens; with `--all` also those that ended. */
export async function list(io: Io, flags: Flags): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  const tokens = await withParties(io, { settings, create: false }, async ({ accounts }) => {
    const owner = typeof flags.user === 'string' ? await accounts.resolveUser(flags.user) : undefined;
    return accounts.listTokens(owner ? { owner: { type: owner.type, id: owner.id } } : {});
  });
  const now = io.now();
  const ended = (token: (typeof tokens)[number]) =>
    token.revokedAt !== undefined || (token.expiresAt !== undefined && token.expiresAt <= now);
  const shown = flags.all === true ? tokens : tokens.filter((token) => !ended(token));

  if (flags.json === true) return printJsonArray(io, shown.map(tokenRowOf));
  if (shown.length === 0) return say(io, whyNone(flags, tokens.length));
  const state = (token: (typeof tokens)[number]) => (token.revokedAt === undefined ? (ended(token) ? 'expired' : 'live') : 'revoked');
  const lines = tableLines(io, [...COLUMNS, { title: 'STATE' }], shown, (token) => [
    String(token.id),
    `${token.owner.type}:${token.owner.id}`,
    token.label ?? '',
    formatMinute(token.createdAt),
    token.expiresAt === undefined ? 'never' : formatMinute(token.expiresAt),
    state(token),
  ]);
  await printAll(io, lines);
}

function whyNone(flags: Flags, ended: number): string {
  const kind = flags.all === true ? 'token' : 'live token';
  if (typeof flags.user !== 'string') return `No ${kind}s here.`;
  const hint = ended === 0 ? '' : ` ${count(ended, 'ended token')} ${ended === 1 ? 'does' : 'do'}: add --all.`;
  return printable(`No ${kind} matches --user ${flags.user}.${hint}`);
}

/** `passkey token revoke ID…`: all of them or, when one id is unknown, none. */
export async function revoke(io: Io, flags: Flags, idTexts: readonly string[]): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  const ids = idsOf('token', idTexts);
  await withParties(io, { settings, create: false }, async ({ accounts }) => {
    const before = new Map((await accounts.listTokens()).map((token) => [token.id, token]));
    const missing = ids.filter((id) => !before.has(id));
    if (missing.length > 0) {
      throw new PasskeyError(
        'token_not_found',
        `No token has the id ${missing.join(', ')}${NOTHING_CHANGED}. Run \`passkey token list --all\` to see them.`,
      );
    }
    const tokens = await Promise.all(ids.map((id) => accounts.revokeToken(id, { via: 'passkey token revoke' })));
    if (flags.json === true) printJson(io, { tokens: tokens.map(tokenRowOf) });
    else print(io, ids.join('\n'));
    let revoked = 0;
    for (const id of ids) {
      const since = before.get(id)?.revokedAt;
      if (since === undefined) revoked += 1;
      else say(io, `Token ${id} has been revoked since ${formatMinute(since)} UTC; left unchanged.`);
    }
    say(io, revoked === 0 ? 'Nothing to revoke.' : `Revoked ${count(revoked, 'token')}.`);
  });
}
