/** Type to which an expectation's text is converted; undefined keeps the text. Commas separate the items of a list. */
export type Reading = 'number' | 'boolean' | 'list';

/** Converts the text of an expectation. Text of another form is returned as is; the check of the expectations refuses it later. */
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
