// What every store can keep. What comes over the API, from the command line and from an export of another store is held against it.

/** Whether a text can be kept in every store: it has no U+0000 and no half of a surrogate pair, which databases refuse. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && !/\p{Cs}/u.test(text);
}

/** Whether all texts in a JSON value are storable, names of members too. It must not be nested too deep: see `isWithinDepth`. */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return isStorableText(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, inner]) => isStorableText(name) && isStorable(inner));
}

/** Completes "The text …". */
export const STORABLE_TEXT = 'must have neither U+0000 nor a half of a surrogate pair';
