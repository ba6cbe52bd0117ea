import { PasskeyError } from '../errors.js';

/** Compares public byte strings. The comparison is not constant-time; to compare secrets, compare their hashes instead. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

/** Concatenates byte strings. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  return joinBytes(parts);
}

/**
 * Concatenates a list of any number of byte strings. {@link concatBytes} has one argument per byte string, and 100,000 arguments would
 * exhaust the stack.
 */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

const encoder = /* @__PURE__ */ new TextEncoder();

/** The two hexadecimal digits of every byte from 0 to 255, in order, as ASCII. */
const HEX_DIGITS = /* @__PURE__ */ encodeUtf8(Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0')).join(''));

/** Encodes bytes in hexadecimal: lower case, two digits for each byte. */
export function toHex(bytes: Uint8Array): string {
  const digits = new Uint8Array(2 * bytes.length);
  for (let index = 0, at = 0; index < bytes.length; index++) {
    const byte = bytes[index] ?? 0;
    digits[at++] = HEX_DIGITS[2 * byte] ?? 0;
    digits[at++] = HEX_DIGITS[2 * byte + 1] ?? 0;
  }
  return decodeAscii(digits);
}

/** Decodes ASCII; bytes above 127 become Latin-1 characters. Appending one character at a time would need thirty times as much memory. */
export function decodeAscii(bytes: Uint8Array): string {
  return ASCII.decode(bytes);
}

const ASCII = /* @__PURE__ */ new TextDecoder('latin1');

/**
 * Decodes hexadecimal.
 *
 * @throws PasskeyError `validation_failed` naming the position of the first wrong character.
 */
export function fromHex(text: string): Uint8Array {
  const position = text.search(/[^0-9a-fA-F]/);
  if (position !== -1) {
    const character = JSON.stringify(text.charAt(position));
    throw new PasskeyError(
      'validation_failed',
      `Expected hexadecimal digits; got ${character} at position ${position}. Use 0-9 and a-f only.`,
    );
  }
  if (text.length % 2 !== 0) {
    throw new PasskeyError(
      'validation_failed',
      `Expected two hexadecimal digits for each byte; got ${text.length} digits. Send the whole value.`,
    );
  }
  return Uint8Array.from({ length: text.length / 2 }, (_, index) => Number.parseInt(text.slice(2 * index, 2 * index + 2), 16));
}

/** Encodes text in UTF-8. Unpaired surrogates become U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

const STRICT_UTF8 = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes UTF-8, and keeps a byte order mark. Returns undefined for invalid UTF-8. */
export function readUtf8(bytes: Uint8Array): string | undefined {
  try {
    return STRICT_UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Decodes UTF-8 like {@link readUtf8}, but throws an error for invalid UTF-8.
 *
 * @throws PasskeyError `validation_failed` naming the first byte that is not UTF-8.
 */
export function decodeUtf8(bytes: Uint8Array): string {
  const text = readUtf8(bytes);
  if (text !== undefined) return text;
  throw new PasskeyError('validation_failed', `Expected UTF-8; byte ${findInvalidUtf8(bytes)} is invalid. Encode the text as UTF-8.`);
}

/**
 * Finds the first byte that is not valid UTF-8. If only the last character is cut off, returns the number of bytes. Returns undefined for
 * valid UTF-8.
 */
export function findInvalidUtf8(bytes: Uint8Array): number | undefined {
  if (readUtf8(bytes) !== undefined) return undefined;
  // The wrong byte ends the shortest prefix that no continuation makes valid. Only failures pay for this search.
  let good = 0;
  let bad = bytes.length + 1;
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (beginsUtf8(bytes.subarray(0, middle))) {
      good = middle;
    } else {
      bad = middle;
    }
  }
  return good;
}

/** Whether the bytes are valid UTF-8, even if the last character is cut off. */
function beginsUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
