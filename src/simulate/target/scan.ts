import { PasskeyError } from '../../errors.js';

/** This module splits the small languages that profiles use (paths, expressions, sources) into their parts. */

/** Makes the error for a mistake in a profile. The compiler of profiles adds the position later. */
export function mistake(expected: string, received: string): PasskeyError {
  return new PasskeyError('configuration_invalid', `Expected ${expected}; got ${received}.`);
}

/** Finds the end of the quoted part that begins at `from`: the index of its closing quote or slash. */
function endOfQuoted(text: string, from: number): number {
  const quote = text.charAt(from);
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === quote) return at;
  }
  throw mistake(`a closing ${quote}`, text.slice(from));
}

/**
 * Finds the index in `text` of the first occurrence of any character from `ends`, ignoring occurrences inside quotes, brackets or the
 * regular expression that follows `match`.
 *
 * @returns the length of `text` if there is no such occurrence.
 */
export function findOutside(text: string, ends: string, from = 0): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"' || (character === '/' && /\bmatch\s+$/.test(text.slice(from, at)))) at = endOfQuoted(text, at);
    else if (character === '[') depth += 1;
    else if (character === ']') depth -= 1;
    else if (depth <= 0 && ends.includes(character)) return at;
  }
  return text.length;
}

/** Splits a string at separators outside quotes and brackets, and trims the parts. */
export function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let end = findOutside(text, separator); end < text.length; end = findOutside(text, separator, start)) {
    parts.push(text.slice(start, end).trim());
    start = end + 1;
  }
  return [...parts, text.slice(start).trim()];
}

/** Parses a word in quotes, with JSON's escapes, and returns its content. Undefined for a word without quotes. */
export function unquoted(word: string): string | undefined {
  if (!word.startsWith('"')) return undefined;
  try {
    const value: unknown = JSON.parse(word);
    if (typeof value === 'string') return value;
  } catch {
    // Said below.
  }
  throw mistake('one quoted string, with the escapes of JSON', word);
}
