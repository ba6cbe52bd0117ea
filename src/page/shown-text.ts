/** Characters that are invisible or that reverse the text around them (UAX #9), except those that join letters and emoji. */
const UNSEEN = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** A text from others, with names in place of its invisible characters: `[U+202E]`, or with another text before and after the number. */
export function shownText(text: string, before = '[U+', after = ']'): string {
  return text.replace(UNSEEN, (character) =>
    /[\t\n\r]/.test(character)
      ? character
      : `${before}${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}${after}`,
  );
}

/** Characters of a name in a sentence. */
const LONGEST_NAME = 60;

/** The name of a thing in a sentence: in quotes, and cut if long, since it is shown in full elsewhere. */
export function quoted(name: string): string {
  return `“${cut(name)}”`;
}

/** Whether every word of a search occurs in the text, in any case. */
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
