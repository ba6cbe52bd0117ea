import { existsSync } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../../src/store/file-system.js';
import { temporaryFolder } from '../contract/adapters.js';

test('makes what is missing, answers the topmost that it made, and takes what is there', async () => {
  const folder = await temporaryFolder();
  expect(await makeFolder(join(folder, 'a', 'b', 'c'), 0o700)).toBe(join(folder, 'a'));
  expect((await stat(join(folder, 'a', 'b', 'c'))).isDirectory()).toBe(true);
  expect(await makeFolder(join(folder, 'a', 'b', 'd'))).toBe(join(folder, 'a', 'b', 'd'));
  expect(await makeFolder(join(folder, 'a', 'b'))).toBeUndefined();
});

test('twenty at once make one', async () => {
  const folder = join(await temporaryFolder(), 'x', 'y');
  await Promise.all(Array.from({ length: 20 }, () => makeFolder(folder)));
  expect((await stat(folder)).isDirectory()).toBe(true);
});

test('below a file, and where a file has the name', async () => {
  const file = join(await temporaryFolder(), 'file');
  await writeFile(file, '');
  await expect(makeFolder(file)).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(makeFolder(join(file, 'a', 'b'))).rejects.toMatchObject({ code: process.platform === 'win32' ? 'ENOENT' : 'ENOTDIR' });
});

test.runIf(existsSync('/proc/self'))('in /proc, which takes none, fails instead of trying for ever', async () => {
  await expect(makeFolder('/proc/passkey/a/b')).rejects.toMatchObject({ code: 'ENOENT' });
});
