import { fromHex, toHex } from '../kernel/bytes.js';

/** Converts big-endian bytes, as in keys and signatures, to a `bigint`. */

export function readNumber(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${toHex(bytes)}`);
}

/**
 * Writes a number in big-endian order.
 *
 * @param size in bytes. A smaller number gets leading zeros.
 */
export function writeNumber(value: bigint, size: number): Uint8Array {
  return fromHex(value.toString(16).padStart(2 * size, '0'));
}

/** Computes a modular inverse by the extended Euclidean algorithm. The inverse must exist. The running time depends on the number. */
export function inverse(value: bigint, modulus: bigint): bigint {
  let [a, b] = [value % modulus, modulus];
  let [x, y] = [1n, 0n];
  while (b !== 0n) {
    const quotient = a / b;
    [a, b] = [b, a - quotient * b];
    [x, y] = [y, x - quotient * y];
  }
  return ((x % modulus) + modulus) % modulus;
}
