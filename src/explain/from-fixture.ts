import type { Fixture, FixtureCredential } from '../fixture/format.js';
import { decodeBase64, decodeBase64url } from '../webauthn/base64url.js';
import { equalBytes } from '../webauthn/bytes.js';
import { isObject } from '../webauthn/json-value.js';
import { type CeremonyInput, challengeOf, challengeState } from './ceremonies.js';
import type { Expectations } from './expectations.js';
import { metadataRoots } from './metadata.js';
import type { KnownAuthentication } from './report/known-ceremony.js';

/** A recorded ceremony, held against what it says itself; flags go before that. The time of verification is that of the answer. */
export function ceremonyOfFixture(fixture: Fixture, settings: Expectations): CeremonyInput {
  const { name, kind, response, expected, ceremony } = fixture;
  const { policy, options } = ceremony;
  const common = {
    rpId: settings.rpId ?? fixture.rpId,
    origins: settings.origins ?? ceremony.origins,
    challenge: settings.challenges ? challengeState(response, settings.challenges) : stateOf(fixture),
    topOrigins: settings.topOrigins ?? policy.topOrigins,
    userVerification: settings.requireUv ? ('required' as const) : policy.userVerification,
    options,
    at: settings.at ?? Date.parse(ceremony.answeredAt),
  };
  const base = { name, response, expected };
  if (kind === 'registration') {
    const { id } = response;
    const credentialKnown = typeof id === 'string' && (ceremony.knownCredentials ?? []).some((known) => sameBytes(known, id));
    const { algorithms } = policy;
    return {
      ...base,
      kind,
      known: {
        ...common,
        algorithms,
        attestationRoots: [...(settings.roots ?? policy.attestationRoots), ...metadataRoots(settings.metadata, response)],
        credentialKnown,
      },
    };
  }
  return { ...base, kind, known: { ...common, credential: credentialOf(fixture, settings), allowCredentials: allowedOf(fixture) } };
}

/** Whether it was used or had expired matters only where it is the one that was issued. */
function stateOf({ ceremony, response }: Fixture) {
  const challenge = decodeBase64url(ceremony.challenge);
  const received = challengeOf(response);
  const isIssued = received !== undefined && equalBytes(received, challenge);
  const expired = Date.parse(ceremony.answeredAt) > Date.parse(ceremony.issuedAt) + ceremony.policy.challengeTtl;
  const status = !isIssued ? 'open' : ceremony.state === 'used' ? 'used' : expired ? 'expired' : 'open';
  return { status, challenge } as const;
}

function credentialOf({ credential, response, owner }: Fixture, { publicKey, signCount }: Expectations): KnownAuthentication['credential'] {
  if (credential === undefined || credential.revoked === true || !isNamed(credential, response['id'])) {
    return 'unregistered';
  }
  return {
    publicKey: publicKey ?? decodeBase64url(credential.publicKey),
    signCount: signCount ?? credential.signCount,
    backupEligible: credential.backupEligible,
    backupState: credential.backupState,
    userHandle: decodeBase64url(owner.userHandle),
  };
}

function isNamed({ id }: FixtureCredential, named: unknown): boolean {
  return typeof named === 'string' && sameBytes(id, named);
}

/** Of a login that named no credential the options name none either. */
function allowedOf({ ceremony: { options, discoverable } }: Fixture): Uint8Array[] {
  const { allowCredentials } = options;
  return discoverable === true || !Array.isArray(allowCredentials)
    ? []
    : allowCredentials.flatMap((entry: unknown) =>
        isObject(entry) && typeof entry['id'] === 'string' ? (decodeBase64(entry['id'])?.bytes ?? []) : [],
      );
}

function sameBytes(a: string, b: string): boolean {
  const [left, right] = [decodeBase64(a), decodeBase64(b)];
  return left !== undefined && right?.canonical === true && equalBytes(left.bytes, right.bytes);
}
