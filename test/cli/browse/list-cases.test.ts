import { expect, test } from 'vitest';
import { choosePageCases, PAGE_CASES } from '../../../src/testing/page/cases.js';
import { runIn } from '../run-in.js';

const list = async (...more: readonly string[]) => await runIn('/nowhere', ['browse', '--check', '--list', ...more]);

test('--list prints the cases of --check, or those that are named', async () => {
  const all = await list('--json');
  expect(JSON.parse(all.stdout)).toHaveLength(PAGE_CASES.length);
  const some = await list('http://localhost:1/', '*.cancelled', 'register.honest');
  expect([some.code, some.stderr]).toEqual([0, '3 cases\n']);
  expect(some.stdout.split('\n').map((line) => line.split(/\s+/)[0])).toEqual([
    'CASE',
    'register.honest',
    'register.cancelled',
    'login.cancelled',
    '',
  ]);
});

test.each([
  [['--check', '--list', 'http://localhost:1/', 'login.canceled'], 'There is no case "login.canceled". Did you mean login.cancelled?'],
  [['--check', 'http://localhost:1/', 'shop.*'], 'There is no case "shop.*". Run `passkey browse --check --list` to see them all.'],
  [['--list'], '--list is for --check. Add it, or leave --list out.'],
  [['http://localhost:1/', 'login.*'], 'The case "login.*" is for --check. Add it, or leave the case out.'],
])('passkey browse %j is refused', async (argv, message) => {
  const { code, stderr } = await runIn('/nowhere', ['browse', ...argv]);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

test('a pattern chooses cases in the order of the table; none chooses all', () => {
  expect(choosePageCases(['rename.*', '*.double-click']).map(({ id }) => id)).toEqual([
    'register.double-click',
    'login.double-click',
    'rename.honest',
  ]);
  expect(choosePageCases([])).toEqual(PAGE_CASES);
  expect(() => choosePageCases(['login.honest', 'logout.*'])).toThrow(
    expect.objectContaining({ code: 'usage', message: expect.stringContaining('There is no case "logout.*".') }),
  );
});
