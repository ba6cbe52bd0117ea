import { describe, expect, test } from 'vitest';
import { STEP_REVISION } from '../../../src/relying-party/steps/step.js';
import { type Scenario, selectScenarios } from '../../../src/simulate/engine/scenario.js';

const scenario = (id: string, ...tags: string[]): Scenario => ({
  id,
  tags,
  source: 'case',
  title: id,
  expected: 'verified',
  run: async () => ({ status: 'passed' }),
});
const SCENARIOS: Scenario[] = [
  scenario('login-es256', 'login', 'es256'),
  { ...scenario('login-rs256', 'login'), attestationFormat: 'packed' },
  {
    ...scenario('register.es256', 'es256'),
    tests: { section: '7.1', number: 9, revision: STEP_REVISION, slug: 'origin', title: 'C.origin is an expected origin' },
    attestationFormat: 'none',
  },
];

describe('selectScenarios', () => {
  test.each([
    ['everything', {}, ['login-es256', 'login-rs256', 'register.es256']],
    ['an id', { ids: ['login-rs256'] }, ['login-rs256']],
    ['ids, in the order of the cases', { ids: ['register.es256', 'login-es256'] }, ['login-es256', 'register.es256']],
    ['a pattern', { ids: ['login-*'] }, ['login-es256', 'login-rs256']],
    ['a pattern with text on both sides', { ids: ['*in*256'] }, ['login-es256', 'login-rs256']],
    ['a pattern that matches no text in between', { ids: ['login-*es256', 'register.**es256'] }, ['login-es256', 'register.es256']],
    ['a tag', { tags: ['es256'] }, ['login-es256', 'register.es256']],
    ['a step', { steps: ['origin'] }, ['register.es256']],
    ['an attestation statement format', { attestationFormats: ['packed', 'none'] }, ['login-rs256', 'register.es256']],
    ['a step of a format', { steps: ['origin'], attestationFormats: ['none'] }, ['register.es256']],
    ['what failed before', { failed: new Set(['login-es256', 'register.es256 rebound']) }, ['login-es256']],
    ['what failed before in one way of replay', { failed: new Set(['login-es256 verbatim', 'login-rs256']) }, ['login-rs256']],
    ['what failed before, of a tag', { failed: new Set(['login-es256', 'login-rs256']), tags: ['es256'] }, ['login-es256']],
    ['ids of a tag', { ids: ['login*'], tags: ['es256'] }, ['login-es256']],
  ])('selects %s', (_, selection, ids) => {
    expect(selectScenarios(SCENARIOS, selection).map(({ id }) => id)).toEqual(ids);
  });

  test.each([
    [{ ids: ['login-es'] }, 'There is no case "login-es". Did you mean login-es256?'],
    [{ ids: ['register.es256*256'] }, 'There is no case "register.es256*256". Did you mean register.es256?'],
    [{ ids: ['registerXes256'] }, 'There is no case "registerXes256". Did you mean register.es256?'],
    [{ steps: ['orig'] }, 'There is no case for the step "orig". Did you mean origin?'],
    [
      { attestationFormats: ['tpm'] },
      'There is no case for the attestation statement format "tpm". Run `passkey simulate --list` to see them all.',
    ],
    [
      { steps: ['origin'], attestationFormats: ['packed'] },
      'Expected at least one case to match every filter; none does. Remove a filter, or choose other values.',
    ],
    [
      { failed: new Set(['login-es256']), tags: ['login'], ids: ['login-rs256'] },
      'None of the cases that failed in that report is selected here. Pass --rerun-failed without other filters, and with the --fixtures of that run.',
    ],
    [{ tags: ['mldsa'] }, 'There is no tag "mldsa". Run `passkey simulate --list` to see them all.'],
    [
      { ids: ['login-rs256'], tags: ['es256'] },
      'Expected at least one case to match every filter; none does. Remove a filter, or choose other values.',
    ],
  ])('refuses %j', (selection, message) => {
    expect(() => selectScenarios(SCENARIOS, selection)).toThrow(expect.objectContaining({ code: 'usage', message }));
  });

  // A regular expression would try every way to share the letters out among the stars.
  test('a pattern of many stars is compared in one go', () => {
    const pattern = `${'*a'.repeat(30)}*b`;
    expect(() => selectScenarios([scenario('a'.repeat(20_000))], { ids: [pattern] })).toThrow(`There is no case "${pattern}"`);
  });
});

describe('what is slow', () => {
  const withSlow = [...SCENARIOS, scenario('login.answered-late', 'login', 'slow')];

  test('runs only where that is asked for', () => {
    expect(selectScenarios(withSlow, { tags: ['login'] }).map(({ id }) => id)).toEqual(['login-es256', 'login-rs256']);
    expect(selectScenarios(withSlow, { tags: ['login'], slow: true }).map(({ id }) => id)).toContain('login.answered-late');
    expect(selectScenarios(withSlow, { ids: ['login.answered-late'], slow: true })).toHaveLength(1);
  });

  test('is named where it is asked for without --slow', () => {
    expect(() => selectScenarios(withSlow, { ids: ['login.answered-late'] })).toThrow(
      'The case "login.answered-late" waits until a challenge expires. Add --slow to run it.',
    );
  });
});
