import { PasskeyError } from '../errors.js';
import { formatMinute } from '../webauthn/wording.js';
import type { Passkey } from './credential-record.js';
import type { RelyingPartyEvent } from './events.js';
import type { Policy } from './policy.js';
import type { CeremonyStore, PasskeyStore } from './ports.js';

/** What every operation of the relying party is given. */
export interface OperationDependencies {
  readonly store: PasskeyStore & CeremonyStore;
  readonly policy: Policy;
  readonly origins: readonly string[];
  readonly now: () => number;
  readonly newChallenge: () => Uint8Array;
  readonly emit: (event: RelyingPartyEvent) => void;
}

/** The policy of one ceremony. A challenge is good for twice the timeout, unless its lifetime is given. */
export function ceremonyPolicy(policy: Policy, change: Partial<Policy> | undefined): Policy {
  const challengeTtl = change?.challengeTtl ?? (change?.timeout === undefined ? policy.challengeTtl : 2 * change.timeout);
  return { ...policy, ...change, challengeTtl };
}

export function passkeyNotFound(what: string): PasskeyError {
  return new PasskeyError('passkey_not_found', `Expected a live passkey; there is none with ${what}. Register one, or name another.`);
}

/**
 * The passkey that has a credential ID and is live.
 *
 * @throws PasskeyError `passkey_not_found`; of a revoked passkey the message says since when, why, and how to undo it.
 */
export async function findLivePasskey(store: Pick<PasskeyStore, 'findPasskeyByCredentialId'>, credentialId: Uint8Array): Promise<Passkey> {
  const passkey = await store.findPasskeyByCredentialId(credentialId);
  if (passkey === undefined) throw passkeyNotFound('this credential ID');
  const { id, revokedAt, revokedReason } = passkey;
  if (revokedAt === undefined) return passkey;
  const since = formatMinute(revokedAt);
  const why = revokedReason === undefined ? '' : ` (${revokedReason})`;
  throw new PasskeyError(
    'passkey_not_found',
    `Expected a live passkey; passkey ${id} was revoked ${since} UTC${why}. \`passkey restore ${id}\` makes it good again.`,
  );
}
