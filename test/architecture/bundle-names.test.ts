import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

// The bundle does not restore names that the bundler changes where two are alike: doing so for every closure takes a tenth of the time of
// a run. So whatever a dependency compares with the name of a class must still be that of a class.

const dist = join(import.meta.dirname, '../../dist');
const texts = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.js'))
  .map((file) => readFileSync(join(dist, file), 'utf8'));

/** Classes of Node and of the language. */
const BUILT_IN = ['AsyncFunction', 'Object', 'Uint8Array'];

test('every class whose name the bundle asks for has it', () => {
  const compared = texts.flatMap((text) => [...text.matchAll(/constructor\.name\s*===?\s*["`](\w+)["`]/g)].map(([, name = '']) => name));
  expect(compared).toContain('Sequence');
  const own = [...new Set(compared)].filter((name) => !BUILT_IN.includes(name));
  expect(own.filter((name) => !texts.some((text) => new RegExp(`class ${name}\\b|\\b${name}=class\\b`).test(text)))).toEqual([]);
});
