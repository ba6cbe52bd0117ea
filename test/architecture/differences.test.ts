import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DIFFERENCES } from '../../src/relying-party/differences.js';
import { AUTHENTICATION_TITLES, REGISTRATION_TITLES } from '../../src/relying-party/steps/procedure.js';

const page = readFileSync(join(import.meta.dirname, '../../src/relying-party/DIFFERENCES.md'), 'utf8');

/** The rows of the table under a heading of the page. */
function rowsUnder(heading: string): string[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [text = ''] = section.split('\n## ');
  return text.split('\n').filter((line) => /^\| (?!Step |Where |---)/.test(line));
}

const rowsOf = (direction: (typeof DIFFERENCES)[number]['direction'], show: (where: string) => string) =>
  DIFFERENCES.filter((row) => row.direction === direction).map(({ where, why }) => `| ${show(where)} | ${why} |`);

test('the page is the table: what the library accepts and a step refuses', () => {
  expect(rowsUnder('Accepted by the library, refused by a step')).toEqual(rowsOf('library-accepts', (slug) => `\`${slug}\``));
});

test('the page is the table: what the library refuses and the standard allows', () => {
  expect(rowsUnder('Refused by the library, allowed by the standard')).toEqual(rowsOf('library-refuses', (where) => where));
});

test('each row of what the library accepts names a step', () => {
  const slugs = [...Object.keys(REGISTRATION_TITLES), ...Object.keys(AUTHENTICATION_TITLES)];
  const named = DIFFERENCES.filter(({ direction }) => direction === 'library-accepts').map(({ where }) => where);
  expect(named.filter((slug) => !slugs.includes(slug))).toEqual([]);
});
