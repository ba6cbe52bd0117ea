import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(resolve(import.meta.dirname, '../..', path), 'utf8');

// A test of the reference runs the example.
test('docs/library.md shows how the example of the reference puts a server together', () => {
  const [, assembly = ''] = /(const now = Date\.now;[\s\S]*?)const url/.exec(read('build/reference/examples/server.mjs')) ?? [];
  expect(assembly).not.toBe('');
  expect(read('docs/library.md')).toContain(assembly);
});
