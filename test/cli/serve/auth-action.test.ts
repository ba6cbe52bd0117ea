import { EventEmitter } from 'node:events';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { loadAuthAction, surviveLateFailures } from '../../../src/cli/serve/auth-action.js';
import { createLogger } from '../../../src/cli/serve/logger.js';
import { runAuthAction } from '../../../src/server/auth-action.js';
import { anyInput, writeAction } from '../../server/action-module.js';
import { fakeIo } from '../fake-io.js';
import { tempFolder } from '../temp-folder.js';

describe('loadAuthAction', () => {
  test.each(['session', 'token', 'expiring_token'])('%s is built in', async (name) => {
    await expect(loadAuthAction(name, '/')).resolves.toBe(name);
  });

  test('a path is relative to the given folder, or absolute', async () => {
    const path = await writeAction('export default () => ({})');
    for (const setting of [basename(path), `./${basename(path)}`, path]) {
      await expect(loadAuthAction(setting, dirname(path))).resolves.toMatchObject({ name: setting, run: expect.any(Function) });
    }
  });

  test.each([
    ['no default export', 'export const a = 1;', 'no default export'],
    ['another default export', 'export default 5;', 'number'],
    ['a syntax error', 'export default (', 'cannot be loaded'],
    ['a throw at the top', 'throw new Error("no database")', 'no database'],
  ])('%s is a wrong configuration', async (_what, source, message) => {
    const failure = loadAuthAction(await writeAction(source), '/');
    await expect(failure).rejects.toMatchObject({ code: 'configuration_invalid' });
    await expect(failure).rejects.toThrow(message);
  });

  test('a missing file is, and its path is named', async () => {
    const folder = await tempFolder();
    const failure = loadAuthAction('./absent.mjs', folder);
    await expect(failure).rejects.toMatchObject({ code: 'configuration_invalid' });
    await expect(failure).rejects.toThrow(new RegExp(`there is no ${join(folder, 'absent.mjs')}\\.$`));
  });

  test('a folder is', async () => {
    const folder = await tempFolder();
    await expect(loadAuthAction('.', folder)).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringContaining(`${folder} is not a file.`),
    });
  });
});

test('a failure after the answer of an auth action is logged; any other ends the process', async () => {
  const uncaught = new EventEmitter();
  const { io, written } = fakeIo();
  const logger = await createLogger(io, 'info');
  const stop = surviveLateFailures(uncaught, logger);
  const late = new Error('too late');
  await runAuthAction(
    {
      name: './action.mjs',
      run() {
        uncaught.emit('uncaughtException', late);
        return {};
      },
    },
    anyInput(),
  );
  expect(JSON.parse(written.stderr)).toMatchObject({
    level: 50,
    msg: 'the auth action ./action.mjs failed after it had responded',
    err: { message: 'too late' },
  });
  expect(uncaught.listenerCount('uncaughtException')).toBe(1);
  stop();
  expect(uncaught.listenerCount('uncaughtException')).toBe(0);
});

test('an error that no auth action has thrown ends the process', async () => {
  const uncaught = new EventEmitter();
  const { io, written } = fakeIo();
  surviveLateFailures(uncaught, await createLogger(io, 'info'));
  const nextTick = vi.spyOn(process, 'nextTick').mockReturnValue(undefined);
  uncaught.emit('uncaughtException', new TypeError('ours'));
  const { calls } = nextTick.mock;
  const [[end] = []] = calls;
  nextTick.mockRestore();
  expect([uncaught.listenerCount('uncaughtException'), calls.length, written.stderr]).toEqual([0, 1, '']);
  expect(() => end?.()).toThrow(new TypeError('ours'));
});
