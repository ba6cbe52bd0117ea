import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadAuthAction } from '../../../src/cli/serve/auth-action.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'auth-action-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

let files = 0;
async function moduleOf(source: string): Promise<string> {
  files += 1;
  const name = `action-${files}.mjs`;
  await writeFile(join(folder, name), source);
  return name;
}

describe('loadAuthAction', () => {
  test.each(['session', 'token', 'expiring_token'])('%s is built in', async (name) => {
    await expect(loadAuthAction(name, folder)).resolves.toBe(name);
  });

  test('a path is relative to the given folder, or absolute', async () => {
    const name = await moduleOf('export default () => ({})');
    for (const setting of [name, `./${name}`, join(folder, name)]) {
      await expect(loadAuthAction(setting, folder)).resolves.toMatchObject({ name: setting, run: expect.any(Function) });
    }
  });

  test.each([
    ['no default export', 'export const a = 1;', 'no default export'],
    ['another default export', 'export default 5;', 'number'],
    ['a syntax error', 'export default (', 'cannot be loaded'],
    ['a throw at the top', 'throw new Error("no database")', 'no database'],
  ])('%s is a wrong configuration', async (_what, source, message) => {
    const failure = loadAuthAction(await moduleOf(source), folder);
    await expect(failure).rejects.toMatchObject({ code: 'configuration_invalid' });
    await expect(failure).rejects.toThrow(message);
  });

  test('a missing file is, and its path is named', async () => {
    const failure = loadAuthAction('./absent.mjs', folder);
    await expect(failure).rejects.toMatchObject({ code: 'configuration_invalid' });
    await expect(failure).rejects.toThrow(new RegExp(`there is no ${join(folder, 'absent.mjs')}\\.$`));
  });

  test('a folder is', async () => {
    await expect(loadAuthAction('.', folder)).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringContaining(`${folder} is not a file.`),
    });
  });
});
