/**
 * What a terminal would act on instead of showing: C0 and C1 controls, DEL, line and paragraph separators, the
 * bidirectional controls ("Trojan Source", https://trojansource.codes), and characters without any width. Joiners stay:
 * emoji and several scripts need them.
 */
const UNPRINTABLE = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\u200b\u2060\ufeff]/gu;

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(character: string): string {
  const code = character.charCodeAt(0);
  return NAMED[character] ?? (code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`);
}

/** Stored data as one line that a terminal can only show. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, escaped);
}

/** As {@link printable}, for our own messages: line breaks stay. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** A document with every text in it made {@link printable}, for a renderer that adds colours of its own. */
export function printableValues<T>(document: T): T {
  return JSON.parse(JSON.stringify(document), (_, value: unknown) => (typeof value === 'string' ? printable(value) : value));
}

/**
 * JSON text without a raw control character; the same value when parsed. `JSON.stringify` escapes U+0000 to U+001F
 * only: C1 controls, DEL and direction marks would reach the terminal.
 */
export function toJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(UNPRINTABLE, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
