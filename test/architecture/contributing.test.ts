import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');
const text = read('CONTRIBUTING.md');

test.each(['CONTRIBUTING.md', 'ARCHITECTURE.md'])('every path that %s names exists', (page) => {
  const text = read(page);
  const paths = [...text.matchAll(/(?<![\w/.-])(?:src|test|bench|bin|fixtures|\.ci)(?:\/[\w.-]+)*(?=[`\s)])/g)].map(([path]) => path);
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('every script that CONTRIBUTING.md names exists', () => {
  const { scripts }: { scripts: Readonly<Record<string, string>> } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const named = [...text.matchAll(/npm (?:run ([\w:]+)|test)/g)].map(([, name = 'test']) => name);
  expect(named).toContain('lint');
  expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
});

test('every part is described', () => {
  for (const { name } of readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    expect(read('ARCHITECTURE.md')).toContain(`| \`src/${name}\` |`);
  }
});
