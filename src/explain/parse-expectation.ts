/** Type of the value that a text is read as; none: the text itself. Items of a list are separated by commas. */
export type Reading = 'number' | 'boolean' | 'list';

/** Reads the text of an expectation. An unreadable one stays a text, and is refused when expectations are checked. */
export function parseExpectation(reads: Reading | undefined, text: string): unknown {
  switch (reads) {
    case 'number':
      return /^-?\d{1,16}$/.test(text.trim()) ? Number(text) : text;
    case 'boolean':
      return text === 'true' || (text === 'false' ? false : text);
    case 'list':
      return text.split(',').map((item) => item.trim());
    default:
      return text;
  }
}
