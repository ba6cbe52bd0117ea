/** Type to which the text of an expectation is converted. In a `list`, commas separate the items. */
export type Reading = 'number' | 'boolean' | 'list';

/**
 * Converts the text of an expectation to its type. Text that does not fit the type is returned unchanged, and refused later when the
 * expectations are checked.
 */
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
