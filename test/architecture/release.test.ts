import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .map((file) => `test/${file.replaceAll('\\', '/')}`)
  .filter((file) => file.endsWith('.test.ts'));

test('the release suite has every file with a test that npm test leaves out, and names no other', () => {
  const [, withMore = ''] = /WITH_MORE = \[([^\]]*)\]/.exec(read('vitest.release.config.ts')) ?? [];
  const named = [...withMore.matchAll(/'([^']+)'/g)].map(([, file = '']) => file);
  expect(named.toSorted()).toEqual(files.filter((file) => /^import \{ thorough \}/m.test(read(file))).toSorted());
  expect(named.length).toBeGreaterThan(5);
});

test('npm test leaves out what the release suite is named for, and nothing else', () => {
  const [, left = ''] = /LONG = \['([^']+)'\]/.exec(read('vitest.config.ts')) ?? [];
  expect(left).toBe('test/**/*.release.test.ts');
  expect(files.filter((file) => file.endsWith('.release.test.ts')).length).toBeGreaterThan(5);
});
