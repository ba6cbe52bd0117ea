import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .map((file) => `test/${file.replaceAll('\\', '/')}`)
  .filter((file) => file.endsWith('.test.ts') && !file.includes('/node_modules/'));

/** Imports what divides a file between the suites. */
const DIVIDES = /^import \{[^}]*\b(?:quick|share|thorough)\b[^}]*\} from '[./]*thorough\.js';$/m;

test('no test counts in both suites: where a file leaves tests to the other, each is one of the two, or takes its share of a table', () => {
  const both = files.filter((file) => {
    const text = read(file);
    const [, vitest = ''] = /^import \{([^}]*)\} from 'vitest';/m.exec(text) ?? [];
    const rest = text.replaceAll(/\b(?:test|describe)(?:\.skipIf\([^)]*\))?\.each\(\s*share\(/g, '');
    return DIVIDES.test(text) && !file.endsWith('.release.test.ts') && /\btest\b/.test(vitest) && /^test(?:\.each)?\(/m.test(rest);
  });
  expect(both).toEqual([]);
});

test('npm test leaves out what the release suite is named for, and nothing else', () => {
  const [, left = ''] = /LONG = \['([^']+)'\]/.exec(read('vitest.config.ts')) ?? [];
  expect(left).toBe('test/**/*.release.test.ts');
  expect(files.filter((file) => file.endsWith('.release.test.ts')).length).toBeGreaterThan(5);
});
