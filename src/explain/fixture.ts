import type { Fixture, FixtureCredential } from '../fixture/format.js';
import { equalBytes } from '../kernel/bytes.js';
import { decodeBase64, decodeBase64url } from '../webauthn/base64url.js';
import type { ReadCredential } from './annotate/read-credential.js';
import { type CeremonyInput, makeCeremony, readChallenge } from './ceremonies.js';
import type { Expectations } from './expectations.js';
import type { KnownAuthentication } from './report/known-ceremony.js';
import { readAllowed } from './requested-options.js';

/** Converts a fixture to a ceremony that is checked against the data in the fixture, as of the time of the recorded response. */
export function ceremonyOfFixture(fixture: Fixture, credential: ReadCredential, expectations: Expectations): CeremonyInput {
  const { name, kind, expected, ceremony, rpId } = fixture;
  const { origins, options, policy } = ceremony;
  const recorded = {
    name,
    expected,
    rpId,
    origins,
    challenge: readState(fixture, credential),
    topOrigins: policy.topOrigins,
    userVerification: policy.userVerification,
    options,
    at: Date.parse(ceremony.answeredAt),
  };
  if (kind === 'authentication') {
    // A login that named no credential identified no user.
    const registered = {
      credential: readCredential(fixture),
      allowCredentials: ceremony.discoverable === true ? [] : readAllowed(options),
    };
    return makeCeremony(kind, credential, { ...recorded, ...registered }, expectations);
  }
  const { id } = fixture.response;
  const credentialKnown = typeof id === 'string' && (ceremony.knownCredentials ?? []).some((known) => sameBytes(known, id));
  const { algorithms, attestationRoots, selfAttestation } = policy;
  const { mediation } = ceremony;
  const known = { ...recorded, mediation, algorithms, attestationRoots, selfAttestation, credentialKnown };
  return makeCeremony(kind, credential, known, expectations);
}

/** Reads the state of the fixture's challenge. `used` and `expired` are returned only if the client data contains that challenge. */
function readState({ ceremony }: Fixture, credential: ReadCredential) {
  const challenge = decodeBase64url(ceremony.challenge);
  const received = readChallenge(credential);
  const isIssued = received !== undefined && equalBytes(received, challenge);
  const expired = Date.parse(ceremony.answeredAt) > Date.parse(ceremony.issuedAt) + ceremony.policy.challengeTtl;
  const status = !isIssued ? 'open' : ceremony.state === 'used' ? 'used' : expired ? 'expired' : 'open';
  return { status, challenge } as const;
}

function readCredential({ credential, response, owner }: Fixture): KnownAuthentication['credential'] {
  if (credential === undefined || credential.revoked === true || !isNamed(credential, response['id'])) {
    return 'unregistered';
  }
  return {
    publicKey: decodeBase64url(credential.publicKey),
    signCount: credential.signCount,
    backupEligible: credential.backupEligible,
    backupState: credential.backupState,
    userHandle: decodeBase64url(owner.userHandle),
  };
}

function isNamed({ id }: FixtureCredential, named: unknown): boolean {
  return typeof named === 'string' && sameBytes(id, named);
}

function sameBytes(a: string, b: string): boolean {
  const [left, right] = [decodeBase64(a), decodeBase64(b)];
  return left !== undefined && right?.canonical === true && equalBytes(left.bytes, right.bytes);
}
