import { PasskeyError } from '../errors.js';
import { encodeUtf8 } from '../kernel/bytes.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** Character codes of the two alphabets. */
const URL_CODES = encodeUtf8(`${ALPHABET}-_`);
const STANDARD_CODES = encodeUtf8(`${ALPHABET}+/`);

const NO_VALUE = 0xff;
/** Six-bit value of each character by its code; the two alphabets differ in the last two characters only, so one table reads both. */
const VALUES = new Uint8Array(128).fill(NO_VALUE);
for (const codes of [URL_CODES, STANDARD_CODES]) {
  for (const [value, code] of codes.entries()) VALUES[code] = value;
}

/** Bytes that are encoded at once, a multiple of three: each becomes more than one argument of a call. */
const CHUNK_BYTES = 6144;

function encode(bytes: Uint8Array, alphabet: Uint8Array): string {
  let text = '';
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    text += encodeChunk(bytes, start, Math.min(start + CHUNK_BYTES, bytes.length), alphabet);
  }
  return text;
}

// Character codes at once, since a text that grows character by character takes twice as long.
function encodeChunk(bytes: Uint8Array, start: number, end: number, alphabet: Uint8Array): string {
  const codes: number[] = [];
  const whole = end - ((end - start) % 3);
  for (let at = start; at < whole; at += 3) {
    const bits = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    codes.push(alphabet[bits >> 18] ?? 0, alphabet[(bits >> 12) & 63] ?? 0, alphabet[(bits >> 6) & 63] ?? 0, alphabet[bits & 63] ?? 0);
  }
  if (whole < end) {
    const bits = ((bytes[whole] ?? 0) << 16) | (whole + 1 < end ? (bytes[whole + 1] ?? 0) << 8 : 0);
    codes.push(alphabet[bits >> 18] ?? 0, alphabet[(bits >> 12) & 63] ?? 0);
    if (whole + 1 < end) codes.push(alphabet[(bits >> 6) & 63] ?? 0);
  }
  return String.fromCharCode(...codes);
}

/** base64url without padding (RFC 4648 §5), as every *JSON dictionary of the standard writes bytes. */
export function encodeBase64url(bytes: Uint8Array): string {
  return encode(bytes, URL_CODES);
}

/** base64 with padding (RFC 4648 §4). */
export function encodeBase64(bytes: Uint8Array): string {
  const text = encode(bytes, STANDARD_CODES);
  return text + '='.repeat((4 - (text.length % 4)) % 4);
}

/** Result of decoding a text in either alphabet. `canonical` is false for a text that no encoder writes: it ends in a lone character, or in bits that are not zero. */
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

/** Whether a text of the alphabet of base64url ends as an encoder ends it: `decodeBase64url` then takes it. */
export function endsAsEncoded(text: string): boolean {
  const over = text.length % 4;
  if (over === 0) return true;
  const bits = VALUES[text.charCodeAt(text.length - 1)] ?? NO_VALUE;
  return over === 2 ? (bits & 0b1111) === 0 : over === 3 && (bits & 0b11) === 0;
}

function invalid(detail: string): PasskeyError {
  return new PasskeyError('validation_failed', `Expected base64url without padding; ${detail}.`);
}
