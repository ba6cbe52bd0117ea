import { PasskeyError } from '../../src/errors.js';
import type { Random } from './random.js';

/** Something that reads input from outside, and what must hold of it whatever the input. */
export interface Parser {
  readonly name: string;
  /** An input, good or nearly so. */
  make(random: Random): Uint8Array;
  /** One word for what became of it. Throws what breaks a promise: an error of another kind, or a {@link BrokenProperty}. */
  read(bytes: Uint8Array): string | Promise<string>;
}

/** The input was read, and what came of it is wrong. */
export class BrokenProperty extends Error {
  override readonly name = 'BrokenProperty';
}

export function hold(condition: boolean, property: string): asserts condition {
  if (!condition) throw new BrokenProperty(property);
}

/** Nobody reads a longer message, and a log that repeats its input can be flooded. */
const LONGEST_MESSAGE = 5_000;

/** What a reader may throw: errors of the table with a message of a reasonable length, and never `internal_error`. */
export function refusal(error: unknown): string {
  if (!(error instanceof PasskeyError)) throw error;
  if (error.code === 'internal_error') throw error;
  hold(error.message.length <= LONGEST_MESSAGE, `the message of ${error.code} has ${error.message.length} characters`);
  hold(
    !/(?<!of type )undefined|\[object Object\]|NaN/.test(error.message.replaceAll(/"[^"]*"/g, '')),
    `a value without words in: ${error.message}`,
  );
  return error.code;
}

/** As `refusal`, for decoders of bytes, whose messages name a byte of the input (or its end). */
export function refusalAtByte(error: unknown, { length }: Uint8Array): string {
  const code = refusal(error);
  const at = /at byte (\d+): /.exec((error as PasskeyError).message)?.[1];
  hold(at !== undefined && Number(at) <= length, `expected a place within ${length} bytes: ${(error as PasskeyError).message}`);
  return code;
}

/** Runs a reader; `refused` says what its error may be. */
export function reading(read: () => string, refused: (error: unknown) => string = refusal): string {
  try {
    return read();
  } catch (error) {
    if (error instanceof BrokenProperty) throw error;
    return refused(error);
  }
}

/** Equal in everything that can be written down: members, their order, bytes, big integers, NaN, and -0. */
export function sameValue(a: unknown, b: unknown): boolean {
  return shown(a) === shown(b);
}

function shown(value: unknown): string {
  if (value instanceof Uint8Array) return `h'${Buffer.from(value).toString('hex')}'`;
  if (value instanceof Map) return `{${[...value].map((entry) => entry.map(shown).join(':')).join()}}`;
  if (Array.isArray(value)) return `[${value.map(shown).join()}]`;
  if (typeof value === 'object' && value !== null) {
    return `(${Object.entries(value)
      .map(([name, item]) => `${name}:${shown(item)}`)
      .join()})`;
  }
  return Object.is(value, -0) ? '-0' : typeof value === 'string' ? JSON.stringify(value) : `${typeof value} ${String(value)}`;
}
