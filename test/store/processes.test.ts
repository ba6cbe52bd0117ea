import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { openJsonFileStore } from '../../src/store/json-file.js';
import { temporaryFolder } from '../contract/adapters.js';
import { newPasskey, START } from '../contract/samples.js';
import { Random } from '../fuzz/random.js';
import { quick as test, thorough } from '../thorough.js';
import { buildWorker, startWorker } from './processes.js';
import { torture, tortureLock } from './torture.js';

describe('JSON file store used by several processes', () => {
  let bundle = '';
  let bundleFolder = '';
  beforeAll(async () => {
    bundleFolder = await mkdtemp(join(tmpdir(), 'passkey-worker-'));
    bundle = await buildWorker(bundleFolder);
  });
  afterAll(() => rm(bundleFolder, { recursive: true, force: true }));

  test('two processes change it 40 times each, a third reads all the while, and no change is lost', async () => {
    const path = join(await temporaryFolder(), 'passkeys.jsonl');
    const store = await openJsonFileStore(path, { create: true });
    await store.insertPasskey(newPasskey());
    const writers = [startWorker(bundle, ['regress', path, '40']), startWorker(bundle, ['regress', path, '40'])];
    const reader = startWorker(bundle, ['read', path, '100']);
    const ends = await Promise.all([...writers, reader].map(({ ended }) => ended));
    expect(ends).toEqual([
      { code: 0, stderr: '' },
      { code: 0, stderr: '' },
      { code: 0, stderr: '' },
    ]);
    expect(await store.findPasskey(1)).toMatchObject({ counterRegressions: 80 });
    const seen = reader.lines.slice(1).map(Number);
    expect(seen).toHaveLength(100);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(await readdir(join(path, '..'))).toEqual(['passkeys.jsonl']);
    await store.close();
  });

  test('two processes that make the store at once make one, and get different ids from it', async () => {
    const path = join(await temporaryFolder(), 'made', 'here', 'passkeys.jsonl');
    const workers = [startWorker(bundle, ['insert', path, '10']), startWorker(bundle, ['insert', path, '10'])];
    expect(await Promise.all(workers.map(({ ended }) => ended))).toEqual([
      { code: 0, stderr: '' },
      { code: 0, stderr: '' },
    ]);
    const ids = workers.flatMap(({ lines }) => lines.slice(1).map(Number));
    expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  thorough('a process killed at any moment leaves a store that reads, with every change it was told of', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'passkeys.jsonl');
    const store = await openJsonFileStore(path, { create: true });
    // Large enough for a write to take a while.
    await store.insertPasskey(newPasskey());
    for (let count = 0; count < 20; count += 1) {
      const attestationObject = new Uint8Array(30_000).fill(count);
      await store.insertPasskey(newPasskey({ credential: { ...newPasskey().credential, attestationObject } }));
    }
    let known = 0;
    const random = new Random(1, 0);
    for (let round = 0; round < 6; round += 1) {
      const worker = startWorker(bundle, ['regress', path, '100000']);
      await worker.said(2 + (round % 4));
      await sleep(random.below(8));
      worker.child.kill('SIGKILL');
      await worker.ended;
      const done = Number(worker.lines.at(-1));
      const kept = (await store.findPasskey(1))?.counterRegressions ?? 0;
      // One more than it was told of may have been written.
      expect([known + done, known + done + 1]).toContain(kept);
      known = kept;
    }
    const after = await openJsonFileStore(path);
    await after.recordCounterRegression(1, START);
    expect(await store.findPasskey(1)).toMatchObject({ counterRegressions: known + 1 });
    await after.close();
    await store.close();
    expect(await readdir(folder)).toEqual(['passkeys.jsonl']);
  });

  test.skipIf(process.platform === 'win32')('a write that does not fit on the disk changes nothing', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'passkeys.jsonl');
    const store = await openJsonFileStore(path, { create: true });
    await store.insertPasskey(newPasskey());
    await store.close();
    const before = await readFile(path, 'utf8');
    // A limit of one block for any one file; the signal that goes with it is ignored, so the write answers with an error.
    const worker = startWorker(bundle, ['insert', path, '1'], { prelude: "trap '' XFSZ; ulimit -f 1" });
    const { code, stderr } = await worker.ended;
    expect(code).toBe(1);
    expect(stderr).toContain(`Could not write the store ${path} (EFBIG).`);
    expect(await readFile(path, 'utf8')).toBe(before);
    expect(await readdir(folder)).toEqual(['passkeys.jsonl']);
  });

  test.skipIf(process.platform === 'win32')(
    'in a folder that may not be written a store is read, and is store_unavailable to who opens it for changes',
    async () => {
      const folder = await temporaryFolder();
      const path = join(folder, 'passkeys.jsonl');
      const store = await openJsonFileStore(path, { create: true });
      await store.insertPasskey(newPasskey());
      await store.close();
      await chmod(path, 0o644);
      await chmod(folder, 0o555);
      expect(await startWorker(bundle, ['read-unprivileged', path, '1']).ended).toEqual({ code: 0, stderr: '' });
      const refused = async () => {
        const { code, stderr } = await startWorker(bundle, ['insert-unprivileged', path, '0']).ended;
        expect([code, stderr]).toEqual([
          1,
          expect.stringContaining(`Could not write the store ${path} (EACCES). Permission denied: check who owns the file`),
        ]);
      };
      await refused();
      await chmod(folder, 0o777);
      await refused();
      await chmod(path, 0o666);
      expect(await startWorker(bundle, ['insert-unprivileged', path, '0']).ended).toEqual({ code: 0, stderr: '' });
      const again = await openJsonFileStore(path);
      expect(await again.listPasskeys()).toHaveLength(1);
      await again.close();
    },
  );

  thorough('of four processes that want a lock all the time and are killed at random, no two hold it, and each has its turn', async () => {
    const path = join(await temporaryFolder(), 'passkeys.jsonl');
    const start = (_: number, seed: number) => startWorker(bundle, ['count', path, '1000000', String(seed)]);
    const { faults, turns, mostTurns } = await tortureLock({ start, processes: 4, rounds: 6, random: new Random(1, 0) });
    expect(faults).toEqual([]);
    expect(turns).toBeGreaterThan(10);
    expect(mostTurns).toBeLessThan(200);
  });

  thorough('four processes register, log in, revoke and list, and are killed at random: nothing acknowledged is lost', async () => {
    const path = join(await temporaryFolder(), 'passkeys.jsonl');
    const start = (_: number, seed: number) => startWorker(bundle, ['torture', path, '100000', String(seed)]);
    const enough = ({ changes }: { readonly changes: number }) => changes > 3;
    const { faults } = await torture({ path, start, processes: 4, rounds: 3, enough, random: new Random(1, 0) });
    expect(faults).toEqual([]);
  });

  thorough('where flushes fail and the clock jumps a change is store_unavailable or kept, among others that are killed', async () => {
    const path = join(await temporaryFolder(), 'passkeys.jsonl');
    const start = (index: number, seed: number) => {
      const faulty = index % 2 === 1;
      return startWorker(bundle, [faulty ? 'torture-faulty' : 'torture', path, '100000', String(seed)], { faulty });
    };
    const enough = ({ changes, refused }: { readonly changes: number; readonly refused: number }) => changes > 3 && refused > 0;
    const { faults } = await torture({ path, start, processes: 2, rounds: 3, enough, random: new Random(1, 0) });
    expect(faults).toEqual([]);
  });

  test.skipIf(process.platform === 'win32')(
    'without a descriptor left a change is store_unavailable, and the next one is made',
    async () => {
      const path = join(await temporaryFolder(), 'passkeys.jsonl');
      const worker = startWorker(bundle, ['exhaust', path, '1'], { prelude: 'ulimit -n 100' });
      expect(await worker.ended).toEqual({ code: 0, stderr: '' });
      const [, during, after] = worker.lines;
      expect(during).toMatch(/^store_unavailable Could not (?:read|write) the store .* \(EMFILE\)\. Too many files are open/);
      expect(after).toBe('inserted 1');
    },
  );
});
