import { concatBytes, encodeUtf8, fromHex } from '../../../kernel/bytes.js';
import { encodeCbor } from '../../../webauthn/cbor.js';
import { encodeHead } from '../../../webauthn/cbor-head.js';

/** A byte string, and the name that reports show for it. */
export type NamedBytes = readonly [name: string, bytes: Uint8Array];

const BYTES = 2;
const TEXT = 3;
const ARRAY = 4;
const MAP = 5;

/** Writes a CBOR map from encoded members, in the given order. */
export function writeMap(...members: readonly (readonly [key: Uint8Array, value: Uint8Array])[]): Uint8Array {
  return concatBytes(encodeHead(MAP, members.length), ...members.flat());
}

export function text(value: string): Uint8Array {
  return encodeCbor(value);
}

/** Nesting depth that overflows the stack of a decoder without a limit. */
const LEVELS = 10_000;

/** CBOR items that announce far more data than follows. A decoder that allocates by the announced length runs out of memory. */
export const HUGE_LENGTHS: readonly NamedBytes[] = [
  ['a byte string of 2^32 bytes', concatBytes(encodeHead(BYTES, 2n ** 32n), Uint8Array.of(1))],
  ['a byte string of 2^63 bytes', concatBytes(encodeHead(BYTES, 2n ** 63n), Uint8Array.of(1))],
  ['a text string of 2^64 - 1 bytes', concatBytes(encodeHead(TEXT, 2n ** 64n - 1n), encodeUtf8('a'))],
  ['an array of 2^32 - 1 elements', concatBytes(encodeHead(ARRAY, 2n ** 32n - 1n), Uint8Array.of(1))],
  ['an array of 2^53 elements', concatBytes(encodeHead(ARRAY, 2n ** 53n), Uint8Array.of(1))],
  ['a map of 2^63 members', concatBytes(encodeHead(MAP, 2n ** 63n), Uint8Array.of(1, 1))],
];

const repeated = (head: number) => concatBytes(new Uint8Array(LEVELS).fill(head), Uint8Array.of(0));

/** Deeply nested CBOR. It is well-formed, except that the arrays of indefinite length are never closed. */
export const DEEP: readonly NamedBytes[] = [
  [`${LEVELS} arrays, one inside the other`, repeated(0x81)],
  [`${LEVELS} maps, one inside the other`, concatBytes(Buffer.alloc(2 * LEVELS, 'a100', 'hex'), Uint8Array.of(0))],
  [`${LEVELS} tags, one after the other`, repeated(0xc1)],
  [`${LEVELS} arrays of indefinite length`, repeated(0x9f)],
];

/** Bytes that are not CBOR. */
export const NO_CBOR: readonly NamedBytes[] = [
  ['a break where an item should be', fromHex('ff')],
  ['a head with a reserved length', fromHex('bc')],
  ['an integer of indefinite length', fromHex('1f')],
  ['JSON instead of CBOR', encodeUtf8('{"fmt":"none","attStmt":{}}')],
];

/** Complete CBOR items other than maps. */
export const NO_MAP: readonly NamedBytes[] = [
  ['an integer', encodeCbor(7)],
  ['null', encodeCbor(null)],
  ['a text', encodeCbor('none')],
  ['an array', encodeCbor(['none', new Map(), new Uint8Array(37)])],
  ['a floating-point number', fromHex('fb7ff8000000000000')],
];
