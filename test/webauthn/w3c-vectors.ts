import { createHash, createPrivateKey, createPublicKey, hkdfSync, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { concatBytes, encodeUtf8, fromHex } from '../../src/kernel/bytes.js';
import { encodeAuthenticatorData } from '../../src/webauthn/authenticator-data.js';
import { decodeBase64url, encodeBase64url } from '../../src/webauthn/base64url.js';
import { encodeClientData } from '../../src/webauthn/client-data.js';
import { encodeCoseKey } from '../../src/webauthn/cose-key.js';
import hashes from './w3c-vectors.sha256.json' with { type: 'json' };

/**
 * Generates what can be generated of the standard's test vectors (W3C WebAuthn L3 §16) from their published derivation. None of their
 * values stand in this repository: what must come out stands as SHA-256.
 */

export const RP_ID = 'example.org';
export const ORIGIN = 'https://example.org';
const EXTRA = 'clientDataJSON may be extended with additional fields in the future, such as this: ';

/** What makes one vector differ from the common scheme. */
interface Recipe {
  readonly info: string;
  /** COSEAlgorithmIdentifier; ES256 unless it is given. */
  readonly algorithm?: number;
  /** Derived values that follow those of the registration: an attestation key and a certificate serial number. */
  readonly attestationInputs: number;
  readonly crossOrigin?: boolean;
  readonly topOrigin?: string;
  readonly credentialIdLength?: number;
  readonly challengeLength?: number;
  /** U2F authenticators have neither UV nor backup flags. */
  readonly u2f?: boolean;
}

/** One recipe with the SHA-256 of what it must give. */
interface PublishedHashes {
  readonly recipe: Recipe;
  readonly registration: { readonly clientData: string; readonly authenticatorData: string; readonly attestationObject: string };
  readonly authentication: { readonly clientData: string; readonly authenticatorData: string; readonly signature: string };
}

export const PUBLISHED_HASHES: readonly PublishedHashes[] = hashes.vectors;
/** SHA-256 of the root certificate of the attestation CA. */
export const PUBLISHED_ROOT_HASH = hashes.attestationRoot;

interface DerivedCeremony {
  readonly challenge: Uint8Array;
  readonly clientData: Uint8Array;
  readonly flags: { readonly up: true; readonly uv: boolean; readonly be: boolean; readonly bs: boolean };
  readonly authenticatorData: Uint8Array;
}

export interface Vector {
  readonly algorithm: number;
  /** PKCS#8 DER. */
  readonly privateKey: Uint8Array;
  readonly aaguid: Uint8Array;
  readonly credentialId: Uint8Array;
  /** COSE_Key. */
  readonly credentialPublicKey: Uint8Array;
  readonly registration: DerivedCeremony;
  /** For those with certificates: the key of the attestation certificate, unless that is the credential's, and its serial number. */
  readonly attestation: { readonly key: Uint8Array; readonly serialNumber: Uint8Array };
  readonly authentication: DerivedCeremony;
}

export function sha256(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(bytes).digest());
}

/** The next bytes of what is derived for `info`, as the standard derives all of its values. */
export function derive(info: string): (length: number) => Uint8Array {
  let salt = 0;
  return (length) => new Uint8Array(hkdfSync('sha256', 'WebAuthn test vectors', Uint8Array.of(salt++), info, length));
}

function clientData(type: string, next: (length: number) => Uint8Array, challenge: Uint8Array, recipe: Recipe): Uint8Array {
  const withExtra = ((next(1)[0] ?? 0) & 1) === 1;
  return encodeClientData({
    type,
    challenge: encodeBase64url(challenge),
    origin: ORIGIN,
    crossOrigin: recipe.crossOrigin === true || recipe.topOrigin !== undefined,
    ...(recipe.topOrigin === undefined ? {} : { topOrigin: recipe.topOrigin }),
    ...(withExtra ? { extra: { extraData: EXTRA + encodeBase64url(next(16)) } } : {}),
  });
}

/** PKCS#8 (RFC 5208, 5915, 8410) up to the private value, and how many bytes of that are derived; zeros stand before them. */
const KEYS: Readonly<Record<number, { readonly pkcs8: string; readonly derived: number; readonly crv: number }>> = {
  [-7]: { pkcs8: '3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420', derived: 32, crv: 1 },
  [-35]: { pkcs8: '304e020100301006072a8648ce3d020106052b81040022043730350201010430', derived: 48, crv: 2 },
  [-36]: { pkcs8: '3060020100301006072a8648ce3d020106052b8104002304493047020101044200', derived: 65, crv: 3 },
  [-8]: { pkcs8: '302e020100300506032b657004220420', derived: 32, crv: 6 },
  [-53]: { pkcs8: '3047020100300506032b6571043b0439', derived: 57, crv: 7 },
};

function privateKeyFor(algorithm: number, next: (length: number) => Uint8Array): KeyObject {
  const scheme = KEYS[algorithm];
  if (scheme === undefined) return rsaPrivateKey();
  const der = concatBytes(fromHex(scheme.pkcs8), next(scheme.derived));
  return createPrivateKey({ key: Buffer.from(der), format: 'der', type: 'pkcs8' });
}

/** The same for all: of the two smallest Mersenne primes 2^p - 1 with p ≥ 1024. */
function rsaPrivateKey(): KeyObject {
  const [p, q, e] = [2n ** 2203n - 1n, 2n ** 1279n - 1n, 65537n];
  const phi = (p - 1n) * (q - 1n);
  // d = (1 + k·phi) / e for the one k below e that divides.
  let k = 1n;
  while ((1n + k * phi) % e !== 0n) k++;
  const d = (1n + k * phi) / e;
  // The inverse of q modulo the prime p, by Fermat.
  const members = { n: p * q, e, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: power(q, p - 2n, p) };
  const jwk = Object.fromEntries(Object.entries(members).map(([name, value]) => [name, encodeBase64url(bigEndian(value))]));
  return createPrivateKey({ key: { kty: 'RSA', ...jwk }, format: 'jwk' });
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  for (const bit of exponent.toString(2)) {
    result = (result * result) % modulus;
    if (bit === '1') result = (result * base) % modulus;
  }
  return result;
}

function bigEndian(value: bigint): Uint8Array {
  const digits = value.toString(16);
  return fromHex(digits.padStart(digits.length + (digits.length % 2), '0'));
}

function coseKeyOf(algorithm: number, privateKey: KeyObject): Uint8Array {
  const jwk = createPublicKey(privateKey).export({ format: 'jwk' });
  const member = (name: 'x' | 'y' | 'n' | 'e') => decodeBase64url(jwk[name] ?? '');
  const crv = KEYS[algorithm]?.crv;
  if (crv === undefined) return encodeCoseKey({ kty: 3, alg: algorithm, n: member('n'), e: member('e') });
  if (jwk.y === undefined) return encodeCoseKey({ kty: 1, alg: algorithm, crv, x: member('x') });
  return encodeCoseKey({ kty: 2, alg: algorithm, crv, x: member('x'), y: member('y') });
}

export function generateVector(recipe: Recipe): Vector {
  const next = derive(recipe.info);
  const algorithm = recipe.algorithm ?? -7;
  const challenge = next(recipe.challengeLength ?? 32);
  const key = privateKeyFor(algorithm, next);
  const registrationClientData = clientData('webauthn.create', next, challenge, recipe);
  const aaguid = next(16);
  const credentialId = next(recipe.credentialIdLength ?? 32);
  const flagBits = recipe.u2f ? 0 : (next(1)[0] ?? 0);
  const flagsOf = (bits: number) => {
    const be = (flagBits & 0x08) !== 0;
    return { up: true, uv: (bits & 0x04) !== 0, be, bs: be && (bits & 0x10) !== 0 } as const;
  };
  const attestation = {
    key: recipe.attestationInputs === 2 ? next(32) : new Uint8Array(),
    serialNumber: recipe.attestationInputs === 0 ? new Uint8Array() : next(16),
  };
  const common = { rpIdHash: sha256(encodeUtf8(RP_ID)), signCount: 0 };
  const attestedCredentialData = { aaguid, credentialId, credentialPublicKey: coseKeyOf(algorithm, key) };
  const authData = encodeAuthenticatorData({ ...common, flags: flagsOf(flagBits), attestedCredentialData });

  const assertionChallenge = next(recipe.challengeLength ?? 32);
  const authenticationClientData = clientData('webauthn.get', next, assertionChallenge, recipe);
  const assertionFlags = flagsOf(next(1)[0] ?? 0);
  return {
    algorithm,
    privateKey: new Uint8Array(key.export({ format: 'der', type: 'pkcs8' })),
    ...attestedCredentialData,
    attestation,
    registration: {
      challenge,
      clientData: registrationClientData,
      flags: flagsOf(flagBits),
      authenticatorData: authData,
    },
    authentication: {
      challenge: assertionChallenge,
      clientData: authenticationClientData,
      flags: assertionFlags,
      authenticatorData: encodeAuthenticatorData({ ...common, flags: assertionFlags }),
    },
  };
}

const prfSeed = (last: number): Uint8Array => concatBytes(encodeUtf8('WebAuthn PRF test vectors'), Uint8Array.of(last));
/** What an input becomes on its way to the authenticator (§10.1.4). */
const saltOf = (input: Uint8Array): Uint8Array => sha256(concatBytes(encodeUtf8('WebAuthn PRF\0'), input));

/** The vectors of the prf extension; `hashes` are the SHA-256 of what is published. */
export const PRF = {
  inputs: { first: prfSeed(2), second: prfSeed(3) },
  salts: { first: saltOf(prfSeed(2)), second: saltOf(prfSeed(3)) },
  credRandom: sha256(prfSeed(6)),
  hashes: hashes.prf,
};

interface Published {
  readonly hex: string;
}

export interface PublishedVector {
  readonly title: string;
  readonly registration: {
    readonly challenge: Published & { readonly derivation: { readonly info: string } };
    readonly attestationObject: Published;
    readonly clientDataJSON: Published;
  };
  readonly authentication: { readonly authenticatorData: Published; readonly clientDataJSON: Published; readonly signature: Published };
}

/** The published vectors themselves, for what no hash can tell. They are not part of this repository: PASSKEY_W3C_VECTORS names a copy. */
export function publishedVectors(): readonly PublishedVector[] {
  const file = process.env.PASSKEY_W3C_VECTORS;
  return file ? (JSON.parse(readFileSync(file, 'utf8')) as { vectors: PublishedVector[] }).vectors : [];
}
