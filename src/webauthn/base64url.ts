import { PasskeyError } from '../errors.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const URL_ALPHABET = `${ALPHABET}-_`;
const STANDARD_ALPHABET = `${ALPHABET}+/`;

const NO_VALUE = 0xff;
/** Six-bit value of each character by its code; the two alphabets differ in the last two characters only, so one table reads both. */
const VALUES = new Uint8Array(128).fill(NO_VALUE);
for (const alphabet of [URL_ALPHABET, STANDARD_ALPHABET]) {
  for (let value = 0; value < 64; value++) {
    VALUES[alphabet.charCodeAt(value)] = value;
  }
}

/** The two characters of every twelve bits: two look-ups for three bytes. */
function pairsOf(alphabet: string): readonly string[] {
  return Array.from({ length: 4096 }, (_, value) => alphabet.charAt(value >> 6) + alphabet.charAt(value & 63));
}
const URL_PAIRS = pairsOf(URL_ALPHABET);
const STANDARD_PAIRS = pairsOf(STANDARD_ALPHABET);

function encode(bytes: Uint8Array, pairs: readonly string[]): string {
  const whole = bytes.length - (bytes.length % 3);
  let text = '';
  for (let at = 0; at < whole; at += 3) {
    const bits = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    text += (pairs[bits >> 12] ?? '') + (pairs[bits & 4095] ?? '');
  }
  const rest = bytes.length - whole;
  if (rest === 0) return text;
  const bits = ((bytes[whole] ?? 0) << 16) | ((bytes[whole + 1] ?? 0) << 8);
  return text + (pairs[bits >> 12] ?? '') + (rest === 2 ? (pairs[bits & 4095] ?? '').charAt(0) : '');
}

/** Node's encoder, several times as fast as the loop below. Browsers have none. */
interface NativeEncoder {
  from(buffer: ArrayBufferLike, offset: number, length: number): { toString(encoding: 'base64' | 'base64url'): string };
}
const { Buffer: native } = globalThis as { readonly Buffer?: NativeEncoder };

/** base64url without padding (RFC 4648 §5), as every *JSON dictionary of the standard writes bytes. */
export function encodeBase64url(bytes: Uint8Array): string {
  if (native !== undefined) return native.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64url');
  return encode(bytes, URL_PAIRS);
}

/** base64 with padding (RFC 4648 §4). */
export function encodeBase64(bytes: Uint8Array): string {
  if (native !== undefined) return native.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
  const text = encode(bytes, STANDARD_PAIRS);
  return text + '='.repeat((4 - (text.length % 4)) % 4);
}

/** What a text in either alphabet decodes to. `canonical` is false for a text that no encoder writes: it ends in a lone character, or in bits that are not zero. */
export interface DecodedBase64 {
  readonly bytes: Uint8Array;
  readonly canonical: boolean;
}

/**
 * Reads base64url or base64, padded or not; the alphabets may mix.
 *
 * @returns undefined when a character is outside both alphabets, or padding is not at the end or has the wrong length.
 */
export function decodeBase64(text: string): DecodedBase64 | undefined {
  const end = text.indexOf('=') === -1 ? text.length : text.indexOf('=');
  const padding = text.slice(end);
  if (padding !== '' && !((padding === '=' || padding === '==') && text.length % 4 === 0)) {
    return undefined;
  }
  const bytes = new Uint8Array(Math.floor((end * 6) / 8));
  let length = 0;
  let buffer = 0;
  let bits = 0;
  for (let position = 0; position < end; position++) {
    const value = VALUES[text.charCodeAt(position)] ?? NO_VALUE;
    if (value === NO_VALUE) {
      return undefined;
    }
    buffer = (buffer << 6) | value;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[length++] = buffer >> bits;
      buffer &= (1 << bits) - 1;
    }
  }
  return { bytes, canonical: end % 4 !== 1 && buffer === 0 };
}

/**
 * Reads base64url strictly: its own alphabet, no padding, nothing left over.
 *
 * @throws PasskeyError `validation_failed` naming the position of the first wrong character.
 */
export function decodeBase64url(text: string): Uint8Array {
  const position = text.search(/[^A-Za-z0-9_-]/);
  if (position !== -1) {
    const character = JSON.stringify(text.charAt(position));
    throw invalid(`got ${character} at position ${position}. Use A-Z, a-z, 0-9, "-" and "_" only`);
  }
  const decoded = decodeBase64(text);
  if (decoded === undefined || text.length % 4 === 1) {
    throw invalid(`the text ends in a lone character at position ${text.length - 1}. Send the whole value`);
  }
  if (!decoded.canonical) {
    throw invalid(`the last character, at position ${text.length - 1}, has bits that belong to no byte. Encode the bytes again`);
  }
  return decoded.bytes;
}

function invalid(detail: string): PasskeyError {
  return new PasskeyError('validation_failed', `Expected base64url without padding; ${detail}.`);
}
