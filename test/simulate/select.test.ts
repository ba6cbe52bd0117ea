import { describe, expect, it } from 'vitest';
import type { Scenario } from '../../src/simulate/scenario.js';
import { selectScenarios } from '../../src/simulate/select.js';

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
  it.each([
    ['everything', {}, ['login-es256', 'login-rs256', 'register.es256']],
    ['an id', { ids: ['login-rs256'] }, ['login-rs256']],
    ['ids, in the order of the cases', { ids: ['register.es256', 'login-es256'] }, ['login-es256', 'register.es256']],
    ['a pattern', { ids: ['login-*'] }, ['login-es256', 'login-rs256']],
    ['a pattern with text on both sides', { ids: ['*in*256'] }, ['login-es256', 'login-rs256']],
    ['a tag', { tags: ['es256'] }, ['login-es256', 'register.es256']],
    ['ids of a tag', { ids: ['login*'], tags: ['es256'] }, ['login-es256']],
  ])('takes %s', (_, selection, ids) => {
    expect(selectScenarios(SCENARIOS, selection).map(({ id }) => id)).toEqual(ids);
  });

  it.each([
    [{ ids: ['login-es'] }, 'There is no case "login-es". Did you mean login-es256?'],
    [{ ids: ['registerXes256'] }, 'There is no case "registerXes256". `passkey simulate --list` shows them all.'],
    [{ tags: ['rs256'] }, 'There is no tag "rs256". `passkey simulate --list` shows them all.'],
    [{ ids: ['login-rs256'], tags: ['es256'] }, 'Expected something to run; no case has both one of these ids and one of these tags.'],
  ])('refuses %j', (selection, message) => {
    expect(() => selectScenarios(SCENARIOS, selection)).toThrow(expect.objectContaining({ code: 'usage', message }));
  });
});
