import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readTarget } from '../../../src/cli/simulate/target.js';
import { fakeIo } from '../fake-io.js';
import { tempFolder } from '../temp-folder.js';

async function folderWith(content: string, mode = 0o600): Promise<string> {
  const folder = await tempFolder();
  const file = join(folder, 'tokens');
  await writeFile(file, content);
  await chmod(file, mode);
  return folder;
}

const FLAGS = { url: 'http://localhost:1', tokenFile: 'tokens' };

describe('--token-file', () => {
  test.each(['pk_one\npk_two\n', '\uFEFFpk_one\r\n\r\n  pk_two'])('%j holds two tokens', async (content) => {
    const { io, written } = fakeIo({ cwd: await folderWith(content), env: { PASSKEY_TOKEN: 'pk_of_env' } });
    expect(await readTarget(io, FLAGS)).toMatchObject({ tokens: ['pk_one', 'pk_two'] });
    expect(written.stderr).toBe('');
  });

  test.each([
    ['', 'tokens holds none'],
    [' \n\r\n', 'tokens holds none'],
    ['pk_one pk_two', 'tokens has a line that is not a token'],
    ['pk_\u0000', 'tokens has a line that is not a token'],
  ])('%j is refused', async (content, message) => {
    const { io } = fakeIo({ cwd: await folderWith(content) });
    await expect(readTarget(io, FLAGS)).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining(message) });
  });

  test('a file that is not there, or a folder, is refused by name', async () => {
    const { io } = fakeIo({ cwd: await tempFolder() });
    await expect(readTarget(io, FLAGS)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('tokens cannot be read (ENOENT)'),
    });
    await expect(readTarget(io, { ...FLAGS, tokenFile: '.' })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('. is a folder'),
    });
  });

  test.skipIf(process.platform === 'win32')('that others can read is named, with what to do', async () => {
    const { io, written } = fakeIo({ cwd: await folderWith('pk_one\n', 0o644) });
    expect(await readTarget(io, FLAGS)).toMatchObject({ tokens: ['pk_one'] });
    expect(written.stderr).toBe('warning: other users of this machine can read tokens. Run: chmod 600 tokens\n');
  });

  test('excludes --token, and needs --url', async () => {
    const { io } = fakeIo({ cwd: await folderWith('pk_one\n') });
    await expect(readTarget(io, { ...FLAGS, token: ['pk'] })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('exclude each other'),
    });
    await expect(readTarget(io, { tokenFile: 'tokens' })).rejects.toMatchObject({
      code: 'usage',
      message: '--token-file needs a running server. Name it with --url.',
    });
  });
});
