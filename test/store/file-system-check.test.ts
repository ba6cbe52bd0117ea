import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { requireLocks } from '../../src/store/file-system-check.js';
import { openJsonFileStore } from '../../src/store/json-file.js';
import { removeTemporaries } from '../../src/store/replace-file.js';
import { temporaryFolder } from '../contract/adapters.js';
import { newPasskey } from '../contract/samples.js';
import { deadProcess } from './dead-process.js';

describe('a lock that two can hold at once', () => {
  test('is store_unavailable, and nothing is left', async () => {
    const folder = await temporaryFolder();
    // As on a file system whose exclusive creation excludes nobody.
    const both = () => ({ status: 'held' });
    await expect(requireLocks(join(folder, 'p.json.lock'), both)).rejects.toMatchObject({
      code: 'store_unavailable',
      message: `The file system of ${folder} lets two processes hold one lock, so changes of one could undo those of another. Nothing was changed. Name a store on a local disk with --store.`,
    });
    expect(await readdir(folder)).toEqual([]);
  });

  test('is not one on a file system that works', async () => {
    const folder = await temporaryFolder();
    await requireLocks(join(folder, 'p.json.lock'));
    expect(await readdir(folder)).toEqual([]);
  });
});

test.each([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xef53, undefined],
  [undefined, undefined],
])('a store on a file system of type %j is warned of once, if it is one of a network', async (type, name) => {
  const path = join(await temporaryFolder(), 'p.json');
  const warnings: string[] = [];
  const store = await openJsonFileStore(path, { create: true, fileSystemType: async () => type, onWarning: (text) => warnings.push(text) });
  onTestFinished(() => store.close());
  await store.insertPasskey(newPasskey());
  await store.insertPasskey(newPasskey());
  const about = `the store ${path} is on a network file system (${name}): locks and flushes may not hold there, so let no two hosts use it at once. A local disk is safe.`;
  expect(warnings).toEqual(name === undefined ? [] : [about]);
});

test('only temporary files of the store itself go, and only those of processes that have ended', async () => {
  const folder = await temporaryFolder();
  const dead = await deadProcess();
  const kept = [
    'p.json',
    'p.json.copy',
    `.p.json.copy.${dead}.0123456789ab.tmp`,
    `.p.json.${process.pid}.0123456789ab.tmp`,
    `.p.json.00000000.${dead}.0123456789ab.tmp`,
  ];
  for (const name of [...kept, `.p.json.${dead}.0123456789ab.tmp`]) await writeFile(join(folder, name), '');
  await removeTemporaries(join(folder, 'p.json'));
  expect((await readdir(folder)).toSorted()).toEqual(kept.toSorted());
});

test('a store beside one of a similar name loses no write to it', async () => {
  const folder = await temporaryFolder();
  const stores = await Promise.all(['p.json', 'p.json.copy'].map((name) => openJsonFileStore(join(folder, name), { create: true })));
  for (let round = 0; round < 20; round += 1) await Promise.all(stores.map((store) => store.insertPasskey(newPasskey())));
  for (const store of stores) {
    expect(await store.listPasskeys()).toHaveLength(20);
    await store.close();
  }
});
