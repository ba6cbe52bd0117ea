import { decodeBase64 } from '../base64url.js';
import { decodeUtf8, findInvalidUtf8, fromHex } from '../bytes.js';

/** How bytes were written as text. */
export interface EncodedText {
  readonly encoding: 'base64url' | 'base64' | 'hex';
  /** Ends in `=`. */
  readonly padded: boolean;
  /** False when no encoder ends a text so: it was cut off or typed. */
  readonly canonical: boolean;
  readonly bytes: Uint8Array;
}

/** The first character that belongs to neither alphabet of base64, or padding that does not fit. */
export interface WrongCharacter {
  readonly position: number;
  readonly character: string;
}

/** Reads base64url or base64, padded or not. Hexadecimal is valid base64url too: see `readHex`. */
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

/** Hexadecimal as people copy it: in either case, with `0x`, colons or spaces. Undefined when it is something else. */
export function readHex(text: string): EncodedText | undefined {
  const digits = text.replace(/^0x/i, '').replaceAll(/[\s:]/g, '');
  return digits.length >= 2 && digits.length % 2 === 0 && /^[0-9a-fA-F]+$/.test(digits)
    ? { encoding: 'hex', padded: false, canonical: true, bytes: fromHex(digits) }
    : undefined;
}

/** Text of any script; undefined for what is no UTF-8 or has control characters other than white space. */
export function printableText(bytes: Uint8Array): string | undefined {
  const text = bytes.length > 0 && findInvalidUtf8(bytes) === undefined ? decodeUtf8(bytes) : undefined;
  return text !== undefined && /^[^\p{Cc}]*$/u.test(text.replaceAll(/[\t-\r]/g, ' ')) ? text : undefined;
}

/**
 * The first character that no encoding of bytes has: outside the alphabets, a `=` that is not at the end, or white space
 * other than the line breaks of text that is wrapped at one width.
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

/** Text made of printable ASCII characters and white space; undefined for anything else. */
export function asciiText(bytes: Uint8Array): string | undefined {
  return bytes.length > 0 && bytes.every((byte) => (byte >= 0x20 && byte < 0x7f) || (byte >= 0x09 && byte <= 0x0d))
    ? decodeUtf8(bytes)
    : undefined;
}

/** What a text decodes to when it was encoded twice: the bytes of its bytes; undefined when it was not. */
export function decodedTwice(bytes: Uint8Array): Uint8Array | undefined {
  const text = asciiText(bytes);
  if (text === undefined || text.length < 8 || !/^[A-Za-z0-9+/_-]+=*$/.test(text)) {
    return undefined;
  }
  const inner = readBase64(text);
  return isEncoded(inner) && inner.canonical ? inner.bytes : undefined;
}

/** The bytes of a JSON value that stands for bytes: an array of numbers, `{ type: 'Buffer', data }`, or `{ "0": …, "1": … }`. */
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

/** Bytes of a text without its byte order mark and surrounding white space. */
export function trimmed(text: string): string {
  return text.replace(/^\ufeff/, '').trim();
}
