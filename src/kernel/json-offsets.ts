import { MAX_JSON_LEVELS } from './json-value.js';

/**
 * Finds byte offsets in JSON. Several messages of `JSON.parse` give no position, and none gives a byte offset. This reader runs only after
 * `JSON.parse` or a type check has failed, to show a developer where the error is.
 */

/** A syntax error. `received` is the wrong character, `the end`, or a wrong byte in hexadecimal. */
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
  /** The input as a string that has one character for each byte. */
  readonly text: string;
  offset: number;
}

/** Finds the first byte at which `bytes` is not valid JSON (RFC 8259). Ignores a byte order mark. Returns undefined for valid JSON. */
export function findJsonError(bytes: Uint8Array): JsonError | undefined {
  try {
    readDocument(bytes);
    return undefined;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) {
      throw error;
    }
    return { offset: error.offset, expected: error.expected, received: showByte(bytes[error.offset]) };
  }
}

/**
 * Finds the byte offset of each member's value in a JSON object. If a name is repeated, finds the last value, which `JSON.parse` also uses.
 */
export function memberOffsets(bytes: Uint8Array): ReadonlyMap<string, number> {
  const offsets = new Map<string, number>();
  visitValues(bytes, (name, offset) => {
    offsets.set(name, offset);
    return undefined;
  });
  return offsets;
}

/**
 * Finds the byte offset of the value at `path`, a list of member names and indexes. If that value does not exist, finds the innermost
 * existing value around it. Returns undefined if the input holds no value.
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

/**
 * A visitor of the values in an object or array. It is called for each value with the value's name or index, and returns the visitor for
 * the values inside that value.
 */
type Visit = (name: string, offset: number) => Visit | undefined;

/** Visits the values in the input, up to the first syntax error. */
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
  const cursor: Cursor = { bytes, text: new TextDecoder('latin1').decode(bytes), offset: hasByteOrderMark ? 3 : 0 };
  skipSpace(cursor);
  outermost?.(cursor.offset);
  readValue(cursor, 0, visit);
  skipSpace(cursor);
  if (cursor.offset < bytes.length) {
    throw new JsonSyntaxError(cursor.offset, 'the end');
  }
}

function showByte(byte: number | undefined): string {
  if (byte === undefined) {
    return 'the end';
  }
  return byte > 0x20 && byte < 0x7f ? `"${String.fromCharCode(byte)}"` : `0x${byte.toString(16).padStart(2, '0')}`;
}

function peek({ text, offset }: Cursor): string {
  return text.charAt(offset);
}

/** Moves the cursor past the match of a sticky pattern. The match may be empty. */
function pass(cursor: Cursor, pattern: RegExp): void {
  pattern.lastIndex = cursor.offset;
  cursor.offset += pattern.exec(cursor.text)?.[0].length ?? 0;
}

function skipSpace(cursor: Cursor): void {
  pass(cursor, /[ \t\n\r]*/y);
}

function expect(cursor: Cursor, text: string, expected: string): void {
  for (const character of text) {
    if (peek(cursor) !== character) throw new JsonSyntaxError(cursor.offset, expected);
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
    // All but a quote, a backslash and controls.
    pass(cursor, /[ !#-[\]-\uffff]*/y);
    const next = peek(cursor);
    cursor.offset++;
    if (next === '"') return;
    if (next === '\\') readEscape(cursor);
    else throw new JsonSyntaxError(cursor.offset - 1, next === '' ? 'the closing quote of a string' : 'a control character to be escaped');
  }
}

function readEscape(cursor: Cursor): void {
  const kind = peek(cursor);
  if (!/["\\/bfnrtu]/.test(kind)) throw new JsonSyntaxError(cursor.offset, 'an escape sequence');
  cursor.offset++;
  if (kind !== 'u') return;
  const end = cursor.offset + 4;
  pass(cursor, /[0-9a-fA-F]{0,4}/y);
  if (cursor.offset < end) throw new JsonSyntaxError(cursor.offset, 'four hexadecimal digits after \\u');
}

/** Moves the cursor past as much of a number as is valid. Each part of the number must end in a digit. */
function readNumber(cursor: Cursor): void {
  for (const part of [/-?(?:0|[1-9]\d*)?/y, /(?:\.\d*)?/y, /(?:[eE][+-]?\d*)?/y]) {
    pass(cursor, part);
    if (!/\d/.test(cursor.text.charAt(cursor.offset - 1))) throw new JsonSyntaxError(cursor.offset, 'a digit');
  }
}
