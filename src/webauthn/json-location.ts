import { decodeUtf8, encodeUtf8, findInvalidUtf8, toHex } from './bytes.js';
import { findJsonError, type JsonError } from './json-offsets.js';

/** A place in a text. Both count from 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** `received` is the wrong character, `the end`, or its byte in hexadecimal. */
export interface LocatedJsonError extends TextPosition, Omit<JsonError, 'offset'> {}

/**
 * The first place where a text stops being JSON (RFC 8259). `JSON.parse` names it only in the prose of some of its messages.
 *
 * @returns undefined for JSON, with or without a byte order mark.
 */
export function locateJsonError(text: string): LocatedJsonError | undefined {
  const bytes = encodeUtf8(text);
  const error = findJsonError(bytes);
  if (error === undefined) return undefined;
  const { offset, ...rest } = error;
  return { ...positionsIn(text)(decodeUtf8(bytes.subarray(0, offset)).length), ...rest };
}

/** The first byte that is not valid UTF-8, in hexadecimal, or `the end`; undefined for valid UTF-8. */
export function locateUtf8Error(bytes: Uint8Array): (TextPosition & { readonly received: string }) | undefined {
  const offset = findInvalidUtf8(bytes);
  if (offset === undefined) return undefined;
  // As a stream, which leaves out a character that is cut off.
  const before = new TextDecoder().decode(bytes.subarray(0, offset), { stream: true });
  const received = offset < bytes.length ? `0x${toHex(bytes.subarray(offset, offset + 1))}` : 'the end';
  return { ...positionsIn(before)(before.length), received };
}

const TOKEN = /"(?:\\.|[^"\\])*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** An open object or array. The next value has the pointer `${pointer}/${next}`. */
interface Level {
  readonly pointer: string;
  readonly array: boolean;
  next: string;
  nameComesNext: boolean;
}

/**
 * Where each value of a JSON text starts, by its JSON Pointer (RFC 6901). The text must be valid JSON; for
 * other texts see `locateJsonError`.
 */
export function locateValues(json: string): ReadonlyMap<string, TextPosition> {
  const positions = new Map<string, TextPosition>();
  const positionAt = positionsIn(json);
  const levels: Level[] = [];

  for (const { 0: token, index } of json.matchAll(TOKEN)) {
    const level = levels.at(-1);
    if (token === '}' || token === ']') {
      levels.pop();
    } else if (token === ',' && level !== undefined) {
      if (level.array) level.next = String(Number(level.next) + 1);
      else level.nameComesNext = true;
    } else if (token === ':') {
      // The name before it said which value comes next.
    } else if (level?.nameComesNext) {
      level.next = escapePointer(String(JSON.parse(token)));
      level.nameComesNext = false;
    } else {
      const pointer = level === undefined ? '' : `${level.pointer}/${level.next}`;
      positions.set(pointer, positionAt(index));
      if (token === '{') levels.push({ pointer, array: false, next: '', nameComesNext: true });
      if (token === '[') levels.push({ pointer, array: true, next: '0', nameComesNext: false });
    }
  }
  return positions;
}

/** One reference token of a JSON Pointer. */
export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** For offsets in ascending order. */
function positionsIn(text: string): (offset: number) => TextPosition {
  let line = 1;
  let start = 0;
  return (offset) => {
    for (let end = text.indexOf('\n', start); end !== -1 && end < offset; end = text.indexOf('\n', start)) {
      line += 1;
      start = end + 1;
    }
    return { line, column: offset - start + 1 };
  };
}
