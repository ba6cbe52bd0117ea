import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTemporaryStore } from '../../../src/cli/exec/temporary-store.js';
import { tempFolder } from '../temp-folder.js';

test('a folder of its own, which goes with all that is in it', async () => {
  const parent = await tempFolder();
  const store = await makeTemporaryStore(parent);
  await writeFile(store.path, '');
  if (process.platform !== 'win32') expect((await stat(dirname(store.path))).mode & 0o777).toBe(0o700);
  await store.remove();
  expect(await readdir(parent)).toEqual([]);
});

test('sweeps what a killed run on this machine has left, and nothing else', async () => {
  const parent = await tempFolder();
  const first = await makeTemporaryStore(parent);
  const running = basename(dirname(first.path));
  const { pid: ended } = spawnSync(process.execPath, ['--version']);
  const killed = running.replace(`-${process.pid}-`, `-${ended}-`);
  expect(killed).not.toBe(running);
  const kept = [running, killed.replace(hostname().replaceAll(/[^\w.]/g, '_'), 'another-host'), 'passkey-exec-', `passkey-exec-${ended}`];
  for (const name of [...kept, killed]) await mkdir(join(parent, name), { recursive: true });
  await writeFile(join(parent, killed, 'passkeys.json'), '');
  const second = await makeTemporaryStore(parent);
  expect((await readdir(parent)).toSorted()).toEqual([...kept, basename(dirname(second.path))].toSorted());
});

test('sweeps where there are no user ids, and nothing of other users where there are', async () => {
  const parent = await tempFolder();
  const first = await makeTemporaryStore(parent);
  const { pid: ended } = spawnSync(process.execPath, ['--version']);
  const killed = join(parent, basename(dirname(first.path)).replace(`-${process.pid}-`, `-${ended}-`));
  await mkdir(killed);
  await makeTemporaryStore(parent, (await stat(killed)).uid + 1);
  expect(existsSync(killed)).toBe(true);
  await makeTemporaryStore(parent, null);
  expect(existsSync(killed)).toBe(false);
});
