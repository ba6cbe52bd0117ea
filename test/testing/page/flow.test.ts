import { describe, expect, test } from 'vitest';
import { makeShape } from '../../../src/kernel/shape.js';
import { flowsSchema } from '../../../src/testing/page/flow.js';

const { fits } = makeShape(flowsSchema);
const button = { role: 'button', name: 'Sign in' };
const flow = [{ click: button }];
const flows = { register: flow, login: flow };

describe('the flows of a page', () => {
  test('are two, or up to five, of at least a step', () => {
    expect([fits(flows), fits({ register: flow }), fits({ login: flow }), fits({ ...flows, register: [] })]).toEqual([
      true,
      false,
      false,
      false,
    ]);
    for (const name of ['remove', 'rename', 'password']) {
      expect([name, fits({ ...flows, [name]: flow }), fits({ ...flows, [name]: [] })]).toEqual([name, true, false]);
    }
    expect([fits({ ...flows, $schema: 'x' }), fits({ ...flows, removal: flow })]).toEqual([true, false]);
  });

  test.each([
    [{ goto: '/login' }, true],
    [{ goto: 7 }, false],
    [{ fill: button, value: 'Ada {n}' }, true],
    [{ fill: button }, false],
    [{ fill: 'Name', value: 'Ada' }, false],
    [{ click: button }, true],
    [{ click: { role: 'button' } }, false],
    [{ click: { ...button, exact: true } }, false],
    [{ click: button, value: 'x' }, false],
    [{ waitFor: button }, true],
    [{ waitFor: { url: '/account' } }, true],
    [{ waitFor: { url: 7 } }, false],
    [{ waitFor: {} }, false],
    [{}, false],
  ])('have steps: %j', (step, expected) => {
    expect(fits({ ...flows, rename: [step] })).toBe(expected);
  });
});
