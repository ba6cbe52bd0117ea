import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { run } from '../../src/cli/main.js';
import { fakeIo, typeInto } from './fake-io.js';
import { seedCredentials } from './seeded-credentials.js';
import { seeded } from './seeded-store.js';

/** A command on a terminal, whose question is answered. */
async function answered(cwd: string, argv: readonly string[], answer: string) {
  const terminal = fakeIo({ cwd, terminal: true, columns: 100, env: { NO_COLOR: '1' } });
  typeInto(terminal, [['?', `${answer}\r`]]);
  const code = await run(argv, { ...terminal.io, now: () => Date.UTC(2027, 0, 1) });
  return { code, last: stripVTControlCharacters(terminal.written.stderr).trimEnd().split('\n').at(-1) };
}

test.each([
  [
    ['credential', 'remove', 'AQIDBAUGBwgJCgsMDQ4PEA'],
    ['credential', 'list', '--json'],
    'Nothing was changed.',
    'Removed 1 credential from ',
  ],
  [['purge', '--older-than', '1s'], ['list', '--all', '--json'], 'Nothing was purged.', 'Purged 1 passkey'],
])('%j asks first, and does nothing without a yes', async (argv, list, refused, done) => {
  const { cwd, passkey } = await seeded();
  await seedCredentials(cwd);
  const before = (await passkey(...list)).stdout;
  expect(await answered(cwd, argv, 'n')).toEqual({ code: 1, last: refused });
  expect(await answered(cwd, argv, '')).toEqual({ code: 1, last: refused });
  expect((await passkey(...list)).stdout).toBe(before);
  expect(await answered(cwd, argv, 'y')).toEqual({ code: 0, last: expect.stringContaining(done) });
  expect((await passkey(...list)).stdout).not.toBe(before);
});
