/**
 * Matches characters that a terminal interprets or does not show: controls; format characters, including bidirectional ones ("Trojan
 * Source", https://trojansource.codes); characters that are invisible by default, such as soft hyphens, joiners, variation selectors, tags
 * and Hangul fillers (Unicode 5.21, Default_Ignorable_Code_Point); the Braille blank; every separator except the space; and unpaired
 * surrogates. Emoji and several scripts use joiners. Joiners are still included, since two different names must not look the same.
 */
const UNPRINTABLE = /(?! )[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu;

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return NAMED[character] ?? `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x1_0000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`;
}

/** Makes stored data safe for a terminal. The result is one line, in which special characters are escaped. */
export function printable(text: string): string {
  // Nearly every text; the other pattern takes long to compile.
  return /^[ -~]*$/.test(text) ? text : text.replace(UNPRINTABLE, escaped);
}

/** Makes one of our own messages safe for a terminal. Unlike {@link printable}, this function keeps line breaks. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** Copies a document and makes every string in it {@link printable}. It is for a renderer that adds colours later. */
export function printableValues<T>(document: T): T {
  return JSON.parse(JSON.stringify(document), (_, value: unknown) => (typeof value === 'string' ? printable(value) : value));
}

const utf16Escape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Writes JSON in which all characters that {@link printable} escapes are escaped. A reader parses it to the same value. */
export function toJson(value: unknown, indent?: number): string {
  return printableJson(JSON.stringify(value, null, indent));
}

/**
 * Escapes special characters in finished JSON. The writer of JSON itself escapes only U+0000 to U+001F and unpaired surrogates. Keeps line
 * feeds.
 */
export function printableJson(text: string): string {
  return text.replace(UNPRINTABLE, (character) => (character === '\n' ? character : character.split('').map(utf16Escape).join('')));
}

/** Writes a JSON array row by row, escaped like {@link toJson}. The array is indented by two spaces and ends in a line feed. */
export async function* toJsonArray(rows: Iterable<unknown> | AsyncIterable<unknown>): AsyncGenerator<string> {
  let isFirst = true;
  for await (const row of rows) {
    yield `${isFirst ? '[' : ','}\n  ${toJson(row, 2).replaceAll('\n', '\n  ')}`;
    isFirst = false;
  }
  yield isFirst ? '[]\n' : '\n]\n';
}
