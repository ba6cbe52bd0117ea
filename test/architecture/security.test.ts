import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const promises = readFileSync(join(root, 'docs/maintain/promises.md'), 'utf8');
const page = `${promises}${readFileSync(join(root, 'docs/security.md'), 'utf8')}`;

/** `test/….ts`: "a title", "another": what the page says holds a promise. */
const named = [...page.matchAll(/`(test\/[^`]+)`((?:[:,] "[^"]+")*)/g)].map(([, path = '', titles = '']) => ({
  path,
  titles: [...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => title),
}));

test('the security model names tests, each of which exists under its title', () => {
  expect(named.length).toBeGreaterThan(15);
  const missing = named.flatMap(({ path, titles }) => {
    if (titles.length === 0) return [`${path}: no title is named`];
    if (!existsSync(join(root, path))) return [`${path}: no such file`];
    const source = readFileSync(join(root, path), 'utf8');
    return titles.filter((title) => !source.includes(`'${title}'`)).map((title) => `${path}: ${title}`);
  });
  expect(missing).toEqual([]);
});

test('every promise is held by a test', () => {
  const rows = promises
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2);
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.filter((row) => !/\| `test\/[^`]+`: "/.test(row))).toEqual([]);
});
