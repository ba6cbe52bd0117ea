import { constants, createECDH, createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { type Curve, KEY_TYPES } from '../webauthn/algorithms.js';
import { decodeBase64url } from '../webauthn/base64url.js';
import { concatBytes, fromHex } from '../webauthn/bytes.js';
import type { CoseKey } from '../webauthn/cose-key.js';
import type { SigningAlgorithm } from './algorithms.js';

/** Bytes from a random source: `(n) => n bytes`. */
export type RandomSource = (length: number) => Uint8Array;

/** Makes the private key of a new credential: PKCS#8 DER. */
export type KeyPairSource = (algorithm: SigningAlgorithm) => Uint8Array | Promise<Uint8Array>;

/** RFC 8410: PKCS#8 up to the private key. */
const OKP_PREFIX: Readonly<Record<string, Uint8Array>> = {
  Ed25519: fromHex('302e020100300506032b657004220420'),
  Ed448: fromHex('3047020100300506032b6571043b0439'),
};

/**
 * A key source that draws elliptic curve and Edwards keys from `random`, so that a seeded run repeats its keys. RSA keys come
 * from Node's generator, which cannot be seeded: inject one where that matters.
 */
export function keyPairsFrom(random: RandomSource): KeyPairSource {
  return (algorithm) => {
    const { key } = algorithm;
    switch (key.type) {
      case 'ec':
        return ecPrivateKey(key.curve, random);
      case 'okp':
        return concatBytes(OKP_PREFIX[key.curve.name] ?? new Uint8Array(), random(key.curve.size));
      case 'rsa':
        return rsaPrivateKey();
    }
  };
}

function ecPrivateKey({ name, openssl, size, weierstrass }: Curve, random: RandomSource): Uint8Array {
  const order = weierstrass?.n ?? 0n;
  // FIPS 186-5 A.2.1: 64 bits more than the order make the bias of the remainder negligible.
  const scalar = (BigInt(`0x${Buffer.from(random(size + 8)).toString('hex')}`) % (order - 1n)) + 1n;
  const ecdh = createECDH(openssl);
  ecdh.setPrivateKey(scalar.toString(16).padStart(2 * size, '0'), 'hex');
  const point = ecdh.getPublicKey();
  const jwk = {
    kty: 'EC',
    crv: name,
    d: Buffer.from(scalar.toString(16).padStart(2 * size, '0'), 'hex').toString('base64url'),
    x: point.subarray(1, 1 + size).toString('base64url'),
    y: point.subarray(1 + size).toString('base64url'),
  };
  return toPkcs8(createPrivateKey({ key: jwk, format: 'jwk' }));
}

function toPkcs8(key: KeyObject): Uint8Array {
  const pkcs8 = new Uint8Array(key.export({ format: 'der', type: 'pkcs8' }));
  keysRead.set(pkcs8, { key, kind: kindOf(key) });
  return pkcs8;
}

function kindOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string {
  return [asymmetricKeyType, asymmetricKeyDetails?.namedCurve].filter(Boolean).join(' ');
}

const generate = promisify(generateKeyPair);

async function rsaPrivateKey(): Promise<Uint8Array> {
  const { privateKey } = await generate('rsa', { modulusLength: 2048 });
  return toPkcs8(privateKey);
}

interface ReadKey {
  readonly key: KeyObject;
  readonly kind: string;
}

/** Parsing a key takes as long as twenty signatures. Sources are immutable, so a parsed key stays valid for the same bytes. */
const keysRead = new WeakMap<Uint8Array, ReadKey>();

/**
 * Reads a PKCS#8 private key and checks that `algorithm` signs with keys of its kind.
 *
 * @throws TypeError when it is not PKCS#8 DER or is a key of another kind.
 */
export function readPrivateKey(algorithm: SigningAlgorithm, pkcs8: Uint8Array): KeyObject {
  const read = keysRead.get(pkcs8) ?? parsePrivateKey(algorithm, pkcs8);
  keysRead.set(pkcs8, read);
  const expected = nodeKeyKind(algorithm);
  if (read.kind !== expected) {
    const detail = `got "${read.kind}". Give a key that fits the algorithm.`;
    throw new TypeError(`Expected a private key of kind "${expected}" for ${algorithm.name}; ${detail}`);
  }
  return read.key;
}

function parsePrivateKey({ name }: SigningAlgorithm, pkcs8: Uint8Array): ReadKey {
  try {
    const key = createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' });
    return { key, kind: kindOf(key) };
  } catch (cause) {
    throw new TypeError(`Expected a private key as PKCS#8 DER for ${name}; got ${pkcs8.length} bytes that are not.`, { cause });
  }
}

function nodeKeyKind({ key }: SigningAlgorithm): string {
  switch (key.type) {
    case 'ec':
      return `ec ${key.curve.openssl}`;
    case 'okp':
      return key.curve.openssl;
    case 'rsa':
      return 'rsa';
  }
}

/** A key source that makes one RSA key and reuses it: generating one takes hundreds of milliseconds, and tests need many. */
export function reusingRsaKey(source: KeyPairSource): KeyPairSource {
  let rsa: Promise<Uint8Array> | undefined;
  return (algorithm) => {
    if (algorithm.key.type !== 'rsa') return source(algorithm);
    rsa ??= Promise.resolve(source(algorithm));
    return rsa;
  };
}

/** A signature in the form of §6.5.5: DER for ECDSA, the scheme's own for the others. The salt of PSS is as long as the hash. */
export function signWith(algorithm: SigningAlgorithm, privateKey: KeyObject, data: Uint8Array): Uint8Array {
  const { key } = algorithm;
  if (key.type === 'rsa' && key.pss) {
    const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
    return new Uint8Array(sign(algorithm.hash, data, { key: privateKey, ...padding }));
  }
  return new Uint8Array(sign(algorithm.hash, data, privateKey));
}

/** The credential public key of a private key (§6.5.1.1). */
export function coseKeyOf(algorithm: SigningAlgorithm, privateKey: KeyObject): CoseKey {
  const { id: alg, key } = algorithm;
  const publicKey = createPublicKey(privateKey);
  if (key.type === 'rsa') {
    const { n = '', e = '' } = publicKey.export({ format: 'jwk' });
    return { kty: KEY_TYPES.RSA, alg, n: decodeBase64url(n), e: decodeBase64url(e) };
  }
  // The raw key ends the SPKI. Exporting JWK in long loops was seen to stall Node 20's garbage collection.
  const spki = new Uint8Array(publicKey.export({ format: 'der', type: 'spki' }));
  const { crv, size } = key.curve;
  return key.type === 'okp'
    ? { kty: KEY_TYPES.OKP, alg, crv, x: spki.slice(-size) }
    : { kty: KEY_TYPES.EC2, alg, crv, x: spki.slice(-2 * size, -size), y: spki.slice(-size) };
}
