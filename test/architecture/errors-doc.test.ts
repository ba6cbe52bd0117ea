import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LIBRARY_ERRORS } from '../../src/explain/library-errors.js';
import { LIBRARY_FIXES } from '../../src/explain/library-fixes.js';
import { DIFFERENCES } from '../../src/relying-party/differences.js';
import { AUTHENTICATION_TITLES, REGISTRATION_TITLES } from '../../src/relying-party/steps/procedure.js';
import { ALL_CASES } from '../../src/simulate/cases/all-cases.js';
import { describeTest } from '../../src/simulate/engine/case.js';
import { FAULTY_LIBRARIES } from '../../src/simulate/findings/library-faults.js';
import { root } from './bundled-packages.js';

const page = readFileSync(join(root, 'docs/errors.md'), 'utf8');

test('docs/errors.md has the table of fixes, of steps that there are', () => {
  const slugs = [...new Set(LIBRARY_FIXES.flatMap(({ steps }) => Object.keys(steps)))];
  const titles = { ...REGISTRATION_TITLES, ...AUTHENTICATION_TITLES };
  expect(slugs.filter((slug) => !Object.hasOwn(titles, slug))).toEqual([]);
  const cells = slugs.map((slug) => [`\`${slug}\``, ...LIBRARY_FIXES.map(({ steps }) => steps[slug] ?? '')]);
  const head = ['Step', ...LIBRARY_FIXES.map(({ names: [name] }) => name)];
  const rows = [head, head.map(() => '---'), ...cells];
  const table = rows.map((row) => `| ${row.join(' | ')} |`.replaceAll('|  |', '| |').replaceAll('|  |', '| |'));
  expect(page.split('\n').filter((line) => line.startsWith('|'))).toEqual(table);
});

test('fixes are of libraries whose errors are known', () => {
  const known = new Set(LIBRARY_ERRORS.map(({ library }) => library));
  expect(LIBRARY_FIXES.filter(({ names: [name] }) => !known.has(name))).toEqual([]);
});

test('what a case blames on the library that we use is a difference from our steps', () => {
  const isKnown = (id: string) => {
    const [blamed] = ALL_CASES.filter((each) => each.id === id);
    const { outcome } = blamed?.expected ?? {};
    const [direction, where] =
      outcome === 'verified'
        ? ['library-refuses', `\`${blamed?.wants?.format}\``]
        : ['library-accepts', blamed && describeTest(blamed)?.slug];
    return DIFFERENCES.some((row) => row.direction === direction && row.where === where);
  };
  const blamed = FAULTY_LIBRARIES.at(-1)?.faults.flatMap(({ cases }) => cases) ?? [];
  expect(blamed.filter((id) => !isKnown(id))).toEqual([]);
});
