/** Characters that are invisible or that reverse the text around them (UAX #9), except those that join letters and emoji. */
const UNSEEN = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/**
 * Replaces invisible characters in a string from outside by their code points, such as `[U+202E]`. `before` and `after` replace the
 * brackets around the number.
 */
export function shownText(text: string, before = '[U+', after = ']'): string {
  return text.replace(UNSEEN, (character) =>
    /[\t\n\r]/.test(character)
      ? character
      : `${before}${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}${after}`,
  );
}

/** Maximum length of a name in a sentence, in characters. */
const LONGEST_NAME = 60;

/** Formats a name for a sentence: in quotes, and shortened if long. The page shows the full name elsewhere. */
export function quoted(name: string): string {
  return `“${cut(name)}”`;
}

/** Tests whether every word of a search occurs in the text, ignoring case. */
export function matchesWords(wanted: string, text: string): boolean {
  const lower = text.toLowerCase();
  return wanted
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}

export function cut(name: string, longest = LONGEST_NAME): string {
  return name.length > longest ? `${name.slice(0, longest)}…` : name;
}
