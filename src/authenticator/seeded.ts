import { createHash, createHmac, hkdfSync } from 'node:crypto';
import { concatBytes, encodeUtf8 } from '../kernel/bytes.js';
import { ecdsaSignature } from '../webauthn/der-writer.js';
import type { SigningAlgorithm } from './algorithms.js';
import { readNumber } from './big-number.js';
import { signDeterministically } from './ecdsa.js';
import { type KeyPairSource, keyPairsFrom, poolingRsaKeys, type RandomSource } from './key-pair.js';
import { makeKeyObject, type PrivateKey, readPrivateKey } from './private-key.js';
import { signPss } from './pss.js';
import { type KeyOpener, nativeKey, openMlDsaKey, type SigningKey } from './signing-key.js';

/** Sources that an authenticator derives from one seed. They give the same bytes on every run, platform and version of Node. */
interface Seeded {
  /** Returns a stream of bytes. The same label gives the same stream; streams of different labels are unrelated. */
  stream(label: string): RandomSource;
  readonly openKey: KeyOpener;
}

/**
 * Creates sources from a seed.
 *
 * @param seed any bytes, or a string of any length.
 */
export function seededBy(seed: Uint8Array | string): Seeded {
  const bytes = typeof seed === 'string' ? encodeUtf8(seed) : seed;
  const secret = new Uint8Array(hkdfSync('sha256', bytes, new Uint8Array(), 'passkey seeded authenticator', 32));
  const stream = (label: string) => blocks(secret, label);
  return { stream, openKey: (algorithm, pkcs8) => deterministicKey(algorithm, readPrivateKey(algorithm, pkcs8), stream) };
}

/** Creates a stream of bytes: the HMAC-SHA-256 values of the label and a counter. */
function blocks(secret: Uint8Array, label: string): RandomSource {
  const key = createHmac('sha256', secret).update(label).digest();
  let counter = 0;
  let left = new Uint8Array();
  return (length) => {
    const parts: Uint8Array[] = [left];
    for (let held = left.length; held < length; held += 32) {
      const block = Buffer.alloc(4);
      block.writeUInt32BE(counter++);
      parts.push(new Uint8Array(createHmac('sha256', key).update(block).digest()));
    }
    const drawn = concatBytes(...parts);
    left = drawn.slice(length);
    return drawn.slice(0, length);
  };
}

/** Creates a key source that draws keys from a stream. RSA keys come from the package's public pool. */
export function seededKeyPairs(random: RandomSource): KeyPairSource {
  return poolingRsaKeys(keyPairsFrom(random), () => random(1)[0] ?? 0);
}

/**
 * Opens a key whose signatures repeat. Uses RFC 6979 for ECDSA, a salt derived from the seed and the message for PSS, and the deterministic
 * variant of ML-DSA. The other schemes are always deterministic.
 */
function deterministicKey(
  algorithm: SigningAlgorithm,
  privateKey: PrivateKey,
  stream: (label: string) => RandomSource,
): SigningKey | Promise<SigningKey> {
  const { key, hash } = algorithm;
  const native = nativeKey(algorithm, privateKey);
  if (key.type === 'ml-dsa') return openMlDsaKey(algorithm, privateKey, false);
  if (hash === null) return native;
  if (key.type === 'ec') {
    const scalar = readNumber(privateKey.secret);
    return withSign(native, (data) => {
      const { r, s } = signDeterministically({ curve: key.curve, scalar }, hash, data);
      return ecdsaSignature(r, s);
    });
  }
  if (key.type !== 'rsa' || !key.pss) return native;
  return withSign(native, (data) => {
    const salt = stream(`PSS salt ${createHash('sha256').update(data).digest('hex')}`);
    return signPss(makeKeyObject(privateKey), hash, data, salt);
  });
}

function withSign(key: SigningKey, sign: SigningKey['sign']): SigningKey {
  return {
    algorithm: key.algorithm,
    get coseKey() {
      return key.coseKey;
    },
    sign,
  };
}
