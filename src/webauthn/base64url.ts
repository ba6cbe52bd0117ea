import { PasskeyError } from '../errors.js';
import { decodeAscii } from '../kernel/bytes.js';

const SHARED = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const URL_ALPHABET = `${SHARED}-_`;
const STANDARD_ALPHABET = `${SHARED}+/`;
/** The six-bit value of each base64 or base64url character, indexed by character code. */
const BITS = new Uint8Array(128);
for (const alphabet of [URL_ALPHABET, STANDARD_ALPHABET]) {
  for (let bits = 0; bits < alphabet.length; bits += 1) BITS[alphabet.charCodeAt(bits)] = bits;
}

// By hand, since Node 20 takes ten times as long for btoa(). Into bytes, as in decodeAscii().
function encode(bytes: Uint8Array, alphabet: string): string {
  const digits = new Uint8Array(Math.ceil((bytes.length * 4) / 3));
  let end = 0;
  for (let at = 0; at < bytes.length; at += 3) {
    const bits = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    digits[end++] = alphabet.charCodeAt(bits >> 18);
    digits[end++] = alphabet.charCodeAt((bits >> 12) & 63);
    digits[end++] = alphabet.charCodeAt((bits >> 6) & 63);
    digits[end++] = alphabet.charCodeAt(bits & 63);
  }
  return decodeAscii(digits);
}

/** Encodes bytes as base64url without padding (RFC 4648 §5), the encoding of all JSON dictionaries in the standard. */
export function encodeBase64url(bytes: Uint8Array): string {
  return encode(bytes, URL_ALPHABET);
}

/** Encodes bytes as base64 with padding (RFC 4648 §4). */
export function encodeBase64(bytes: Uint8Array): string {
  const text = encode(bytes, STANDARD_ALPHABET);
  return text + '='.repeat((4 - (text.length % 4)) % 4);
}

/**
 * Result of decoding base64 or base64url. `canonical` is false for an ending that no encoder writes: a lone last character, or unused bits
 * that are not zero.
 */
export interface DecodedBase64 {
  readonly bytes: Uint8Array;
  readonly canonical: boolean;
}

/**
 * Decodes base64url or base64, with or without padding. The string may even mix the two alphabets.
 *
 * @returns undefined if a character is outside both alphabets, or if the padding is not at the end or has the wrong length.
 */
export function decodeBase64(text: string): DecodedBase64 | undefined {
  if (!isBase64(text)) return undefined;
  const digits = text.replace(/=+$/, '');
  // A lone character at the end holds no byte.
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4));
  for (let at = 0, to = 0, bits = 0; to < bytes.length; at += 1) {
    bits = (bits << 6) | (BITS[digits.charCodeAt(at)] ?? 0);
    if (at % 4 !== 0) bytes[to++] = bits >> (6 - 2 * (at % 4));
  }
  return { bytes, canonical: endsAsEncoded(digits) };
}

/** Tests whether {@link decodeBase64} accepts a string. */
export function isBase64(text: string): boolean {
  return /^[A-Za-z0-9+/_-]*={0,2}$/.test(text) && (!text.endsWith('=') || text.length % 4 === 0);
}

/**
 * Decodes strict base64url: no characters of plain base64, no padding, and all unused bits zero.
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
    throw invalid(`the last character, at position ${text.length - 1}, has unused bits that are not 0. Encode the bytes again`);
  }
  return decoded.bytes;
}

/** Tests whether a base64url string has an ending that an encoder would write and `decodeBase64url` therefore accepts. */
export function endsAsEncoded(text: string): boolean {
  const over = text.length % 4;
  if (over === 0) return true;
  const bits = BITS[text.charCodeAt(text.length - 1)] ?? 0;
  return over === 2 ? (bits & 0b1111) === 0 : over === 3 && (bits & 0b11) === 0;
}

function invalid(detail: string): PasskeyError {
  return new PasskeyError('validation_failed', `Expected base64url without padding; ${detail}.`);
}
