import { decodeUtf8, fromHex, readUtf8 } from '../kernel/bytes.js';
import { decodeBase64, encodeBase64url } from './base64url.js';

/** Bytes decoded from a string, with details of the encoding. */
export interface EncodedText {
  readonly encoding: 'base64url' | 'base64' | 'hex';
  /** True if the string ends in `=`. */
  readonly padded: boolean;
  /** False if the string has an ending that no encoder writes, because it was cut off or typed by hand. */
  readonly canonical: boolean;
  readonly bytes: Uint8Array;
}

/** Position of a character that is wrong in base64: the first one outside both alphabets, or misplaced padding. */
export interface WrongCharacter {
  readonly position: number;
  readonly character: string;
}

/**
 * Reads base64url or base64, with or without padding. Also accepts hexadecimal, whose digits are all in the base64url alphabet: see
 * `readHex`.
 */
export function readBase64(text: string): EncodedText | WrongCharacter {
  const decoded = decodeBase64(text);
  if (decoded === undefined) {
    const position = text.search(/[^A-Za-z0-9+/_-]/);
    return { position, character: text.charAt(position) };
  }
  return {
    encoding: /[+/]/.test(text) || (text.endsWith('=') && !/[-_]/.test(text)) ? 'base64' : 'base64url',
    padded: text.endsWith('='),
    ...decoded,
  };
}

export function isEncoded(read: EncodedText | WrongCharacter): read is EncodedText {
  return 'bytes' in read;
}

/**
 * Separators between groups of hexadecimal digits. A string with more than one kind of separator is a hex dump, which also contains offsets
 * in digits.
 */
const HEX_SEPARATORS: readonly string[] = [':', '-', ',', ';', '\\x'];

/** Reads hexadecimal in upper or lower case, with `0x` or `\x`, colons, dashes, commas or white space. Undefined for any other string. */
export function readHex(text: string): EncodedText | undefined {
  const digits = digitsOfGroups(text.trim());
  return digits.length >= 2 && digits.length % 2 === 0 && !/[^0-9a-f]/i.test(digits)
    ? { encoding: 'hex', padded: false, canonical: true, bytes: fromHex(digits) }
    : undefined;
}

/**
 * Removes the separators between groups of digits. Does not use a single regular expression, because its repeated groups would exhaust the
 * stack on long strings.
 */
function digitsOfGroups(text: string): string {
  const separator = HEX_SEPARATORS.find((candidate) => text.includes(candidate));
  const groups = text.split(separator ?? /\s+/).map((group) => group.trim().replace(/^0x/i, ''));
  const isEdge = (index: number) => index === 0 || index === groups.length - 1;
  const isWhole = separator === undefined || groups.every((group, index) => (group === '' ? isEdge(index) : group.length % 2 === 0));
  return isWhole ? groups.join('') : '';
}

const LEAST_HEX_DIGITS = 16;

/** Finds the mistake in a string that is mostly hexadecimal. Undefined if there is no mistake, or if the string is not hexadecimal. */
export function hexMistake(text: string): WrongCharacter | 'odd' | undefined {
  const digits = text.replaceAll(/0x|\\x|[\s:,;-]/gi, '');
  const right = digits.replaceAll(/[^0-9a-f]/gi, '').length;
  if (digits.length < LEAST_HEX_DIGITS || right < digits.length * 0.9) return undefined;
  if (right === digits.length) return digits.length % 2 === 1 ? 'odd' : undefined;
  const position = text.replaceAll(/0x|\\x/gi, '00').search(/[^0-9a-f\s:,;-]/i);
  return { position, character: text.charAt(position) };
}

const LEAST_NUMBERS = 8;

/** Reads decimal numbers from 0 to 255, as `String(bytes)` writes a Uint8Array; undefined for any other string. */
export function readDecimals(text: string): Uint8Array | undefined {
  if (!/^\s*\d/.test(text) || /[^\d\s,]/.test(text)) return undefined;
  const items = text.trim().replace(/,$/, '').split(',');
  const numbers = items.map((item) => (/^\s*\d{1,3}\s*$/.test(item) ? Number(item) : -1));
  return numbers.length >= LEAST_NUMBERS && numbers.every(isByte) ? Uint8Array.from(numbers) : undefined;
}

/** Removes terminal colour codes from a string. */
export function withoutColours(text: string): string {
  return text.replaceAll(/\p{Cc}\[[\d;]*m/gu, '');
}

/**
 * Decodes UTF-8 in any script and removes terminal colour codes. Undefined if the bytes are not UTF-8 or contain control characters other
 * than white space.
 */
export function printableText(bytes: Uint8Array): string | undefined {
  const read = bytes.length > 0 ? readUtf8(bytes) : undefined;
  const text = read && withoutColours(read);
  return text !== undefined && /^[^\p{Cc}]*$/u.test(text.replaceAll(/[\t-\r]/g, ' ')) ? text : undefined;
}

/**
 * Finds the first character that cannot occur in encoded bytes: one outside the alphabets, a `=` before the end, or white space. Accepts
 * line breaks at a fixed width.
 */
export function findMisfit(text: string): WrongCharacter | undefined {
  const end = text.trimEnd().length;
  const start = text.length - text.trimStart().length;
  const core = text.slice(start, end);
  const widths = core.split(/\r?\n/).map(({ length }) => length);
  const wrapped = widths.slice(0, -1).every((width) => width === widths[0]) && (widths.at(-1) ?? 0) <= (widths[0] ?? 0);
  const at = core.search(wrapped ? /[^A-Za-z0-9+/_=\r\n-]|=(?=\s*[^=\s])/ : /[^A-Za-z0-9+/_=-]|=(?=\s*[^=\s])/);
  return at === -1 ? undefined : { position: start + at, character: String.fromCodePoint(core.codePointAt(at) ?? 0) };
}

/** Decodes bytes that are all printable ASCII characters or white space; undefined for any other bytes. */
export function asciiText(bytes: Uint8Array): string | undefined {
  return bytes.length > 0 && bytes.every((byte) => (byte >= 0x20 && byte < 0x7f) || (byte >= 0x09 && byte <= 0x0d))
    ? decodeUtf8(bytes)
    : undefined;
}

/** Decodes bytes that are themselves base64 text, because the original was encoded twice. Undefined for any other bytes. */
export function decodedTwice(bytes: Uint8Array): Uint8Array | undefined {
  const text = asciiText(bytes);
  if (text === undefined || text.length < 8 || !/^[A-Za-z0-9+/_-]+=*$/.test(text)) {
    return undefined;
  }
  const inner = readBase64(text);
  return isEncoded(inner) && inner.canonical ? inner.bytes : undefined;
}

/** Ends of messages about a member in the wrong encoding: the fault and the remedy. The caller puts the member's name before them. */
export const MISREADINGS = {
  'encoded-twice': 'is encoded twice: its bytes are base64 text again; encode once.',
  hexadecimal: 'is hexadecimal; write the bytes as base64url.',
} as const;

const HEX_DIGITS = [...'0123456789abcdef'];

/**
 * Finds how a structure was really encoded, if reading it as base64url gave bytes that cannot be decoded. Undefined if no known mistake
 * explains the bytes.
 *
 * @param decode decodes the structure; throws for any other bytes.
 */
export function findMisreading(bytes: Uint8Array, decode: (bytes: Uint8Array) => unknown): keyof typeof MISREADINGS | undefined {
  const isStructure = (candidate: Uint8Array | undefined) => {
    try {
      return candidate !== undefined && decode(candidate) !== undefined;
    } catch {
      return false;
    }
  };
  if (isStructure(decodedTwice(bytes))) return 'encoded-twice';
  const text = encodeBase64url(bytes);
  if (/[^0-9a-f]/i.test(text.slice(0, -1))) return undefined;
  // Bits that belong to no byte are lost, and with them the last digit.
  const endings = bytes.length % 3 === 0 ? [text] : HEX_DIGITS.map((digit) => `${text.slice(0, -1)}${digit}`);
  return endings.some((candidate) => isStructure(readHex(candidate)?.bytes)) ? 'hexadecimal' : undefined;
}

/**
 * Reads bytes from a JSON value: an array of numbers, `{ type: 'Buffer', data }`, or `{ "0": …, "1": … }`. Undefined for any other value.
 */
export function bytesOfJson(value: unknown): Uint8Array | undefined {
  if (typeof value !== 'object' || value === null) {
    return undefined;
  }
  const data = 'type' in value && 'data' in value && Object.keys(value).length === 2 ? value.data : value;
  const numbers = Array.isArray(data) ? data : typeof data === 'object' && data !== null && isIndexed(data) ? Object.values(data) : [];
  return numbers.length > 0 && numbers.every(isByte) ? Uint8Array.from(numbers) : undefined;
}

function isIndexed(value: object): boolean {
  return Object.keys(value).every((key, index) => key === String(index));
}

function isByte(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255;
}

/**
 * Decodes UTF-16, with or without a byte order mark; some shells write files in this encoding. Undefined for any other bytes, and for text
 * that is mostly non-ASCII.
 */
export function readUtf16(bytes: Uint8Array): string | undefined {
  const [first = 0, second = 0] = bytes;
  const big = (first === 0xfe && second === 0xff) || (first === 0 && second !== 0);
  const little = (first === 0xff && second === 0xfe) || (first !== 0 && second === 0);
  if ((!big && !little) || bytes.length % 2 !== 0) return undefined;
  let ascii = 0;
  for (let at = 0; at < bytes.length; at += 2) {
    const [high = 0, low = 0] = big ? [bytes[at], bytes[at + 1]] : [bytes[at + 1], bytes[at]];
    if (high === 0 && low < 0x80) ascii += 1;
  }
  return ascii < bytes.length / 4 ? undefined : new TextDecoder(big ? 'utf-16be' : 'utf-16le').decode(bytes);
}

/** Removes the byte order mark and surrounding white space from a string. */
export function trimmed(text: string): string {
  return text.replace(/^\ufeff/, '').trim();
}
