import { PasskeyError } from '../../errors.js';

/** This module splits the small languages of a profile (paths, expressions, sources) into their parts. */

/** Makes the error for a mistake in a profile. The profile's compiler adds the position. */
export function mistake(expected: string, received: string): PasskeyError {
  return new PasskeyError('configuration_invalid', `Expected ${expected}; got ${received}.`);
}

/** Finds the index of the closing quote or slash of the quoted part that begins at `from`. */
function endOfQuoted(text: string, from: number): number {
  const quote = text.charAt(from);
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === quote) return at;
  }
  throw mistake(`a closing ${quote}`, text.slice(from));
}

/**
 * Finds the index of the first character in `ends` that is outside quotes, brackets and the regular expression of `match`.
 *
 * @returns the length of the text when there is none.
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

/** Returns the content of a quoted word; undefined for a word without quotes. Escapes are those of JSON. */
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
