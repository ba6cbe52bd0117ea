import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LEFT_OUT } from '../../src/relying-party/differences.js';

const folder = join(import.meta.dirname, '../../src/relying-party');
const page = readFileSync(join(folder, 'DIFFERENCES.md'), 'utf8');

test('the documentation names every step that the library leaves out, with the reason that explain gives', () => {
  for (const [slug, reason] of Object.entries(LEFT_OUT)) expect(page).toContain(`| \`${slug}\` | ${reason} |`);
});

test('it gives no reason that explain does not give', () => {
  const source = readFileSync(join(folder, 'differences.ts'), 'utf8');
  const reasons = [...page.matchAll(/^\| (?!`algorithm`)[^|]+ \| (The library [^|]+) \|$/gm)].map(([, reason = '']) => reason);
  expect(reasons.length).toBeGreaterThan(15);
  expect(reasons.filter((reason) => !source.includes(reason))).toEqual([]);
});
