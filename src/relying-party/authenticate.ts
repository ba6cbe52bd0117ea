import { decodeBase64 } from '../webauthn/base64url.js';
import { equalBytes } from '../webauthn/bytes.js';
import { AUTHENTICATION_CHECKS, CHALLENGE_CHECKS, firstFailedAuthenticationStep } from './checks.js';
import { concludeCeremony } from './conclude.js';
import type { Passkey } from './credential-record.js';
import type { OperationContext } from './events.js';
import { findLivePasskey, type OperationDependencies, passkeyNotFound } from './operation.js';
import type { Ceremony, PasskeyStore } from './ports.js';
import { recordUse } from './record-use.js';
import { refusal } from './refusal.js';
import { type ReceivedAuthentication, readAuthentication, requireSameIds } from './response.js';
import { verifyAuthentication } from './simplewebauthn.js';
import { authenticationContext, type RegisteredCredential } from './steps/context.js';
import { expectationOf, takeNamedCeremony } from './taken-ceremony.js';

export interface AuthenticateInput {
  readonly response: ReceivedAuthentication;
  readonly context?: OperationContext;
}

export interface AuthenticateResult {
  /** As it stands after the assertion. */
  readonly passkey: Passkey;
  /** The UV flag of this assertion. */
  readonly userVerified: boolean;
}

/**
 * Ends an authentication, W3C WebAuthn L3 §7.2.
 *
 * @throws PasskeyError `validation_failed`, `passkey_not_found`, or the code of the failed check.
 */
export async function authenticate(dependencies: OperationDependencies, input: AuthenticateInput): Promise<AuthenticateResult> {
  const { store, now } = dependencies;
  const { response, context } = input;
  const at = now();
  return concludeCeremony(dependencies, { kind: 'authentication', at, context, response, owner: undefined }, async (trace) => {
    const received = readAuthentication(response);
    const passkey = await findLive(store, received);
    trace.passkey = passkey;
    requireSameIds(received);
    const taken = await takeNamedCeremony(store, received.clientDataJSON, at);
    trace.ceremony = taken.status === 'unknown' ? undefined : taken.ceremony;
    const unverified = authenticationContext(received, {
      ...expectationOf(taken, (ceremony) => otherPurpose(ceremony, passkey)),
      credential: registeredCredential(passkey),
      allowCredentials: allowedIds(trace.ceremony),
      library: undefined,
    });
    const wrongChallenge = firstFailedAuthenticationStep(unverified, CHALLENGE_CHECKS);
    if (wrongChallenge !== undefined || trace.ceremony === undefined) {
      throw refusal('7.2', wrongChallenge);
    }
    const library = await verifyAuthentication(received, trace.ceremony, passkey.credential);
    const rejected = library.verdict === 'rejected';
    const verified = { ...unverified, library };
    const failed = firstFailedAuthenticationStep(verified, rejected ? undefined : AUTHENTICATION_CHECKS);
    if (failed?.code === 'counter_regressed') {
      await store.recordCounterRegression(passkey.id, at);
    }
    if (rejected || failed !== undefined) {
      throw refusal('7.2', failed, { library, context: verified, at });
    }
    return recordUse(dependencies, { passkey, context: verified, at });
  });
}

/** An id that is not written as an encoder writes it names nothing. */
async function findLive(store: PasskeyStore, { id, canonicalId }: { readonly id: Uint8Array; readonly canonicalId: boolean }) {
  if (!canonicalId) {
    throw passkeyNotFound('this credential ID');
  }
  return findLivePasskey(store, id);
}

function otherPurpose(ceremony: Ceremony, { rpId, credential }: Passkey): string | undefined {
  if (ceremony.kind !== 'authentication') {
    return 'a registration; ask verify/options or login/options for one';
  }
  if (ceremony.credentialId !== undefined && !equalBytes(ceremony.credentialId, credential.id)) {
    return 'another credential; answer with the one that was asked for';
  }
  return ceremony.rpId === rpId ? undefined : `the RP ID "${ceremony.rpId}", and this passkey belongs to "${rpId}"`;
}

function registeredCredential({ credential, userHandle }: Passkey): RegisteredCredential {
  return { ...credential, userHandle };
}

/** The credential asked for; or, where the options were changed by hand, those they name. */
function allowedIds(ceremony: Ceremony | undefined): Uint8Array[] {
  if (ceremony?.credentialId !== undefined) {
    return [ceremony.credentialId];
  }
  const listed = ceremony?.options['allowCredentials'];
  return Array.isArray(listed) ? listed.flatMap((entry: { readonly id: string }) => decodeBase64(entry.id)?.bytes ?? []) : [];
}
