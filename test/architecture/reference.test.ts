import { expect, test } from 'vitest';
import { makeErrorsPage } from '../../build/reference/errors-page.js';
import { STEPS } from '../../build/reference/steps.js';
import { FAILED_CHECKS } from '../../src/errors.js';
import { LIBRARY_ERRORS } from '../../src/explain/library-errors.js';
import { LIBRARY_FIXES } from '../../src/explain/library-fixes.js';
import { DIFFERENCES } from '../../src/relying-party/differences.js';
import { ALL_CASES } from '../../src/simulate/cases/all-cases.js';
import { describeTest } from '../../src/simulate/engine/case.js';
import { FAULTY_LIBRARIES } from '../../src/simulate/findings/library-faults.js';

test('docs/errors.md is made of the tables', async () => {
  await expect(makeErrorsPage()).toMatchFileSnapshot('../../docs/errors.md');
});

test('its steps have the codes that cases expect of them, and every failed check is one of a step', () => {
  const expected = ALL_CASES.flatMap(({ expected }) =>
    expected.outcome === 'rejected' && expected.step ? [[expected.step, expected.code]] : [],
  );
  const codes = new Map<string, readonly string[]>(Object.entries(STEPS).map(([slug, step]) => [slug, step.codes ?? []]));
  expect(expected.filter(([step = '', code = '']) => !codes.get(step)?.includes(code))).toEqual([]);
  const all = [...codes.values()].flat();
  expect(Object.keys(FAILED_CHECKS).filter((code) => !all.includes(code))).toEqual(['verifiers_disagree']);
});

test('fixes are of steps that there are', () => {
  expect(LIBRARY_FIXES.flatMap(({ steps }) => Object.keys(steps)).filter((slug) => !Object.hasOwn(STEPS, slug))).toEqual([]);
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
