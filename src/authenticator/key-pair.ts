import { generateKeyPair, randomBytes, randomFillSync } from 'node:crypto';
import { promisify } from 'node:util';
import type { Curve } from '../webauthn/algorithms.js';
import type { SigningAlgorithm } from './algorithms.js';
import { readNumber, writeNumber } from './big-number.js';
import { decodePkcs8, ML_DSA_SEED_BYTES } from './pkcs8.js';
import { generateEdwardsKey, generateScalar, newPkcs8 } from './private-key.js';
import { pooledRsaKey } from './rsa-pool.js';

/** A random source: returns as many bytes as requested. */
export type RandomSource = (length: number) => Uint8Array;

/** Generates the private key of a new credential, as PKCS#8 in DER. */
export type KeyPairSource = (algorithm: SigningAlgorithm) => Uint8Array | Promise<Uint8Array>;

/** Random bytes drawn in advance, because the system takes as long for a few bytes as for the whole pool. */
const pool = new Uint8Array(2048);
let used = pool.length;

/** Draws random bytes from the system. They come from a pool, where each byte is used only once and then wiped. */
export const systemRandom: RandomSource = (length) => {
  if (length > pool.length) return new Uint8Array(randomBytes(length));
  if (used + length > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const drawn = pool.slice(used, used + length);
  pool.fill(0, used, used + length);
  used += length;
  return drawn;
};

/** Generates keys with Node's own generators, for authenticators without a seed. */
export const systemKeyPairs: KeyPairSource = (algorithm) => {
  const { key } = algorithm;
  if (key.type !== 'ec' && key.type !== 'okp') return keyPairsFrom(systemRandom)(algorithm);
  const { secret, ...made } = key.type === 'ec' ? generateScalar(key.curve) : generateEdwardsKey(key.curve);
  return newPkcs8(algorithm, secret, made);
};

/**
 * Creates a key source that draws its keys from `random`, so that a seeded run repeats them. RSA keys come from Node's generator, which
 * cannot be seeded. If RSA keys must repeat, supply your own.
 */
export function keyPairsFrom(random: RandomSource): KeyPairSource {
  return (algorithm) => {
    const { key } = algorithm;
    switch (key.type) {
      case 'ec':
        return newPkcs8(algorithm, scalarFrom(random, key.curve));
      case 'okp':
        return newPkcs8(algorithm, random(key.curve.size));
      case 'ml-dsa':
        return newPkcs8(algorithm, random(ML_DSA_SEED_BYTES));
      case 'rsa':
        return rsaPrivateKey(algorithm);
    }
  };
}

function scalarFrom(random: RandomSource, { size, weierstrass }: Curve): Uint8Array {
  const order = weierstrass?.n ?? 0n;
  // FIPS 186-5 A.2.1: 64 bits more than the order make the bias of the remainder negligible.
  return writeNumber((readNumber(random(size + 8)) % (order - 1n)) + 1n, size);
}

const generate = promisify(generateKeyPair);

async function rsaPrivateKey(algorithm: SigningAlgorithm): Promise<Uint8Array> {
  const { privateKey: object } = await generate('rsa', { modulusLength: 2048 });
  const { secret } = decodePkcs8(new Uint8Array(object.export({ format: 'der', type: 'pkcs8' })));
  return newPkcs8(algorithm, secret, { object });
}

/**
 * Creates a key source that gets RSA keys from the package's public pool, and all other keys from `source`. The RSA keys have 3072 bits for
 * hashes longer than 256 bits.
 */
export function poolingRsaKeys(source: KeyPairSource, choose: () => number): KeyPairSource {
  return (algorithm) => {
    if (algorithm.key.type !== 'rsa') return source(algorithm);
    return newPkcs8(algorithm, pooledRsaKey(algorithm.hash === 'sha256' ? 2048 : 3072, choose()));
  };
}

/**
 * Creates a key source that generates one RSA key and reuses it. Generating one takes hundreds of milliseconds, and tests need many keys.
 */
export function reusingRsaKey(source: KeyPairSource): KeyPairSource {
  let rsa: Promise<Uint8Array> | undefined;
  return (algorithm) => {
    if (algorithm.key.type !== 'rsa') return source(algorithm);
    rsa ??= Promise.resolve(source(algorithm));
    return rsa;
  };
}
