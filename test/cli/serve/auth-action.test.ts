import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadAuthAction } from '../../../src/cli/serve/auth-action.js';
import { writeAction } from '../../server/action-module.js';
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
