import { constants, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { map, type Value } from './cbor.js';

/** A key pair with the COSE algorithm that it signs by. */
export interface Pair {
  readonly alg: number;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

const HASHES: Readonly<Record<number, string>> = { [-35]: 'sha384', [-36]: 'sha512', [-65535]: 'sha1' };
const CURVES: Readonly<Record<string, number>> = { 'P-256': 1, 'P-384': 2, 'P-521': 3, Ed25519: 6, Ed448: 7 };

export const ec = (namedCurve = 'P-256', alg = -7): Pair => ({ alg, ...generateKeyPairSync('ec', { namedCurve }) });
export const ed25519 = (alg = -8): Pair => ({ alg, ...generateKeyPairSync('ed25519') });
export const ed448 = (alg = -8): Pair => ({ alg, ...generateKeyPairSync('ed448') });

let oneRsaKey: Omit<Pair, 'alg'> | undefined;

/** Always the same key: making one takes long. */
export function rsa(alg = -257): Pair {
  oneRsaKey ??= generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { alg, ...oneRsaKey };
}

export const spki = ({ publicKey }: Pair): Buffer => publicKey.export({ format: 'der', type: 'spki' });

/** In the form of §6.5.5. */
export function signBy({ alg, privateKey }: Pair, data: Uint8Array): Buffer {
  const kind = privateKey.asymmetricKeyType;
  return sign(kind === 'ec' || kind === 'rsa' ? (HASHES[alg] ?? 'sha256') : null, data, privateKey);
}

/** r and s one after the other. */
export const signRaw = ({ privateKey }: Pair, data: Uint8Array): Buffer =>
  sign('sha256', data, { key: privateKey, dsaEncoding: 'ieee-p1363' });

export const signPss = ({ privateKey }: Pair, data: Uint8Array): Buffer =>
  sign('sha256', data, { key: privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST });

/** The public key as a COSE_Key. */
export function coseKey({ alg, publicKey }: Pair): ReadonlyMap<Value, Value> {
  const { kty, crv = '', ...jwk } = publicKey.export({ format: 'jwk' });
  const bytes = (text: unknown) => Buffer.from(String(text), 'base64url');
  if (kty === 'RSA') return map([1, 3], [3, alg], [-1, bytes(jwk.n)], [-2, bytes(jwk.e)]);
  if (kty === 'OKP') return map([1, 1], [3, alg], [-1, CURVES[crv] ?? 0], [-2, bytes(jwk.x)]);
  return map([1, 2], [3, alg], [-1, CURVES[crv] ?? 0], [-2, bytes(jwk.x)], [-3, bytes(jwk.y)]);
}
