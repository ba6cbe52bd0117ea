import { describe, expect } from 'vitest';
import { findErrorTexts } from '../../../src/explain/error-texts/find.js';
import { MEANINGS } from '../../../src/explain/error-texts/meanings.js';
import { nameMeaning } from '../../../src/explain/error-texts/row.js';
import { ERROR_TEXTS } from '../../../src/explain/error-texts/table.js';
import { explain } from '../../../src/explain/library.js';
import { quick, thorough } from '../../thorough.js';
import { WRAPPINGS } from './wrappings.js';

const rows = ERROR_TEXTS.map((row): [string, (typeof ERROR_TEXTS)[number]] => [`${row.from}: ${row.text}`, row]);

describe('the table of errors', () => {
  quick.each(rows)('reads its own text: %s', (_, row) => {
    expect(findErrorTexts(row.text).map((one) => `${one.row.from}: ${nameMeaning(one.row)}`)).toEqual([`${row.from}: ${nameMeaning(row)}`]);
  });

  quick('no pattern catches the text of a row with another meaning', () => {
    const caught = ERROR_TEXTS.flatMap((row) =>
      ERROR_TEXTS.filter((other) => row.kind === 'text' && nameMeaning(other) !== nameMeaning(row) && row.pattern.test(other.text)).map(
        (other) => `${row.from} (${nameMeaning(row)}) catches ${other.from}: ${other.text}`,
      ),
    );
    expect(caught).toEqual([]);
  });

  quick('every meaning has a text', () => {
    const used = new Set(ERROR_TEXTS.map(({ about }) => about));
    expect(Object.keys(MEANINGS).filter((name) => !used.has(name as keyof typeof MEANINGS))).toEqual([]);
  });

  const wrappings = Object.entries(WRAPPINGS);

  /** The texts that are misread in the wrapping that is chosen for the row at each index. */
  async function findMisread(choose: (index: number) => (text: string) => string): Promise<readonly string[]> {
    const misread: string[] = [];
    for (const [index, row] of ERROR_TEXTS.entries()) {
      const wrapped = choose(index)(row.text);
      const found = findErrorTexts(wrapped).map((one) => nameMeaning(one.row));
      const read = await explain(wrapped).then(({ input, known_errors }) => `${input?.kind} ${known_errors.length}`, String);
      if (found.join() !== nameMeaning(row) || read !== 'error-text 1') misread.push(`${row.from}: ${row.text}: ${found.join()}: ${read}`);
    }
    return misread;
  }

  quick('every text is read in one of the wrappings, and every wrapping has texts', async () => {
    expect(ERROR_TEXTS.length).toBeGreaterThan(wrappings.length);
    expect(await findMisread((index) => wrappings[index % wrappings.length]?.[1] ?? String)).toEqual([]);
  });

  thorough.each(wrappings)('every text is read in %s', async (_, wrap) => expect(await findMisread(() => wrap)).toEqual([]));
});
