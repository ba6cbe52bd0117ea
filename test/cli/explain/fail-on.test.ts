import { expect, test } from 'vitest';
import { explain } from './run-explain.js';

const options = {
  challenge: '5ZP0qYn-qO8WNJHWivRjG-YnGqT_45xXBucs_QGhTNk',
  rpId: 'example.org',
  allowCredentials: [{ type: 'public-key', id: 'cjPi4_x-DN24HeJ8Ky6haie9ULPFjo5qGBbJjo-aLQ4', transports: ['internal'] }],
};
const id = (text: string) => JSON.stringify({ ...options, allowCredentials: [{ ...options.allowCredentials[0], id: text }] });

test.each<[string, string, readonly [none: number, error: number, warning: number]]>([
  ['good options', JSON.stringify(options), [0, 0, 0]],
  ['options with a note', JSON.stringify({ ...options, rpId: undefined, userVerification: 'preferred' }), [0, 0, 0]],
  ['options with a warning', id('AQ'), [0, 0, 1]],
  ['options with an error', id(''), [0, 1, 1]],
])('%s', async (_, content, [none, error, warning]) => {
  const run = async (...flags: string[]) => (await explain(['o.json', ...flags], { 'o.json': content })).code;
  expect([await run(), await run('--fail-on', 'error'), await run('--fail-on', 'warning')]).toEqual([none, error, warning]);
  expect(await run('--fail-on', 'warning', '--json')).toBe(warning);
});

test('counts for each of several inputs', async () => {
  const files = { 'a.json': id('AQ'), 'b.json': JSON.stringify(options) };
  expect((await explain(['a.json', 'b.json'], files)).code).toBe(0);
  expect((await explain(['a.json', 'b.json', '--fail-on', 'warning'], files)).code).toBe(1);
  expect((await explain(['b.json', 'b.json', '--fail-on', 'warning'], files)).code).toBe(0);
});

test('takes no other word', async () => {
  const { code, stderr } = await explain(['o.json', '--fail-on', 'note'], { 'o.json': JSON.stringify(options) });
  expect(code).toBe(2);
  expect(stderr).toMatch(/--fail-on expects .*error.*warning.*; got "note"/);
});
