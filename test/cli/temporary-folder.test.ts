import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTemporaryFolder } from '../../src/cli/temporary-folder.js';
import { tempFolder } from './temp-folder.js';

test('a folder of its own, which goes with all that is in it', async () => {
  const parent = await tempFolder();
  const folder = await makeTemporaryFolder('exec', { parent });
  await writeFile(join(folder.path, 'passkeys.jsonl'), '');
  if (process.platform !== 'win32') expect((await stat(folder.path)).mode & 0o777).toBe(0o700);
  await folder.remove();
  expect(await readdir(parent)).toEqual([]);
});

test('one that cannot be removed does not fail its command', async () => {
  const parent = join(await tempFolder(), 'parent');
  await mkdir(parent);
  const folder = await makeTemporaryFolder('exec', { parent });
  await rename(parent, `${parent}-moved`);
  await writeFile(parent, '');
  await expect(folder.remove()).resolves.toBeUndefined();
});

test.each([
  ['browse', 'absent', 'ENOENT'],
  ['exec', 'absent', 'ENOENT'],
  ['import', 'file', 'ENOTDIR'],
] as const)('says which setting to correct where there can be none (%s, %s)', async (command, name, code) => {
  const parent = join(await tempFolder(), name);
  if (name === 'file') await writeFile(parent, '');
  await expect(makeTemporaryFolder(command, { parent })).rejects.toMatchObject({
    code: 'store_unavailable',
    message: expect.stringMatching(new RegExp(`^Could not write the temporary folder .*${name} \\(${code}\\)\\. .*\\bTMPDIR\\b`)),
  });
});

test('sweeps what a killed run on this machine has left, and nothing else', async () => {
  const parent = await tempFolder();
  const first = await makeTemporaryFolder('exec', { parent });
  const running = basename(first.path);
  const { pid: ended } = spawnSync(process.execPath, ['--version']);
  const killed = running.replace(`-${process.pid}-`, `-${ended}-`);
  expect(killed).not.toBe(running);
  const kept = [
    running,
    killed.replace(hostname().replaceAll(/[^\w.]/g, '_'), 'another-host'),
    'passkey-exec-',
    `passkey-exec-${ended}`,
    killed.replace('exec', 'browse'),
  ];
  for (const name of [...kept, killed]) await mkdir(join(parent, name), { recursive: true });
  await writeFile(join(parent, killed, 'passkeys.jsonl'), '');
  const second = await makeTemporaryFolder('exec', { parent });
  expect((await readdir(parent)).toSorted()).toEqual([...kept, basename(second.path)].toSorted());
});

test('sweeps where there are no user ids, and nothing of other users where there are', async () => {
  const parent = await tempFolder();
  const first = await makeTemporaryFolder('exec', { parent });
  const { pid: ended } = spawnSync(process.execPath, ['--version']);
  const killed = join(parent, basename(first.path).replace(`-${process.pid}-`, `-${ended}-`));
  await mkdir(killed);
  await makeTemporaryFolder('exec', { parent, userId: (await stat(killed)).uid + 1 });
  expect(existsSync(killed)).toBe(true);
  await makeTemporaryFolder('exec', { parent, userId: null });
  expect(existsSync(killed)).toBe(false);
});
