import { decodeUtf8, encodeUtf8, findInvalidUtf8, toHex } from './bytes.js';
import { findJsonError, type JsonError, valueOffset } from './json-offsets.js';

/** A position in a string. Lines and columns count from 1. */
interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** A syntax error with its line and column. `received` is the wrong character, `the end`, or a wrong byte in hexadecimal. */
interface LocatedJsonError extends TextPosition, Omit<JsonError, 'offset'> {}

/**
 * Finds the first position at which a string is not valid JSON (RFC 8259). `JSON.parse` states a position only in the wording of some of
 * its messages.
 *
 * @returns undefined for valid JSON, with or without a byte order mark.
 */
export function locateJsonError(text: string): LocatedJsonError | undefined {
  const bytes = encodeUtf8(text);
  const error = findJsonError(bytes);
  if (error === undefined) return undefined;
  const { offset, ...rest } = error;
  return { ...positionIn(text, decodeUtf8(bytes.subarray(0, offset)).length), ...rest };
}

/**
 * Finds the line and column of the first byte that is not valid UTF-8. `received` is that byte in hexadecimal, or `the end`. Returns
 * undefined for valid UTF-8.
 */
export function locateUtf8Error(bytes: Uint8Array): (TextPosition & { readonly received: string }) | undefined {
  const offset = findInvalidUtf8(bytes);
  if (offset === undefined) return undefined;
  // As a stream, which leaves out a character that is cut off.
  const before = new TextDecoder().decode(bytes.subarray(0, offset), { stream: true });
  const received = offset < bytes.length ? `0x${toHex(bytes.subarray(offset, offset + 1))}` : 'the end';
  return { ...positionIn(before, before.length), received };
}

/**
 * Finds the line and column at which the value that a JSON Pointer (RFC 6901) names starts. If the value does not exist, finds the
 * innermost existing value around it. `json` must be valid JSON; for invalid JSON, use `locateJsonError`.
 */
export function locateValue(json: string, pointer: string): TextPosition | undefined {
  const bytes = encodeUtf8(json);
  const offset = valueOffset(bytes, splitPointer(pointer));
  return offset === undefined ? undefined : positionIn(json, decodeUtf8(bytes.subarray(0, offset)).length);
}

/** Splits a JSON Pointer into its unescaped reference tokens. */
export function splitPointer(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Escapes a name for use as one reference token of a JSON Pointer. */
export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function positionIn(text: string, offset: number): TextPosition {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1 && end < offset; end = text.indexOf('\n', start)) {
    line += 1;
    start = end + 1;
  }
  return { line, column: offset - start + 1 };
}
