import { SIGNING_ALGORITHMS } from '../authenticator/algorithms.js';
import type { Fixture } from '../fixture/format.js';
import { parseAaguid } from '../webauthn/aaguid.js';
import { decodeBase64url } from '../webauthn/base64url.js';
import { algorithmName, readCoseAlgorithm } from '../webauthn/cose-key.js';
import type { AttestedBehaviour, Behaviour } from './behaviour.js';
import type { ActorTraits } from './cases/actor.js';

export type ReboundTraits =
  | { readonly status: 'possible'; readonly traits: ActorTraits }
  | { readonly status: 'impossible'; readonly reason: string };

/** The software authenticator, its user and the page, so that they behave as the recorded ones did. */
export function reboundTraits(fixture: Fixture, behaviour: Behaviour): ReboundTraits {
  const credential = registeredBehaviour(fixture, behaviour);
  if (credential === undefined) return impossible('the recording does not say what credential answered');
  const { aaguid, algorithm, credentialIdLength, transports, format, certified } = credential;
  if (!SIGNING_ALGORITHMS.some(({ id }) => id === algorithm)) {
    return impossible(`the software authenticator cannot sign with ${algorithmName(algorithm)}`);
  }
  if (certified || !['none', 'packed'].includes(format)) {
    return impossible(`the software authenticator has no attestation certificates (${format})`);
  }
  if (!/^https?:/.test(fixture.origin)) return impossible(`no browser runs at ${fixture.origin}`);
  return {
    status: 'possible',
    traits: {
      authenticator: {
        aaguid: parseAaguid(aaguid),
        algorithms: [algorithm],
        attestation: format === 'packed' ? 'packed' : 'none',
        alwaysDiscoverable: behaviour.withUserHandle,
        // With a discoverable credential the user handle comes along.
        residentKey: fixture.kind === 'registration' || behaviour.withUserHandle || fixture.ceremony.policy.residentKey === 'required',
        backupEligible: behaviour.backupEligible,
        backupState: fixture.kind === 'registration' ? behaviour.backupState : (fixture.credential?.backupState ?? false),
        signCount: counting(fixture, behaviour),
        ...(transports.length > 0 && { transports }),
        ...(behaviour.attachment === 'cross-platform' && { attachment: 'cross-platform' }),
        // Shorter ones are not random enough for a software authenticator.
        ...(credentialIdLength >= 16 && { credentialIdLength }),
      },
      user: userScript(fixture, behaviour),
      page: { crossOrigin: behaviour.crossOrigin, ...(behaviour.topOrigin !== undefined && { topOrigin: behaviour.topOrigin }) },
    },
  };
}

function impossible(reason: string): ReboundTraits {
  return { status: 'impossible', reason };
}

function registeredBehaviour({ credential }: Fixture, { attested }: Behaviour): AttestedBehaviour | undefined {
  if (attested !== undefined || credential === undefined) return attested;
  return {
    aaguid: credential.aaguid,
    algorithm: readCoseAlgorithm(decodeBase64url(credential.publicKey)),
    credentialIdLength: decodeBase64url(credential.id).length,
    transports: credential.transports,
    // That of its registration; no assertion depends on it.
    format: 'none',
    certified: false,
  };
}

/** A new credential starts at the recorded count; an assertion adds what the recorded one added. */
function counting({ kind, credential }: Fixture, { signCount }: Behaviour) {
  const start = kind === 'registration' ? signCount : (credential?.signCount ?? 0);
  if (start === 0 && signCount === 0) return { kind: 'zero' } as const;
  return { kind: 'per-credential', start, step: Math.max(signCount - start, 0) } as const;
}

/** What the user does when the passkey is registered and, for an authentication, when it is used. */
function userScript({ kind, credential, ceremony }: Fixture, { userVerified }: Behaviour) {
  const outcome = (verified: boolean) => (verified ? 'verified' : 'present');
  if (kind === 'registration') return [outcome(userVerified)] as const;
  const registered = ceremony.policy.userVerification === 'required' || (credential?.uvInitialized ?? false);
  return [outcome(registered), outcome(userVerified)] as const;
}
