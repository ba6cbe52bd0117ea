import { createECDH, createPrivateKey, createPublicKey, type ECDH, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type Curve, KEY_TYPES } from '../webauthn/algorithms.js';
import { encodeBase64url } from '../webauthn/base64url.js';
import type { CoseKey } from '../webauthn/cose-key.js';
import { contents, DerSyntaxError, decodeDer, sequence } from '../webauthn/der.js';
import type { KeyKind, SigningAlgorithm } from './algorithms.js';
import { readNumber } from './big-number.js';
import { decodePkcs8, encodePkcs8, fillPkcs8, type PrivateKeyParts } from './pkcs8.js';

/** A private key read from PKCS#8. Node's forms of the key are added when first needed. */
export interface PrivateKey extends PrivateKeyParts {
  readonly key: KeyKind;
  readonly pkcs8: Uint8Array;
  /** Public point of the key: 04, x and y for most curves; for an Edwards curve, the curve's own encoding. */
  point?: Uint8Array;
  object?: KeyObject;
}

/**
 * Cache of parsed keys, because parsing a key takes longer than signing. Credential sources are immutable, so a parsed key stays valid for
 * the same byte array.
 */
const keysRead = new WeakMap<Uint8Array, PrivateKey>();

/**
 * Reads a PKCS#8 private key and checks that `algorithm` signs with keys of its kind.
 *
 * @throws TypeError if the bytes are not PKCS#8 DER, or contain a key of another kind.
 */
export function readPrivateKey(algorithm: SigningAlgorithm, pkcs8: Uint8Array): PrivateKey {
  const read = keysRead.get(pkcs8) ?? parsePrivateKey(algorithm, pkcs8);
  keysRead.set(pkcs8, read);
  const expected = algorithm.key.name;
  if (read.kind !== expected) {
    const detail = `got "${read.kind}". Give a key that fits the algorithm.`;
    throw new TypeError(`Expected a private key of kind "${expected}" for ${algorithm.name}; ${detail}`);
  }
  return read;
}

function parsePrivateKey(algorithm: SigningAlgorithm, pkcs8: Uint8Array): PrivateKey {
  const malformed = (why: string, cause?: unknown) =>
    new TypeError(`Expected a private key as PKCS#8 DER for ${algorithm.name}; got ${pkcs8.length} bytes that ${why}.`, { cause });
  try {
    const parts = decodePkcs8(pkcs8);
    const order = algorithm.key.type === 'ec' && parts.kind === algorithm.key.name ? algorithm.key.curve.weierstrass?.n : undefined;
    const scalar = readNumber(parts.secret);
    if (order !== undefined && (scalar === 0n || scalar >= order)) throw malformed('hold a scalar out of the range of its curve');
    return { ...parts, key: algorithm.key, pkcs8 };
  } catch (cause) {
    if (!(cause instanceof DerSyntaxError)) throw cause;
    throw malformed('are not', cause);
  }
}

/** Converts the key to Node's KeyObject. @throws the error of `createPrivateKey`, e.g. for ML-DSA before Node 24. */
export function makeKeyObject(privateKey: PrivateKey): KeyObject {
  const { key, secret, pkcs8 } = privateKey;
  privateKey.object ??=
    key.type === 'ec'
      ? importPoint(key.curve, secret, computePoint(privateKey, key.curve))
      : createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' });
  return privateKey.object;
}

function computePoint(privateKey: PrivateKey, curve: Curve): Uint8Array {
  privateKey.point ??= publicPoint(curve, privateKey.secret);
  return privateKey.point;
}

/** Imports a private key and its public point as a JSON Web Key, because OpenSSL takes five times as long to read DER. */
function importPoint({ name, size }: Curve, secret: Uint8Array, point: Uint8Array): KeyObject {
  const [x, y] = [point.subarray(1, 1 + size), point.subarray(1 + size)].map(encodeBase64url);
  return createPrivateKey({ key: { kty: 'EC', crv: name, d: encodeBase64url(secret), x: x ?? '', y: y ?? '' }, format: 'jwk' });
}

const calculators = new Map<string, ECDH>();

function calculator({ openssl }: Curve): ECDH {
  const found = calculators.get(openssl) ?? createECDH(openssl);
  calculators.set(openssl, found);
  return found;
}

function publicPoint(curve: Curve, scalar: Uint8Array): Uint8Array {
  const ecdh = calculator(curve);
  ecdh.setPrivateKey(scalar);
  return new Uint8Array(ecdh.getPublicKey());
}

/**
 * Generates a key on a curve with Node's generator. Takes half the time of `generateKeyPair`, whose key would still have to be exported.
 */
export function generateScalar(curve: Curve): { readonly secret: Uint8Array; readonly point: Uint8Array } {
  const ecdh = calculator(curve);
  const point = new Uint8Array(ecdh.generateKeys());
  const secret = new Uint8Array(curve.size);
  const scalar = ecdh.getPrivateKey();
  secret.set(scalar, curve.size - scalar.length);
  return { secret, point };
}

/**
 * Generates a key on an Edwards curve with Node's generator. Keeps Node's key object, because reading the key again would take OpenSSL ten
 * times as long.
 */
export function generateEdwardsKey({ name, size }: Curve): Required<Pick<PrivateKey, 'secret' | 'point' | 'object'>> {
  const { privateKey: object, publicKey } = name === 'Ed448' ? generateKeyPairSync('ed448') : generateKeyPairSync('ed25519');
  const secret = new Uint8Array(object.export({ format: 'der', type: 'pkcs8' })).slice(-size);
  const point = new Uint8Array(publicKey.export({ format: 'der', type: 'spki' })).slice(-size);
  return { secret, point, object };
}

/** Encodes a new key as PKCS#8 and caches its parsed form. */
export function newPkcs8({ key }: SigningAlgorithm, secret: Uint8Array, made: Pick<PrivateKey, 'point' | 'object'> = {}): Uint8Array {
  const kind = key.name;
  if (key.type === 'ec') {
    const point = made.point ?? publicPoint(key.curve, secret);
    const pkcs8 = fillPkcs8(key.curve, secret, point);
    keysRead.set(pkcs8, { kind, secret, key, pkcs8, point });
    return pkcs8;
  }
  const pkcs8 = encodePkcs8({ kind, secret });
  keysRead.set(pkcs8, { kind, secret, key, pkcs8, ...made });
  return pkcs8;
}

/** Computes the credential public key (§6.5.1) of a private key. Does not support ML-DSA, which some versions of Node lack. */
export function makeCoseKey({ id: alg, key }: SigningAlgorithm, privateKey: PrivateKey): CoseKey {
  switch (key.type) {
    case 'ec': {
      const { crv, size } = key.curve;
      const point = computePoint(privateKey, key.curve);
      return { kty: KEY_TYPES.EC2, alg, crv, x: point.slice(1, 1 + size), y: point.slice(1 + size) };
    }
    case 'okp':
      return { kty: KEY_TYPES.OKP, alg, crv: key.curve.crv, x: privateKey.point?.slice() ?? endOfSpki(privateKey, key.curve.size) };
    case 'ml-dsa':
      return { kty: KEY_TYPES.AKP, alg, pub: endOfSpki(privateKey, key.publicKeyBytes) };
    case 'rsa': {
      const [, n, e] = sequence(decodeDer(privateKey.secret), 'an RSAPrivateKey').map((element) => positive(contents(element)));
      return { kty: KEY_TYPES.RSA, alg, n: n ?? new Uint8Array(), e: e ?? new Uint8Array() };
    }
  }
}

/**
 * Reads the raw public key from the end of the SubjectPublicKeyInfo. An export as JWK would be simpler, but stalled Node 20's garbage
 * collection in long loops.
 */
function endOfSpki(privateKey: PrivateKey, size: number): Uint8Array {
  return new Uint8Array(createPublicKey(makeKeyObject(privateKey)).export({ format: 'der', type: 'spki' })).slice(-size);
}

/** Removes the leading zero byte of an INTEGER, which only marks the number as positive. */
function positive(bytes: Uint8Array): Uint8Array {
  return bytes.slice(bytes[0] === 0 ? 1 : 0);
}
