import { crc32 as crc32OfZlib } from 'node:zlib';

/** The remainders of half a byte, for the reversed polynomial of CRC-32: https://www.rfc-editor.org/rfc/rfc1952#section-8 */
const REMAINDERS = Array.from({ length: 16 }, (_, half) => {
  let remainder = half;
  for (let bit = 0; bit < 4; bit += 1) remainder = (remainder >>> 1) ^ (remainder & 1 ? 0xedb88320 : 0);
  return remainder;
});

/** Bytes that are not worth loading zlib for, which loads all that Node has for streams. */
const FEW = 4096;
let without = FEW;

/** The CRC-32 of bytes, as zlib counts it. */
export function crc32(bytes: Uint8Array): number {
  if (bytes.length > without) return crc32OfZlib(bytes);
  without -= bytes.length;
  return crc32OfFew(bytes);
}

export function crc32OfFew(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    crc = (crc >>> 4) ^ (REMAINDERS[crc & 15] ?? 0);
    crc = (crc >>> 4) ^ (REMAINDERS[crc & 15] ?? 0);
  }
  return ~crc >>> 0;
}
