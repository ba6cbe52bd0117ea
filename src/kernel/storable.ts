// What every store can keep. What comes over the API, from the command line and from an export of another store is held against it.

/** Checks whether every store can keep a string. Databases refuse U+0000 and unpaired surrogates. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && !/\p{Cs}/u.test(text);
}

/**
 * Checks whether every store can keep all strings in a JSON value, including the names of members. Check the nesting first with
 * `isWithinDepth`.
 */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return isStorableText(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, inner]) => isStorableText(name) && isStorable(inner));
}

/** The end of an error message that begins with "The text …". */
export const STORABLE_TEXT = 'must have neither U+0000 nor a half of a surrogate pair';
