import { createHash, randomBytes } from 'node:crypto';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import { keyPairsFrom, type RandomSource, reusingRsaKey } from '../../src/authenticator/key-pair.js';
import type {
  AuthenticatorAnswer,
  GetAssertionRequest,
  MakeCredentialRequest,
  MakeCredentialResponse,
} from '../../src/authenticator/ports.js';
import type { AuthenticatorOptions } from '../../src/authenticator/settings.js';
import { encodeUtf8 } from '../../src/kernel/bytes.js';
import { decodeAttestationObject } from '../../src/webauthn/attestation-object.js';
import { decodeAuthenticatorData } from '../../src/webauthn/authenticator-data.js';

export const RP_ID = 'example.com';
export const clientDataHash = new Uint8Array(createHash('sha256').update('client data').digest());

export const systemRandom: RandomSource = (length) => new Uint8Array(randomBytes(length));
/** One RSA key for the whole file: generating them would be most of its time. */
export const quickKeys = reusingRsaKey(keyPairsFrom(systemRandom));

/** A random source that repeats itself for the same seed. */
export function seeded(seed: string): RandomSource {
  let draws = 0;
  return (length) => {
    const hash = createHash('shake256', { outputLength: length });
    return new Uint8Array(hash.update(`${seed}/${draws++}/${length}`).digest());
  };
}

export function user(id: string): MakeCredentialRequest['user'] {
  return { id: encodeUtf8(id), name: `${id}@example.com`, displayName: id };
}

export function makeRequest(change: Partial<MakeCredentialRequest> = {}): MakeCredentialRequest {
  return {
    clientDataHash,
    rp: { id: RP_ID, name: 'Example' },
    user: user('1'),
    pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
    excludeCredentials: [],
    requireResidentKey: true,
    requireUserPresence: true,
    requireUserVerification: true,
    enterpriseAttestationPossible: false,
    attestationFormats: [],
    extensions: {},
    ...change,
  };
}

export function getRequest(change: Partial<GetAssertionRequest> = {}): GetAssertionRequest {
  return { rpId: RP_ID, clientDataHash, requireUserPresence: true, requireUserVerification: true, extensions: {}, ...change };
}

export function granted<T>(answer: AuthenticatorAnswer<T>): T {
  if (!answer.ok) throw new Error(`Expected success; got ${answer.status}: ${answer.message}`);
  return answer;
}

/** The attestation object of a registration, taken apart. */
export function takeApart({ attestationObject }: MakeCredentialResponse) {
  const attestation = decodeAttestationObject(attestationObject);
  const data = decodeAuthenticatorData(attestation.authData);
  const { attestedCredentialData: attested } = data;
  if (attested === undefined) throw new Error('Expected attested credential data; got none.');
  return { ...attestation, data, attested, id: attested.credentialId };
}

/** An authenticator with one credential, made by `request`. */
export async function withCredential(options: AuthenticatorOptions = {}, request: Partial<MakeCredentialRequest> = {}) {
  const authenticator = createAuthenticator({ newPrivateKey: quickKeys, ...options });
  const made = granted(await authenticator.makeCredential(makeRequest(request)));
  return { authenticator, made, ...takeApart(made) };
}
