import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

/** Files that run the catalogue against it. */
const PROOF = /^(?:catalogue|check|settings|table|told)\.ts$/;

/** The relying party itself. */
const FILES = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !PROOF.test(path));

const importsOf = (file: string): string[] =>
  [...readFileSync(join(import.meta.dirname, file), 'utf8').matchAll(/(?:\bfrom|\bimport\(?)\s*'([^']+)'/g)].map(([, to = '']) => to);

describe('the independent relying party', () => {
  test('imports nothing but Node and itself', () => {
    expect(FILES.length).toBeGreaterThan(25);
    const foreign = FILES.flatMap((file) =>
      importsOf(file)
        .filter((to) => !to.startsWith('node:'))
        .filter((to) => join(file, '..', to).replaceAll('\\', '/').startsWith('..') || !to.startsWith('.'))
        .map((to) => `${file} imports ${to}`),
    );
    expect(foreign).toEqual([]);
  });
});
