import { concatBytes, fromHex } from '../../../src/kernel/bytes.js';

/** Writes the structures of the TPM 2.0 Library, Part 2, for tests; independent of the reader in src. */

export function uint(value: number, size: 1 | 2 | 4): Uint8Array {
  return fromHex(value.toString(16).padStart(2 * size, '0'));
}

/** TPM2B. */
export const sized = (bytes: Uint8Array): Uint8Array => concatBytes(uint(bytes.length, 2), bytes);

const SHA256 = 0x000b;
const NULL = 0x0010;

export function eccArea(x: Uint8Array, y: Uint8Array, nameAlg = SHA256, scheme = uint(NULL, 2)): Uint8Array {
  const parameters = concatBytes(uint(NULL, 2), scheme, uint(0x0003, 2), uint(NULL, 2));
  return concatBytes(uint(0x0023, 2), uint(nameAlg, 2), uint(0x00060472, 4), sized(new Uint8Array(32)), parameters, sized(x), sized(y));
}

export function rsaArea(n: Uint8Array, exponent = 0): Uint8Array {
  const parameters = concatBytes(uint(NULL, 2), uint(NULL, 2), uint(n.length * 8, 2), uint(exponent, 4));
  return concatBytes(uint(0x0001, 2), uint(SHA256, 2), uint(0x00060472, 4), sized(new Uint8Array()), parameters, sized(n));
}

export interface AttestFields {
  readonly magic: number;
  readonly type: number;
  readonly extraData: Uint8Array;
  readonly name: Uint8Array;
}

export function attest({ magic, type, extraData, name }: AttestFields): Uint8Array {
  const fixed = concatBytes(uint(magic, 4), uint(type, 2), sized(new Uint8Array(34)), sized(extraData));
  return concatBytes(fixed, new Uint8Array(17), new Uint8Array(8), sized(name), sized(new Uint8Array(34)));
}
