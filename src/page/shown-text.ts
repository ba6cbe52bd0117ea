/** Characters that cannot be seen, or that turn round what stands beside them (UAX #9); but not those that join letters and emoji. */
const UNSEEN = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** A text that others have chosen, with names in place of its invisible characters: `[U+202E]`, or what stands before and after the number. */
export function shownText(text: string, before = '[U+', after = ']'): string {
  return text.replace(UNSEEN, (character) =>
    /[\t\n\r]/.test(character)
      ? character
      : `${before}${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}${after}`,
  );
}
