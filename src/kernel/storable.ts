// What every store can keep. What comes over the API, from the command line and from an export of another store is held against it.

/** Whether every store can keep a text. Databases refuse U+0000 and unpaired surrogates. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && !/\p{Cs}/u.test(text);
}

/** Whether every store can keep all strings in a JSON value, including names of members. Check the nesting first with `isWithinDepth`. */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return isStorableText(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, inner]) => isStorableText(name) && isStorable(inner));
}

/** Completes "The text …". */
export const STORABLE_TEXT = 'must have neither U+0000 nor a half of a surrogate pair';
