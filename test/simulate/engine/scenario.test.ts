import { describe, expect, test } from 'vitest';
import { type Scenario, selectScenarios } from '../../../src/simulate/engine/scenario.js';

const scenario = (id: string, ...tags: string[]): Scenario => ({
  id,
  tags,
  source: 'case',
  title: id,
  expected: 'verified',
  run: async () => ({ status: 'passed' }),
});
const SCENARIOS = [scenario('login-es256', 'login', 'es256'), scenario('login-rs256', 'login'), scenario('register.es256', 'es256')];

describe('selectScenarios', () => {
  test.each([
    ['everything', {}, ['login-es256', 'login-rs256', 'register.es256']],
    ['an id', { ids: ['login-rs256'] }, ['login-rs256']],
    ['ids, in the order of the cases', { ids: ['register.es256', 'login-es256'] }, ['login-es256', 'register.es256']],
    ['a pattern', { ids: ['login-*'] }, ['login-es256', 'login-rs256']],
    ['a pattern with text on both sides', { ids: ['*in*256'] }, ['login-es256', 'login-rs256']],
    ['a pattern that matches no text in between', { ids: ['login-*es256', 'register.**es256'] }, ['login-es256', 'register.es256']],
    ['a tag', { tags: ['es256'] }, ['login-es256', 'register.es256']],
    ['ids of a tag', { ids: ['login*'], tags: ['es256'] }, ['login-es256']],
  ])('selects %s', (_, selection, ids) => {
    expect(selectScenarios(SCENARIOS, selection).map(({ id }) => id)).toEqual(ids);
  });

  test.each([
    [{ ids: ['login-es'] }, 'There is no case "login-es". Did you mean login-es256?'],
    [{ ids: ['register.es256*256'] }, 'There is no case "register.es256*256". Did you mean register.es256?'],
    [{ ids: ['registerXes256'] }, 'There is no case "registerXes256". Run `passkey simulate --list` to see them all.'],
    [{ tags: ['rs256'] }, 'There is no tag "rs256". Run `passkey simulate --list` to see them all.'],
    [
      { ids: ['login-rs256'], tags: ['es256'] },
      'Expected at least one case to run, got none. Choose ids and tags that some case has both of.',
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
