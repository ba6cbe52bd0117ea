import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const src = resolve(import.meta.dirname, '../../src');

const LIMIT = 39;

test('few doc comments begin with "What" or "Of"', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(tsx?|css)$/.test(name));
  const found = files.flatMap((name) =>
    [...readFileSync(join(src, name), 'utf8').matchAll(/\/\*\*[\s*]*(?:What|Of)\b[^\n]*/g)].map(([comment]) => `${name}: ${comment}`),
  );
  expect(found.length, found.slice(0, 20).join('\n')).toBeLessThanOrEqual(LIMIT);
});
