import { PasskeyError } from '../errors.js';
import { escapePointer } from '../kernel/json-location.js';
import { isWithinDepth } from '../kernel/json-value.js';
import { formatMinute } from '../kernel/wording.js';
import { encodeBase64url } from '../webauthn/base64url.js';
import type { PublicKeyCredentialDescriptorJSON } from '../webauthn/json.js';
import { MAX_CREDENTIAL_DESCRIPTORS } from '../webauthn/limits.js';
import { type CredentialRecord, type Passkey } from './credential-record.js';
import type { RelyingPartyEvent } from './events.js';
import type { Policy } from './policy.js';
import type { CeremonyStore, PasskeyStore } from './ports.js';

/** Settings and services that every operation of the relying party uses. */
export interface OperationDependencies {
  readonly store: PasskeyStore & CeremonyStore;
  readonly policy: Policy;
  /** Origins that are accepted in addition to the passkey's own, if they fit its RP ID (`--origin`). */
  readonly origins: readonly string[];
  /** Returns the current time in milliseconds since the epoch. */
  readonly now: () => number;
  /** Makes a new challenge: 32 random bytes, or the recorded challenge if a recording is replayed. */
  readonly newChallenge: () => Uint8Array;
  readonly maxPasskeys: number;
  readonly emit: (event: RelyingPartyEvent) => void;
}

/** Makes the policy for one ceremony. A challenge is valid for twice the timeout, unless its lifetime is given. */
export function ceremonyPolicy(policy: Policy, change: Partial<Policy> | undefined): Policy {
  const challengeTtl = change?.challengeTtl ?? (change?.timeout === undefined ? policy.challengeTtl : 2 * change.timeout);
  return { ...policy, ...change, challengeTtl };
}

export function passkeyNotFound(what: string): PasskeyError {
  return new PasskeyError('passkey_not_found', `Expected a live passkey; there is none with ${what}. Register one, or name another.`);
}

/**
 * Checks that a look-up found a live passkey, and returns it.
 *
 * @throws PasskeyError `passkey_not_found`. For a revoked passkey, the message gives the time and reason of the revocation, and how to undo
 * it.
 */
export function requireLive(passkey: Passkey | undefined): Passkey {
  if (passkey === undefined) throw passkeyNotFound('this credential ID');
  const { id, revokedAt, revokedReason } = passkey;
  if (revokedAt === undefined) return passkey;
  const since = formatMinute(revokedAt);
  const why = revokedReason === undefined ? '' : ` (${revokedReason})`;
  throw new PasskeyError(
    'passkey_not_found',
    `Expected a live passkey; passkey ${id} was revoked ${since} UTC${why}. \`passkey restore ${id}\` restores it.`,
  );
}

/** Makes an entry for `allowCredentials` or `excludeCredentials`. The entry has `transports` only if the registration reported them. */
export function credentialDescriptor({ id, transports }: CredentialRecord): PublicKeyCredentialDescriptorJSON {
  return { id: encodeBase64url(id), type: 'public-key', ...(transports.length > 0 && { transports: [...transports] }) };
}

/**
 * Makes `allowCredentials` or `excludeCredentials` from a user's passkeys, the most recently used first, and limits their number to what
 * browsers accept. For a passkey that was never used, the time of its registration counts.
 */
export function credentialDescriptors(passkeys: readonly Passkey[]): PublicKeyCredentialDescriptorJSON[] {
  const lastSeen = ({ lastUsedAt, createdAt }: Passkey) => lastUsedAt ?? createdAt;
  return passkeys
    .toSorted((a, b) => lastSeen(b) - lastSeen(a) || b.id - a.id)
    .slice(0, MAX_CREDENTIAL_DESCRIPTORS)
    .map(({ credential }) => credentialDescriptor(credential));
}

/** Maximum nesting of extension inputs and outputs. Valid ones have only a few levels. */
const MAX_DEPTH = 32;

/**
 * Checks that a value is not nested too deeply to be copied and written later.
 *
 * @throws PasskeyError `validation_failed` at `pointer` if the value is nested too deeply.
 */
export function requireShallow(pointer: string, value: unknown): void {
  if (!isWithinDepth(value, MAX_DEPTH)) {
    const detail = `Expected at most ${MAX_DEPTH} levels of objects and arrays; got more. Send fewer.`;
    throw new PasskeyError('validation_failed', `${pointer}: ${detail}`, { errors: [{ pointer, detail }] });
  }
}

/**
 * Checks that no member of the options is nested too deeply.
 *
 * @throws PasskeyError `validation_failed` at the member that is nested too deeply.
 */
export function requireShallowOptions(options: object | undefined): void {
  for (const [name, value] of Object.entries(options ?? {})) {
    requireShallow(`/options/${escapePointer(name)}`, value);
  }
}
