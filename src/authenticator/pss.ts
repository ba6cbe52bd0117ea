import { constants, createHash, type KeyObject, privateDecrypt } from 'node:crypto';
import { concatBytes } from '../kernel/bytes.js';
import type { RandomSource } from './key-pair.js';

/**
 * Signs with RSASSA-PSS (RFC 8017 §8.1.1) and a salt from `random`, as long as the hash. Node's own signatures do not accept a salt.
 * Therefore this module encodes the block to sign, and Node only raises it to the private exponent.
 *
 * @param privateKey RSA key as Node's KeyObject.
 */
export function signPss(privateKey: KeyObject, hash: string, data: Uint8Array, random: RandomSource): Uint8Array {
  const { modulusLength = 0 } = privateKey.asymmetricKeyDetails ?? {};
  const block = encodePss(hash, data, random, modulusLength - 1);
  const size = Math.ceil(modulusLength / 8);
  const padded = concatBytes(new Uint8Array(size - block.length), block);
  return new Uint8Array(privateDecrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, padded));
}

/** Encodes the block to sign: EMSA-PSS-ENCODE (RFC 8017 §9.1.1). */
function encodePss(hash: string, data: Uint8Array, random: RandomSource, bits: number): Uint8Array {
  const digest = (...parts: readonly Uint8Array[]) =>
    new Uint8Array(
      createHash(hash)
        .update(concatBytes(...parts))
        .digest(),
    );
  const message = digest(data);
  const salt = random(message.length);
  const length = Math.ceil(bits / 8);
  const h = digest(new Uint8Array(8), message, salt);
  const padding = new Uint8Array(length - salt.length - h.length - 2);
  const db = concatBytes(padding, Uint8Array.of(1), salt);
  // MGF1 (B.2.1).
  const blocks = Array.from({ length: Math.ceil(db.length / h.length) }, (_, counter) => digest(h, Uint8Array.of(0, 0, 0, counter)));
  const mask = concatBytes(...blocks);
  const masked = db.map((byte, index) => byte ^ (mask[index] ?? 0));
  masked[0] = (masked[0] ?? 0) & (0xff >> (8 * length - bits));
  return concatBytes(masked, h, Uint8Array.of(0xbc));
}
