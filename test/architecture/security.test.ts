import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'SECURITY.md'), 'utf8');

/** `test/….ts`: "a title", "another": what the page says holds a promise. */
const named = [...page.matchAll(/`(test\/[^`]+)`((?:[:,] "[^"]+")*)/g)].map(([, path = '', titles = '']) => ({
  path,
  titles: [...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => title),
}));

/** Cells of the table under a heading, without its two first lines. */
function rowsUnder(heading: string): string[][] {
  const [, section = ''] = page.split(`## ${heading}\n`);
  const lines = section.split('\n## ')[0]?.split('\n') ?? [];
  const table = lines.filter((line) => line.startsWith('|')).slice(2);
  return table.map((line) => line.split('|').slice(1, -1));
}

test('SECURITY.md names tests, each of which exists under its title', () => {
  expect(named.length).toBeGreaterThan(15);
  const missing = named.flatMap(({ path, titles }) => {
    if (titles.length === 0) return [`${path}: no title is named`];
    if (!existsSync(join(root, path))) return [`${path}: no such file`];
    const source = readFileSync(join(root, path), 'utf8');
    return titles.filter((title) => !source.includes(`'${title}'`)).map((title) => `${path}: ${title}`);
  });
  expect(missing).toEqual([]);
});

test('every promise of SECURITY.md is held by a test', () => {
  const rows = rowsUnder('What is promised');
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.filter(([, heldBy = '']) => !/`test\/[^`]+`: "/.test(heldBy))).toEqual([]);
});

test('SECURITY.md travels with the package', () => {
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(files).toContain('SECURITY.md');
});
