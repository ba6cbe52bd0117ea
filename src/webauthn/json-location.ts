import { decodeUtf8, encodeUtf8, findInvalidUtf8, toHex } from './bytes.js';
import { findJsonError, type JsonError } from './json-offsets.js';

/** Where something stands in a text, both counted from 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** `received` is the wrong character, `the end`, or its byte in hexadecimal. */
export interface LocatedJsonError extends TextPosition, Omit<JsonError, 'offset'> {}

/**
 * The first place that keeps a text from being JSON (RFC 8259): `JSON.parse` tells it only in the prose of some of its messages.
 *
 * @returns undefined when the text is JSON, a byte order mark before it aside.
 */
export function locateJsonError(text: string): LocatedJsonError | undefined {
  const bytes = encodeUtf8(text);
  const error = findJsonError(bytes);
  if (error === undefined) return undefined;
  const { offset, ...rest } = error;
  return { ...positionsIn(text)(decodeUtf8(bytes.subarray(0, offset)).length), ...rest };
}

/** The first byte that keeps a text from being UTF-8, in hexadecimal, or `the end`; undefined when it is UTF-8. */
export function locateUtf8Error(bytes: Uint8Array): (TextPosition & { readonly received: string }) | undefined {
  const offset = findInvalidUtf8(bytes);
  if (offset === undefined) return undefined;
  // As a stream: of a character that is cut off nothing is counted.
  const before = new TextDecoder().decode(bytes.subarray(0, offset), { stream: true });
  const received = offset < bytes.length ? `0x${toHex(bytes.subarray(offset, offset + 1))}` : 'the end';
  return { ...positionsIn(before)(before.length), received };
}

const TOKEN = /"(?:\\.|[^"\\])*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** An object or array that is open: the pointer of the value that comes next is `pointer` and `/next`. */
interface Level {
  readonly pointer: string;
  readonly array: boolean;
  next: string;
  nameComesNext: boolean;
}

/**
 * Where each value of a JSON text starts, by its JSON Pointer (RFC 6901). The text must be one that `JSON.parse` takes;
 * `locateJsonError` is for the others.
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

/** Answers for offsets that never go back. */
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
