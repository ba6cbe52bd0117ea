import { matchesWords } from './shown-text.js';
import { type AppState, formatOwner, isRevoked, type PasskeyRow, type User } from './state.js';
import { formatTime } from './view/time.js';

const NO_AAGUID = '00000000-0000-0000-0000-000000000000';

/** Finds the name of the passkey's provider, or else the start of the AAGUID; undefined if the server sends no AAGUID. */
export function findProvider({ provider, aaguid }: PasskeyRow): string | undefined {
  if (aaguid === undefined) return undefined;
  return provider ?? (aaguid === NO_AAGUID ? 'no AAGUID' : `AAGUID ${aaguid.slice(0, 8)}…`);
}

/** Describes the backup of a passkey by the flags of its last ceremony (WebAuthn L3 §6.1.3). */
export function describeBackup({ backup_eligible, backup_state }: PasskeyRow): string | undefined {
  if (backup_eligible === undefined) return undefined;
  return backup_state === true ? 'synced' : backup_eligible ? 'not synced yet' : 'this device only';
}

/** Tests whether a passkey belongs to the signed-in user. */
export function isOwn({ user }: Pick<AppState, 'user'>, passkey: PasskeyRow): boolean {
  return user !== undefined && (formatOwner(passkey) ?? user.owner) === user.owner;
}

/** Describes a passkey in one sentence, which is shown below the passkey's line. */
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

/**
 * Finds the passkeys in the list that contain every word of the search, newest first. A word matches a credential ID only at its start,
 * because almost every ID contains any short word somewhere.
 */
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

/** Formats the time since an event in few letters: `now`, `5 min`, `3 h`, `12 d`, or the date if it was long ago. */
export function agoText(time: string, now: number): string {
  const passed = now - Date.parse(time);
  if (Number.isNaN(passed)) return time;
  if (passed < MINUTE) return 'now';
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} min`;
  if (passed < DAY) return `${Math.floor(passed / HOUR)} h`;
  if (passed < 100 * DAY) return `${Math.floor(passed / DAY)} d`;
  return time.slice(0, 10);
}

/** E-mail address of the user to create and sign in on a server without users. */
export const FIRST_USER = 'test@example.com';

/** Finds the users whose name, e-mail address or owner contains every word of the search, newest first. */
export function searchUsers(users: readonly User[], wanted: string): User[] {
  return users.filter(({ name, email, owner }) => matchesWords(wanted, `${name}\n${email}\n${owner}`)).toReversed();
}

/** Chooses the user that one click signs in: the newest, or a new user if there is none. */
export function defaultUser(users: readonly User[]): { readonly email: string } | { readonly owner: string } {
  const last = users.at(-1);
  return last === undefined ? { email: FIRST_USER } : { owner: last.owner };
}
