import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { acquireFileLock, guardPath, removeGuards } from '../../src/store/file-lock.js';
import { temporaryFolder } from '../contract/adapters.js';
import { deadProcess } from './dead-process.js';

async function lockPath(): Promise<string> {
  return join(await temporaryFolder(), 'passkeys.jsonl.lock');
}

/** A lock file as another process would have written it. */
async function writeLock(path: string, change: { pid?: number; host?: string; start?: string; since?: number }): Promise<void> {
  const lock = await acquireFileLock(path);
  const content = JSON.parse(await readFile(path, 'utf8'));
  await lock.release();
  await writeFile(path, JSON.stringify({ ...content, token: 'other', ...change }));
}

const sayingOf = async (path: string): Promise<string> => `${(await stat(path)).ino} ${await readFile(path, 'utf8')}`;

describe('acquireFileLock', () => {
  test('the lock file says who holds it, is private, and is gone after release', async () => {
    const path = await lockPath();
    const lock = await acquireFileLock(path);
    expect(lock.broken).toBe(false);
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
      pid: process.pid,
      host: expect.any(String),
      ...(process.platform === 'linux' && { start: expect.stringMatching(/^\d+$/) }),
      since: expect.any(Number),
      token: expect.stringMatching(/^[0-9a-f]{24}$/),
    });
    if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600);
    lock.assertHeld();
    await lock.release();
    expect(await readdir(join(path, '..'))).toEqual([]);
  });

  test('only one of many holds it at a time', async () => {
    const path = await lockPath();
    let inside = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        const lock = await acquireFileLock(path);
        inside += 1;
        most = Math.max(most, inside);
        await new Promise((resolve) => setImmediate(resolve));
        inside -= 1;
        await lock.release();
      }),
    );
    expect(most).toBe(1);
  });

  test('a holder that wants it again lets a waiting process go first', async () => {
    const path = await lockPath();
    const first = await acquireFileLock(path);
    const waiting = acquireFileLock(path);
    while (!existsSync(`${path}.waiting`)) await new Promise((resolve) => setTimeout(resolve, 1));
    await first.release();
    const second = await waiting;
    second.assertHeld();
    await second.release();
    expect(await readdir(join(path, '..'))).toEqual([]);
  });

  test('no process is held up by another that died while it waited', async () => {
    const path = await lockPath();
    await writeFile(`${path}.waiting`, '');
    for (let turn = 0; turn < 2; turn += 1) await (await acquireFileLock(path)).release();
    expect(await readdir(join(path, '..'))).toEqual([]);
  });

  test('the lock of a process whose id belongs to another by now is broken without waiting', async () => {
    const path = await lockPath();
    await writeLock(path, process.platform === 'linux' ? { start: '1' } : { pid: await deadProcess() });
    const lock = await acquireFileLock(path, { staleAfter: 60_000 });
    expect(lock.broken).toBe(true);
    await lock.release();
  });

  test('a lock held for longer than the wait is store_unavailable, naming the file and the process', async () => {
    const path = await lockPath();
    const lock = await acquireFileLock(path);
    await expect(acquireFileLock(path, { waitFor: 30 })).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringMatching(
        new RegExp(
          `^Waited 0.03 s for the lock ${path.replaceAll('\\', '\\\\')}; process ${process.pid} on \\S+ holds it\\. Try again\\. If no passkey process uses the store any more, delete that file\\.$`,
        ),
      ),
    });
    lock.assertHeld();
    await lock.release();
  });

  test('a holder shows that it is alive', async () => {
    const path = await lockPath();
    const lock = await acquireFileLock(path, { staleAfter: 40 });
    const { mtimeMs } = await stat(path);
    while ((await stat(path)).mtimeMs === mtimeMs) await new Promise((resolve) => setTimeout(resolve, 5));
    await lock.release();
  });

  test('the lock of a dead process is broken without waiting, by one of many', async () => {
    const path = await lockPath();
    await writeLock(path, { pid: await deadProcess() });
    let inside = 0;
    let most = 0;
    const broken = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const lock = await acquireFileLock(path, { staleAfter: 60_000 });
        inside += 1;
        most = Math.max(most, inside);
        lock.assertHeld();
        inside -= 1;
        await lock.release();
        return lock.broken;
      }),
    );
    expect(most).toBe(1);
    expect(broken.filter((value) => value)).toHaveLength(1);
    expect(await readdir(join(path, '..'))).toEqual([]);
  });

  test.each([
    ['of a host that does not answer', (path: string) => writeLock(path, { host: 'elsewhere', pid: 1 })],
    ['of a process id that was given again', (path: string) => writeLock(path, {})],
    ['that its process died in writing', (path: string) => writeFile(path, '')],
    ['of something else', (path: string) => writeFile(path, 'hello')],
  ])('a lock %s is broken when it has shown no sign of life for long enough, and not before', async (_, write) => {
    const path = await lockPath();
    await write(path);
    await expect(acquireFileLock(path, { staleAfter: 60_000, waitFor: 20 })).rejects.toMatchObject({ code: 'store_unavailable' });
    const lock = await acquireFileLock(path, { staleAfter: 40 });
    expect(lock.broken).toBe(true);
    await lock.release();
    expect(await readdir(join(path, '..'))).toEqual([]);
  });

  test('the time of day may jump: a lock is not broken because it is set forward, and is broken though it is set back', async () => {
    const path = await lockPath();
    const hours = (count: number) => new Date(Date.now() + count * 3_600_000);
    const lock = await acquireFileLock(path, { now: () => 1_000 });
    await utimes(path, hours(-2), hours(-2));
    await expect(acquireFileLock(path, { now: () => 1_005, staleAfter: 1, waitFor: 50 })).rejects.toMatchObject({
      code: 'store_unavailable',
    });
    lock.assertHeld();
    await lock.release();
    // Left behind by a process whose id is that of a living one by now.
    await writeLock(path, { since: 1_000 });
    await utimes(path, hours(2), hours(2));
    const taken = await acquireFileLock(path, { now: () => 1_006, staleAfter: 1 });
    expect(taken.broken).toBe(true);
    await taken.release();
  });

  test('processes that died while they broke a lock hold nobody up', async () => {
    const path = await lockPath();
    await writeLock(path, { pid: await deadProcess() });
    // Each of the two stopped when it had the right to break the lock, the second in the place of the first.
    let said = await sayingOf(path);
    for (let breaker = 0; breaker < 2; breaker += 1) {
      const guard = guardPath(path, said);
      await writeLock(guard, { pid: await deadProcess() });
      said += ` ${await sayingOf(guard)}`;
    }
    const lock = await acquireFileLock(path, { staleAfter: 60_000 });
    expect(lock.broken).toBe(true);
    await removeGuards(path);
    await lock.release();
    expect(await readdir(join(path, '..'))).toEqual([]);
  });

  test('a holder whose lock was taken over gets an error, and leaves the lock of the other alone', async () => {
    const path = await lockPath();
    const lock = await acquireFileLock(path);
    await unlink(path);
    await writeFile(path, 'of another');
    expect(() => lock.assertHeld()).toThrow(
      expect.objectContaining({
        code: 'store_unavailable',
        message: expect.stringContaining('before the change was written. Nothing was changed'),
      }),
    );
    await lock.release();
    expect(await readFile(path, 'utf8')).toBe('of another');
  });

  test.skipIf(process.platform === 'win32')('a FIFO in the place of a lock is one that is held', async () => {
    const path = await lockPath();
    execFileSync('mkfifo', [path]);
    await expect(acquireFileLock(path, { waitFor: 100 })).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining(path),
    });
  });

  test('a folder that is not there is store_unavailable at once', async () => {
    const path = join(await temporaryFolder(), 'none', 'x.lock');
    await expect(acquireFileLock(path)).rejects.toMatchObject({ code: 'store_unavailable', cause: { code: 'ENOENT' } });
  });
});
