import { existsSync } from 'node:fs';
import { type FileHandle, open, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeFolder, whileBusy } from '../../src/store/file-system.js';
import { replaceFile, writeNewFile } from '../../src/store/replace-file.js';
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

/** Answers the flushes of folders with an error of the system, as a disk that has lost a block does. */
async function failFolderFlushes(code: string): Promise<void> {
  const handle = await open(import.meta.filename, 'r');
  const prototype: FileHandle = Object.getPrototypeOf(handle);
  await handle.close();
  const { sync } = prototype;
  prototype.sync = async function (this: FileHandle) {
    if ((await this.stat()).isDirectory()) throw Object.assign(new Error(code), { code });
    await sync.call(this);
  };
  onTestFinished(() => {
    prototype.sync = sync;
  });
}

test.skipIf(process.platform === 'win32')('a folder that cannot be flushed fails the change, unless it never can be', async () => {
  const path = join(await temporaryFolder(), 'passkeys.jsonl');
  await failFolderFlushes('EIO');
  await expect(replaceFile(path, 'new')).rejects.toMatchObject({ code: 'EIO' });
  await expect(writeNewFile(`${path}.copy`, ['new'])).rejects.toMatchObject({ code: 'EIO' });
  await failFolderFlushes('EINVAL');
  await replaceFile(path, 'newer');
  expect(await readFile(path, 'utf8')).toBe('newer');
});

/** Fails so often with a system error, and counts. */
function busy(code: string, failures: number) {
  const tried = { times: 0 };
  const operation = async () => {
    tried.times += 1;
    if (tried.times <= failures) throw Object.assign(new Error(code), { code });
  };
  return { tried, operation };
}

test.each(['EPERM', 'EACCES', 'EBUSY'])('on Windows, %s is for a moment; elsewhere it stays', async (code) => {
  const windows = busy(code, 2);
  await whileBusy(windows.operation, 'win32');
  expect(windows.tried.times).toBe(3);
  const linux = busy(code, 2);
  await expect(whileBusy(linux.operation, 'linux')).rejects.toMatchObject({ code });
  expect(linux.tried.times).toBe(1);
});

test('another error ends the tries on Windows too', async () => {
  const full = busy('ENOSPC', 2);
  await expect(whileBusy(full.operation, 'win32')).rejects.toMatchObject({ code: 'ENOSPC' });
  expect(full.tried.times).toBe(1);
});
