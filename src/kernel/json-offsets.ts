import { MAX_JSON_LEVELS } from './json-value.js';

/**
 * Finds places in JSON bytes. `JSON.parse` names no position in several of its messages, and never a byte. This reader runs only after
 * `JSON.parse` or a type check has failed, to show a developer where.
 */

/** `received` is the wrong character, `the end`, or its byte in hexadecimal. */
export interface JsonError {
  readonly offset: number;
  readonly expected: string;
  readonly received: string;
}

class JsonSyntaxError extends Error {
  readonly offset: number;
  readonly expected: string;

  constructor(offset: number, expected: string) {
    super(expected);
    this.offset = offset;
    this.expected = expected;
  }
}

interface Cursor {
  readonly bytes: Uint8Array;
  offset: number;
}

/** The first byte at which `bytes` stops being JSON (RFC 8259); undefined for JSON. Skips a byte order mark. */
export function findJsonError(bytes: Uint8Array): JsonError | undefined {
  try {
    readDocument(bytes);
    return undefined;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) {
      throw error;
    }
    return { offset: error.offset, expected: error.expected, received: describe(bytes[error.offset]) };
  }
}

/** The offset of each member's value in a JSON object. Of repeated members the last counts, as for `JSON.parse`. */
export function memberOffsets(bytes: Uint8Array): ReadonlyMap<string, number> {
  const offsets = new Map<string, number>();
  visitValues(bytes, (name, offset) => {
    offsets.set(name, offset);
    return undefined;
  });
  return offsets;
}

/**
 * The offset of the value at `path`, a list of member names and indexes; of the innermost value around it where there is none.
 * Undefined where there is not even an outermost one.
 */
export function valueOffset(bytes: Uint8Array, path: readonly string[]): number | undefined {
  let found: number | undefined;
  const at =
    (depth: number): Visit =>
    (name, offset) => {
      if (name !== path[depth]) return undefined;
      found = offset;
      return at(depth + 1);
    };
  visitValues(bytes, at(0), (offset) => {
    found = offset;
  });
  return found;
}

/** Called for each value inside another with its name or index; returns the visitor of the values inside that one. */
type Visit = (name: string, offset: number) => Visit | undefined;

/** Tells what it sees before the first error. */
function visitValues(bytes: Uint8Array, visit: Visit, outermost?: (offset: number) => void): void {
  try {
    readDocument(bytes, visit, outermost);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) {
      throw error;
    }
  }
}

function readDocument(bytes: Uint8Array, visit?: Visit, outermost?: (offset: number) => void): void {
  const hasByteOrderMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const cursor: Cursor = { bytes, offset: hasByteOrderMark ? 3 : 0 };
  skipSpace(cursor);
  outermost?.(cursor.offset);
  readValue(cursor, 0, visit);
  skipSpace(cursor);
  if (cursor.offset < bytes.length) {
    throw new JsonSyntaxError(cursor.offset, 'the end');
  }
}

function describe(byte: number | undefined): string {
  if (byte === undefined) {
    return 'the end';
  }
  return byte > 0x20 && byte < 0x7f ? `"${String.fromCharCode(byte)}"` : `0x${byte.toString(16).padStart(2, '0')}`;
}

function peek(cursor: Cursor): string {
  const byte = cursor.bytes[cursor.offset];
  return byte === undefined ? '' : String.fromCharCode(byte);
}

function skipSpace(cursor: Cursor): void {
  while ([' ', '\t', '\n', '\r'].includes(peek(cursor))) {
    cursor.offset++;
  }
}

function expect(cursor: Cursor, text: string, expected: string): void {
  for (const character of text) {
    if (peek(cursor) !== character) {
      throw new JsonSyntaxError(cursor.offset, expected);
    }
    cursor.offset++;
  }
}

function readValue(cursor: Cursor, depth: number, visit?: Visit): void {
  skipSpace(cursor);
  const first = peek(cursor);
  if (depth === MAX_JSON_LEVELS && (first === '{' || first === '[')) {
    throw new JsonSyntaxError(cursor.offset, `at most ${MAX_JSON_LEVELS} levels`);
  }
  if (first === '{') {
    readMembers(cursor, '}', () => readMember(cursor, depth, visit));
  } else if (first === '[') {
    let index = 0;
    readMembers(cursor, ']', () => {
      skipSpace(cursor);
      readValue(cursor, depth + 1, visit?.(String(index), cursor.offset));
      index += 1;
    });
  } else if (first === '"') {
    readString(cursor);
  } else if (first === '-' || (first >= '0' && first <= '9')) {
    readNumber(cursor);
  } else {
    const literal = ['true', 'false', 'null'].find((word) => word.startsWith(first) && first !== '');
    if (literal === undefined) {
      throw new JsonSyntaxError(cursor.offset, depth === 0 ? 'a JSON object' : 'a JSON value');
    }
    expect(cursor, literal, `the word ${literal}`);
  }
}

function readMembers(cursor: Cursor, close: string, readOne: () => void): void {
  cursor.offset++;
  skipSpace(cursor);
  if (peek(cursor) === close) {
    cursor.offset++;
    return;
  }
  for (;;) {
    readOne();
    skipSpace(cursor);
    if (peek(cursor) === close) {
      cursor.offset++;
      return;
    }
    expect(cursor, ',', `"," or "${close}"`);
  }
}

function readMember(cursor: Cursor, depth: number, visit?: Visit): void {
  skipSpace(cursor);
  const start = cursor.offset;
  if (peek(cursor) !== '"') {
    throw new JsonSyntaxError(start, 'a member name in double quotes');
  }
  readString(cursor);
  const end = cursor.offset;
  skipSpace(cursor);
  expect(cursor, ':', '":"');
  skipSpace(cursor);
  const inside = visit?.(String(JSON.parse(new TextDecoder().decode(cursor.bytes.subarray(start, end)))), cursor.offset);
  readValue(cursor, depth + 1, inside);
}

function readString(cursor: Cursor): void {
  cursor.offset++;
  for (;;) {
    const byte = cursor.bytes[cursor.offset];
    if (byte === undefined) {
      throw new JsonSyntaxError(cursor.offset, 'the closing quote of a string');
    }
    if (byte < 0x20) {
      throw new JsonSyntaxError(cursor.offset, 'a control character to be escaped');
    }
    cursor.offset++;
    if (byte === 0x22) {
      return;
    }
    if (byte === 0x5c) {
      readEscape(cursor);
    }
  }
}

function readEscape(cursor: Cursor): void {
  const kind = peek(cursor);
  if (kind === '' || !'"\\/bfnrtu'.includes(kind)) {
    throw new JsonSyntaxError(cursor.offset, 'an escape sequence');
  }
  cursor.offset++;
  for (let digit = 0; kind === 'u' && digit < 4; digit++) {
    if (!/^[0-9a-fA-F]$/.test(peek(cursor))) {
      throw new JsonSyntaxError(cursor.offset, 'four hexadecimal digits after \\u');
    }
    cursor.offset++;
  }
}

function readNumber(cursor: Cursor): void {
  if (peek(cursor) === '-') {
    cursor.offset++;
  }
  if (peek(cursor) === '0') {
    cursor.offset++;
  } else {
    readDigits(cursor);
  }
  if (peek(cursor) === '.') {
    cursor.offset++;
    readDigits(cursor);
  }
  if (['e', 'E'].includes(peek(cursor))) {
    cursor.offset++;
    if (['+', '-'].includes(peek(cursor))) {
      cursor.offset++;
    }
    readDigits(cursor);
  }
}

function readDigits(cursor: Cursor): void {
  if (!/^[0-9]$/.test(peek(cursor))) {
    throw new JsonSyntaxError(cursor.offset, 'a digit');
  }
  while (/^[0-9]$/.test(peek(cursor))) {
    cursor.offset++;
  }
}
