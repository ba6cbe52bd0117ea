import { constants, createECDH, createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { decodeBase64url } from '../webauthn/base64url.js';
import { concatBytes } from '../webauthn/bytes.js';
import type { CoseKey } from '../webauthn/cose-key.js';
import { coseCurve, type SigningAlgorithm } from './algorithms.js';

/** Bytes from a random source: `(n) => n bytes`. */
export type RandomSource = (length: number) => Uint8Array;

/** Makes the private key of a new credential: PKCS#8 DER. */
export type KeyPairSource = (algorithm: SigningAlgorithm) => Uint8Array | Promise<Uint8Array>;

const EC = {
  'P-256': { name: 'prime256v1', size: 32, order: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n },
  'P-384': {
    name: 'secp384r1',
    size: 48,
    order: 0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
  },
  'P-521': {
    name: 'secp521r1',
    size: 66,
    order:
      0x01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409n,
  },
} as const;

/** RFC 8410 PKCS#8 up to the seed. */
const OKP = {
  Ed25519: { size: 32, prefix: Buffer.from('302e020100300506032b657004220420', 'hex') },
  Ed448: { size: 57, prefix: Buffer.from('3047020100300506032b6571043b0439', 'hex') },
} as const;

/**
 * A key source that draws elliptic curve and Edwards keys from `random`, so that a seeded run repeats its keys. RSA keys come
 * from Node's generator, which cannot be seeded: inject one where that matters.
 */
export function keyPairsFrom(random: RandomSource): KeyPairSource {
  return (algorithm) => {
    const { key } = algorithm;
    switch (key.type) {
      case 'ec':
        return ecPrivateKey(key.namedCurve, random);
      case 'okp':
        return concatBytes(OKP[key.namedCurve].prefix, random(OKP[key.namedCurve].size));
      case 'rsa':
        return rsaPrivateKey();
    }
  };
}

function ecPrivateKey(namedCurve: keyof typeof EC, random: RandomSource): Uint8Array {
  const { name, size, order } = EC[namedCurve];
  // FIPS 186-5 A.2.1: 64 bits more than the order make the bias of the remainder negligible.
  const scalar = (BigInt(`0x${Buffer.from(random(size + 8)).toString('hex')}`) % (order - 1n)) + 1n;
  const ecdh = createECDH(name);
  ecdh.setPrivateKey(scalar.toString(16).padStart(2 * size, '0'), 'hex');
  const point = ecdh.getPublicKey();
  const jwk = {
    kty: 'EC',
    crv: namedCurve,
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

/** Reading a key costs twenty signatures. Sources are immutable, so what was read or made of the same bytes stays true. */
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
    throw new TypeError(`Expected a private key as PKCS#8 DER for ${name}; got ${pkcs8.length} bytes that are none.`, { cause });
  }
}

function nodeKeyKind({ key }: SigningAlgorithm): string {
  switch (key.type) {
    case 'ec':
      return `ec ${EC[key.namedCurve].name}`;
    case 'okp':
      return key.namedCurve.toLowerCase();
    case 'rsa':
      return 'rsa';
  }
}

/** A key source that makes one RSA key and hands it out again: RSA generation takes hundreds of milliseconds, and tests need many. */
export function reusingRsaKey(source: KeyPairSource): KeyPairSource {
  let rsa: Promise<Uint8Array> | undefined;
  return (algorithm) => {
    if (algorithm.key.type !== 'rsa') return source(algorithm);
    rsa ??= Promise.resolve(source(algorithm));
    return rsa;
  };
}

/** The signature that §6.5.5 asks for: DER for ECDSA, as the scheme has it for the others; salt as long as the hash for PSS. */
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
    return { kty: 3, alg, n: decodeBase64url(n), e: decodeBase64url(e) };
  }
  // The raw key ends the SPKI. Exporting JWK in long loops was seen to stall Node 20's garbage collection.
  const spki = new Uint8Array(publicKey.export({ format: 'der', type: 'spki' }));
  if (key.type === 'okp') {
    return { kty: 1, alg, crv: coseCurve(algorithm), x: spki.slice(-OKP[key.namedCurve].size) };
  }
  const { size } = EC[key.namedCurve];
  return { kty: 2, alg, crv: coseCurve(algorithm), x: spki.slice(-2 * size, -size), y: spki.slice(-size) };
}
