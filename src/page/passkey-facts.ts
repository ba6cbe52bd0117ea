import { matchesWords } from './shown-text.js';
import { type AppState, formatOwner, isRevoked, type PasskeyRow, type User } from './state.js';
import { formatTime } from './view/time.js';

const NO_AAGUID = '00000000-0000-0000-0000-000000000000';

/** The provider's name, or the known part of its AAGUID; undefined if the server does not send either. */
export function findProvider({ provider, aaguid }: PasskeyRow): string | undefined {
  if (aaguid === undefined) return undefined;
  return provider ?? (aaguid === NO_AAGUID ? 'no AAGUID' : `AAGUID ${aaguid.slice(0, 8)}…`);
}

/** From the backup flags of the last ceremony (WebAuthn L3 §6.1.3). */
export function describeBackup({ backup_eligible, backup_state }: PasskeyRow): string | undefined {
  if (backup_eligible === undefined) return undefined;
  return backup_state === true ? 'synced' : backup_eligible ? 'not synced yet' : 'this device only';
}

/** Whether it belongs to the user who is signed in. */
export function isOwn({ user }: Pick<AppState, 'user'>, passkey: PasskeyRow): boolean {
  return user !== undefined && (formatOwner(passkey) ?? user.owner) === user.owner;
}

/** Everything in one sentence, below the line. */
export function describeFacts(passkey: PasskeyRow, own: boolean): string {
  return [
    own ? undefined : formatOwner(passkey),
    passkey.rp_id,
    `created ${formatTime(passkey.created_at)}`,
    typeof passkey.last_used_at === 'string' ? `used ${formatTime(passkey.last_used_at)}` : 'never used',
    passkey.sign_count === undefined ? undefined : `counter ${passkey.sign_count}`,
    passkey.transports?.join(', '),
    typeof passkey.revoked_at === 'string' ? `revoked ${formatTime(passkey.revoked_at)}${findReason(passkey)}` : undefined,
  ]
    .filter((fact) => fact !== undefined && fact !== '')
    .join(' · ');
}

function findReason({ revoked_reason }: PasskeyRow): string {
  return typeof revoked_reason === 'string' ? ` (${revoked_reason})` : '';
}

/** Newest first: those that the list shows, with every word. Credential IDs match by their beginning: nearly all contain any short word. */
export function searchPasskeys(
  { passkeys, showRevoked, revokedHere }: Pick<AppState, 'passkeys' | 'showRevoked' | 'revokedHere'>,
  wanted: string,
): PasskeyRow[] {
  const kept = passkeys.filter((passkey) => showRevoked || !isRevoked(passkey) || revokedHere.includes(passkey.id));
  return kept.filter((passkey) => wanted.split(/\s+/).every((word) => matches(passkey, word))).toReversed();
}

function matches({ id, label, provider, aaguid, credential_id, rp_id }: PasskeyRow, word: string): boolean {
  return credential_id.startsWith(word) || matchesWords(word, [`#${id}`, label, provider, aaguid, rp_id].join('\n'));
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago, in as few letters as a line has room for: `now`, `5 min`, `3 h`, `12 d`; the date when it is long ago. */
export function agoText(time: string, now: number): string {
  const passed = now - Date.parse(time);
  if (Number.isNaN(passed)) return time;
  if (passed < MINUTE) return 'now';
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} min`;
  if (passed < DAY) return `${Math.floor(passed / HOUR)} h`;
  if (passed < 100 * DAY) return `${Math.floor(passed / DAY)} d`;
  return time.slice(0, 10);
}

/** Who signs in on a server that has no user yet. */
export const FIRST_USER = 'test@example.com';

/** The users with every word in name, e-mail or owner; newest first. */
export function searchUsers(users: readonly User[], wanted: string): User[] {
  return users.filter(({ name, email, owner }) => matchesWords(wanted, `${name}\n${email}\n${owner}`)).toReversed();
}

/** The user whom one click signs in: the newest, or the first. */
export function defaultUser(users: readonly User[]): { readonly email: string } | { readonly owner: string } {
  const last = users.at(-1);
  return last === undefined ? { email: FIRST_USER } : { owner: last.owner };
}
