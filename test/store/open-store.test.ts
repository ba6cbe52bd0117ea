import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/store/open-store.js';
import { temporaryFolder } from '../contract/adapters.js';
import { newPasskey } from '../contract/samples.js';

describe('openStore', () => {
  test('memory: is a store of its own each time', async () => {
    const store = await openStore('memory:', { create: false });
    expect(store.location).toBe('memory:');
    await store.insertPasskey(newPasskey());
    expect(await (await openStore('memory:', { create: false })).listPasskeys()).toEqual([]);
  });

  test('anything else is the path of a file', async () => {
    const path = join(await temporaryFolder(), 'a:b.json');
    await expect(openStore(path, { create: false })).rejects.toMatchObject({
      code: 'store_absent',
      message: expect.stringContaining(path),
    });
    const store = await openStore(path, { create: true });
    onTestFinished(() => store.close());
    expect(store.location).toBe(path);
    await store.check();
  });

  describe.skipIf(process.platform === 'win32')('what is no file is refused by its kind, and not read', () => {
    test.each<[kind: string, at: (folder: string) => string | Promise<string>]>([
      ['folder', (folder) => folder],
      ['device', () => '/dev/zero'],
      ['FIFO (a named pipe)', fifoIn],
      ['socket', socketIn],
    ])('%s', async (kind, at) => {
      const path = await at(await temporaryFolder());
      for (const create of [false, true]) {
        await expect(openStore(path, { create })).rejects.toMatchObject({
          code: 'store_unavailable',
          message: `Expected the store ${path} to be a file; it is a ${kind}. Name a file with --store.`,
        });
      }
    });
  });

  test.each([
    ['postgres:passkeys', 'postgres'],
    ['mysql://me:secret@db/passkeys', 'mysql'],
    ['redis://me:secret@db', 'redis'],
    ['memory:7', 'memory'],
  ])('%s is wrong usage, and its secrets are not repeated', async (location, scheme) => {
    await expect(openStore(location, { create: true })).rejects.toMatchObject({
      code: 'usage',
      message: `Expected "memory:", postgres://… or the path of a file as store; "${scheme}:" is none of them.`,
    });
  });

  test.each([
    'postgres://me:12/34secret@127.0.0.1:1/db',
    'postgres://me:12?34secret@127.0.0.1:1/db',
    'postgres://me:12#34secret@127.0.0.1:1/db',
    'postgres://me:secret@[x/db',
    ' postgres://me:secret@127.0.0.1:1/db',
  ])('%j is wrong usage, and neither the message nor the cause repeats the password', async (location) => {
    const error: unknown = await openStore(location, { create: true }).catch((each: unknown) => each);
    expect(error).toMatchObject({ code: 'usage' });
    expect(inspect(error)).not.toMatch(/secret|me:/);
  });

  test.each(['', '  '])('%j is wrong usage', async (location) => {
    await expect(openStore(location, { create: true })).rejects.toMatchObject({ code: 'usage' });
  });
});

function fifoIn(folder: string): string {
  const path = join(folder, 'fifo');
  execFileSync('mkfifo', [path]);
  return path;
}

async function socketIn(folder: string): Promise<string> {
  const server = createServer().listen(join(folder, 'socket'));
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return join(folder, 'socket');
}
