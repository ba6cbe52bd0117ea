import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStore } from '../../src/store/open-store.js';
import { seeded } from '../cli/seeded-store.js';
import { tempFolder } from '../cli/temp-folder.js';
import { addMany } from '../contract/moved.js';
import { passkeyHere } from './passkey-in-process.js';
import { BIN, collect, passkey, serve } from './passkey-process.js';

/** A command in a process whose files may have so many blocks of 512 bytes; the signal that goes with it is ignored. */
function onFullDisk(cwd: string, blocks: number, argv: readonly string[]) {
  const script = `trap '' XFSZ; ulimit -f ${blocks}; exec "$@"`;
  return collect(spawn('/bin/sh', ['-c', script, 'sh', process.execPath, BIN, ...argv], { cwd, stdio: ['ignore', 'pipe', 'pipe'] }));
}

async function someHundreds() {
  const { cwd, store: path } = await seeded();
  const store = await openStore(path, { create: false });
  await addMany(store, 1000);
  await store.close();
  return { cwd, path };
}

test.skipIf(process.platform === 'win32')('a disk that is full leaves no half set of vectors', async () => {
  const cwd = await tempFolder();
  // Room for each vector of ES256, and for none of ML-DSA-44.
  const argv = ['fixture', 'export', '--algorithm', 'es256', '--algorithm', 'ml-dsa-44', '--out', 'vectors'];
  expect(await onFullDisk(cwd, 16, argv)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('vectors cannot be written to (EFBIG)'),
  });
  expect(await readdir(join(cwd, 'vectors'))).toEqual([]);
});

test.skipIf(process.platform === 'win32')(
  'a disk that is full leaves no half export or backup, and an import goes on when there is room',
  async () => {
    const { cwd } = await someHundreds();
    const before = await readdir(cwd);
    for (const argv of [
      ['store', 'export', '--out', 'x.jsonl'],
      ['store', 'backup', '--out', 'x.json'],
    ]) {
      expect(await onFullDisk(cwd, 100, argv)).toMatchObject({
        code: 3,
        stdout: '',
        stderr: expect.stringContaining('Could not write the file'),
      });
      expect(await readdir(cwd)).toEqual(before);
    }
    expect(await passkeyHere(['store', 'export', '--out', 'x.jsonl'], { cwd })).toMatchObject({ code: 0 });
    // Room for the first batch, of 500 rows, and not for the second.
    expect(await onFullDisk(cwd, 2000, ['store', 'import', 'x.jsonl', '--store', 'a.json'])).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(
        /Could not write the store .* 500 rows of the export are in the store\. Run the same command again to continue\./,
      ),
    });
    expect(await passkeyHere(['store', 'import', 'x.jsonl', '--store', 'a.json'], { cwd })).toMatchObject({
      code: 0,
      stderr: 'Added 507 passkeys. The store already had 3 users, 497 passkeys.\n',
    });
  },
);

test('a backup and a copy are made while a server changes the store', async () => {
  const { cwd, path } = await someHundreds();
  const server = await serve(['--store', path], { cwd });
  const adding = (async () => {
    for (let number = 0; number < 3; number += 1) {
      await passkeyHere(['user', 'add', '--email', `new${number}@example.com`, '--name', 'N', '--store', path], { cwd });
    }
  })();
  const backup = await passkey(['store', 'backup', '--store', path, '--out', 'backup.json'], { cwd });
  const copy = await passkey(['store', 'copy', path, 'copy.json'], { cwd });
  await adding;
  await server.stop();
  expect([backup.code, copy.code, copy.stderr]).toEqual([0, 0, expect.stringContaining('was read back and is the same.')]);
  for (const file of ['backup.json', 'copy.json']) {
    expect(await passkeyHere(['store', 'check', '--store', file], { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(' 1,004 passkeys'),
    });
  }
  expect((await readdir(cwd)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  expect(await readFile(join(cwd, 'backup.json'), 'utf8')).toMatch(/^\{"passkey_store":1,/);
});
