import { createAttestationAuthority } from '../../../src/authenticator/attestation/authority.js';
import { createAuthenticator } from '../../../src/authenticator/authenticator.js';
import type { AuthenticatorOptions } from '../../../src/authenticator/settings.js';
import { createClient } from '../../../src/client/client.js';
import { encodeUtf8 } from '../../../src/kernel/bytes.js';
import { loadMlDsaFor } from '../../../src/relying-party/attestation/ml-dsa.js';
import { readRoots } from '../../../src/relying-party/attestation/roots.js';
import { verifyAttestation } from '../../../src/relying-party/attestation/verify-attestation.js';
import { DEFAULT_POLICY, type Policy } from '../../../src/relying-party/policy.js';
import { createRelyingParty } from '../../../src/relying-party/relying-party.js';
import { createMemoryStore } from '../../../src/store/memory.js';
import { decodeAttestationObject } from '../../../src/webauthn/attestation-object.js';
import { decodeAuthenticatorData } from '../../../src/webauthn/authenticator-data.js';
import { decodeBase64url, encodeBase64url } from '../../../src/webauthn/base64url.js';
import { decodeCoseKey } from '../../../src/webauthn/cose-key.js';
import type { RegistrationResponseJSON } from '../../../src/webauthn/json.js';
import { writePem } from '../../../src/webauthn/pem.js';
import { sha256 } from '../../webauthn/w3c-vectors.js';
import { quickKeys } from '../requests.js';

/** Registrations with attestation, and what verifiers say of them. */

export const RP_ID = 'example.org';
export const ORIGIN = 'https://example.org';
export const CHALLENGE = encodeUtf8('a challenge of the attestations'.padEnd(32, '.'));
const OWNER = { type: 'User', id: 1 } as const;
const USER_HANDLE = Uint8Array.of(1);

export const ROOT = createAttestationAuthority().root;
export const ROOT_PEM = writePem(ROOT);

export interface Registration {
  readonly authenticator: AuthenticatorOptions;
  readonly algorithm: number;
}

/** A registration at a relying party of ours that trusts the test root alone; its answer, or what it throws. */
export async function registerAtOurs({ authenticator, algorithm }: Registration, policy: Partial<Policy> = {}) {
  const relyingParty = createRelyingParty({
    store: createMemoryStore(),
    policy: { ...DEFAULT_POLICY, algorithms: [algorithm], attestation: 'direct', attestationRoots: [ROOT_PEM], ...policy },
    origins: [],
    now: Date.now,
    newChallenge: () => CHALLENGE,
  });
  const publicKey = await relyingParty.beginRegistration({
    user: { owner: OWNER, id: USER_HANDLE, name: 'ada@example.org', displayName: 'Ada' },
    rpId: RP_ID,
    rpName: 'Example',
    origins: [ORIGIN],
    client: 'test',
  });
  const made = createAuthenticator({ algorithms: [algorithm], newPrivateKey: quickKeys, ...authenticator });
  const response = await createClient({ authenticator: made, origin: ORIGIN }).create({ publicKey });
  return { response, passkey: () => relyingParty.register({ owner: OWNER, response }) };
}

/** What our own steps make of the statement, without the verification library. */
export async function judge({ response }: RegistrationResponseJSON) {
  const { authData } = decodeAttestationObject(decodeBase64url(response.attestationObject));
  const mlDsa = await loadMlDsaFor(
    decodeCoseKey(decodeAuthenticatorData(authData).attestedCredentialData?.credentialPublicKey ?? new Uint8Array()),
  );
  return verifyAttestation({
    mlDsa,
    attestationObject: decodeAttestationObject(decodeBase64url(response.attestationObject)),
    clientDataHash: sha256(decodeBase64url(response.clientDataJSON)),
    at: Date.now(),
    roots: readRoots([ROOT]),
  });
}

export const challengeText = encodeBase64url(CHALLENGE);
