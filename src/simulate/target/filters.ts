import { decodeHTML } from 'entities';
import { PasskeyError } from '../../errors.js';
import { parseUntrustedJson } from '../../kernel/json-value.js';
import { didYouMean } from '../../kernel/nearest.js';
import { decodeBase64, encodeBase64, encodeBase64url } from '../../webauthn/base64url.js';
import { parsePath, toText, valueAt } from './path.js';
import { mistake, unquoted } from './scan.js';
import { outOfTime, WORK_WITHIN_MS, withinTime } from './within-time.js';

/** A function of an expression that converts a value. Returns undefined for a value that it cannot convert. */
export interface Filter {
  apply(value: unknown): unknown;
  /** Whether the filter also runs if there is no value. Other filters are skipped in that case. */
  readonly takesAbsent: boolean;
}

type Plain = (value: unknown) => unknown;

/** Makes a filter that converts strings. Numbers and booleans are written as strings first. */
const ofText =
  (make: (text: string) => unknown): Plain =>
  (value) => {
    const text = toText(value);
    return text === undefined ? undefined : make(text);
  };

const ofBytes = (make: (bytes: Uint8Array) => unknown): Plain =>
  ofText((text) => {
    const decoded = decodeBase64(text.trim());
    return decoded && make(decoded.bytes);
  });

const readNumber: (value: unknown) => number | undefined = (value) => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
};

const BOOLEANS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [true, true],
  ['true', true],
  [1, true],
  ['1', true],
  [false, false],
  ['false', false],
  [0, false],
  ['0', false],
  ['', false],
]);

/** Decodes percent escapes; undefined if an escape is invalid. */
export function decodeUrl(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Filters that take no argument. */
const PLAIN: Readonly<Record<string, Plain>> = {
  json: (value) => (typeof value === 'string' ? parseUntrustedJson(value) : value),
  string: (value) => JSON.stringify(value),
  base64url: ofBytes(encodeBase64url),
  base64: ofBytes(encodeBase64),
  padded: ofBytes((bytes) => encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_')),
  bytes: ofText((text) => encodeBase64url(new TextEncoder().encode(text))),
  binary: ofBytes((bytes) => bytes),
  text: ofBytes((bytes) => new TextDecoder().decode(bytes)),
  number: readNumber,
  boolean: (value) => BOOLEANS.get(value),
  seconds: (value) => {
    const seconds = readNumber(value);
    return seconds === undefined ? undefined : seconds * 1000;
  },
  decode: ofText(decodeUrl),
  // As URLs of browsers have them, halves of surrogate pairs become U+FFFD.
  encode: ofText((text) => encodeURIComponent(Buffer.from(text).toString())),
  html: ofText(decodeHTML),
  lower: ofText((text) => text.toLowerCase()),
  trim: ofText((text) => text.trim()),
  first: (value): unknown => (Array.isArray(value) ? value[0] : undefined),
};

/** Filters that take an argument. */
const WITH_ARGUMENT: Readonly<Record<string, (argument: string) => Filter>> = {
  at: (argument) => {
    const path = parsePath(argument);
    return passing((value) => valueAt(value, path));
  },
  split: (argument) => {
    const separator = readWord(argument);
    return passing(ofText((text) => (text === '' ? [] : text.split(separator))));
  },
  join: (argument) => {
    const separator = readWord(argument);
    return passing((value) => (Array.isArray(value) ? value.map((element) => toText(element) ?? '').join(separator) : undefined));
  },
  match: (argument) => passing(ofText(matching(argument))),
  each: (argument) => {
    const filter = parseFilter(argument);
    return passing((value) => (Array.isArray(value) ? value.map((element) => filter.apply(element)) : undefined));
  },
  default: (argument) => {
    const value = readLiteral(argument);
    return { takesAbsent: true, apply: (found) => found ?? value };
  },
  is: (argument) => {
    const word = readWord(argument);
    return { takesAbsent: true, apply: (value) => toText(value) === word };
  },
};

/** Names of all filters, those without an argument first. */
const FILTER_NAMES: readonly string[] = [...Object.keys(PLAIN), ...Object.keys(WITH_ARGUMENT)];

const passing = (apply: Plain): Filter => ({ apply, takesAbsent: false });

/**
 * Compiles a filter and its argument, such as `split ","`.
 *
 * @throws PasskeyError `configuration_invalid`
 */
export function parseFilter(text: string): Filter {
  const [, name = '', argument = ''] = /^(\S*)\s*(.*)$/s.exec(text) ?? [];
  const withArgument = Object.hasOwn(WITH_ARGUMENT, name) ? WITH_ARGUMENT[name] : undefined;
  if (withArgument !== undefined) {
    if (argument === '') throw mistake(`an argument after the filter ${name}`, 'none');
    return withArgument(argument);
  }
  const plain = Object.hasOwn(PLAIN, name) ? PLAIN[name] : undefined;
  if (plain === undefined) throw mistake(`a filter (${FILTER_NAMES.join(', ')})`, `"${name}"${didYouMean(name, FILTER_NAMES)}`);
  if (argument !== '') throw mistake(`no argument after the filter ${name}`, argument);
  return passing(plain);
}

const readWord = (argument: string): string => unquoted(argument) ?? argument;

/** Reads the argument of a filter. Unquoted numbers, booleans and null keep their JSON type; a quoted word is a string. */
function readLiteral(argument: string): unknown {
  if (/^(?:-?\d+(?:\.\d+)?|true|false|null)$/.test(argument)) return JSON.parse(argument);
  return readWord(argument);
}

/** Maximum number of characters in which the filter `match` searches; the rest of the string is ignored. */
const MAX_MATCHED_LENGTH = 1024 * 1024;

/**
 * Compiles `/pattern/` or `/pattern/i` into a function that searches a string. The function returns the first group of the match, or the
 * whole match if the pattern has no group.
 */
function matching(argument: string): (text: string) => unknown {
  const [, pattern, flags = ''] = /^\/(.*)\/([ims]*)$/s.exec(argument) ?? [];
  if (pattern === undefined) throw mistake('a pattern such as /id=(\\d+)/ after the filter match', argument);
  const expression = compiled(pattern, flags, argument);
  return (text) => {
    const found = withinTime(() => expression.exec(text.slice(0, MAX_MATCHED_LENGTH)));
    // A pattern that backtracks for so long never ends.
    if (found !== outOfTime) return found === null ? undefined : (found[1] ?? found[0]);
    const advice = 'Write it so that it has fewer ways to match the same text.';
    const message = `Expected the pattern ${argument} to finish within ${WORK_WITHIN_MS / 1000} s; it did not. ${advice}`;
    throw new PasskeyError('configuration_invalid', message);
  };
}

function compiled(pattern: string, flags: string, argument: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch (cause) {
    throw mistake('a regular expression', `${argument} (${cause instanceof Error ? cause.message : String(cause)})`);
  }
}
