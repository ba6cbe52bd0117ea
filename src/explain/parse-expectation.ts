/** What a text stands for, where it is not the text. Items of a list are separated by commas. */
export type Reading = 'number' | 'boolean' | 'list';

/** The value that the text of an expectation stands for. A text that stands for none stays, and is refused where expectations are read. */
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
