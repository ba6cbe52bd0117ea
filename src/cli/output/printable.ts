/**
 * Characters that a terminal would act on, or not show at all: controls, format characters (bidirectional ones among them, "Trojan Source",
 * https://trojansource.codes), everything that is invisible by default (soft hyphens, joiners, variation selectors, tags, Hangul
 * fillers; Unicode 5.21, Default_Ignorable_Code_Point), the blank of Braille, every separator but the space, and halves of surrogate
 * pairs. Joiners are no exception, though emoji and several scripts use them: two names must not look the same.
 */
const UNPRINTABLE = /(?! )[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu;

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return NAMED[character] ?? `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x1_0000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`;
}

/** Stored data as one line that a terminal can only show. */
export function printable(text: string): string {
  // Nearly every text; the other pattern takes long to compile.
  return /^[ -~]*$/.test(text) ? text : text.replace(UNPRINTABLE, escaped);
}

/** Like {@link printable}, for our own messages: line breaks stay. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** A document with every text in it made {@link printable}, for a renderer that adds its own colours. */
export function printableValues<T>(document: T): T {
  return JSON.parse(JSON.stringify(document), (_, value: unknown) => (typeof value === 'string' ? printable(value) : value));
}

const utf16Escape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** JSON text without a raw character that {@link printable} escapes; the same value when parsed. */
export function toJson(value: unknown, indent?: number): string {
  return printableJson(JSON.stringify(value, null, indent));
}

/** The same of JSON that is text already: its writer escapes U+0000 to U+001F and halves of surrogate pairs only. Line feeds stay. */
export function printableJson(text: string): string {
  return text.replace(UNPRINTABLE, (character) => (character === '\n' ? character : character.split('').map(utf16Escape).join('')));
}

/** The text of {@link toJson} for an array, indented by two and with a line feed behind it, a row at a time. */
export async function* toJsonArray(rows: Iterable<unknown> | AsyncIterable<unknown>): AsyncGenerator<string> {
  let isFirst = true;
  for await (const row of rows) {
    yield `${isFirst ? '[' : ','}\n  ${toJson(row, 2).replaceAll('\n', '\n  ')}`;
    isFirst = false;
  }
  yield isFirst ? '[]\n' : '\n]\n';
}
