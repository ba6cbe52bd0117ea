/** `node --import tsx test/store/run-torture.ts KILLS`: the torture of the tests for longer, on a disk that fails too, and on one that is full. Exits 1 when something is lost. */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openJsonFileStore } from '../../src/store/json-file.js';
import { newPasskey } from '../contract/samples.js';
import { Random } from '../fuzz/random.js';
import { until } from '../until.js';
import { buildWorker, spawnWorker } from './processes.js';
import { torture, tortureLock } from './torture.js';

const kills = Number(process.argv[2] ?? 400);
const seed = Number(process.env['PASSKEY_FUZZ_SEED'] ?? 1);
console.log(`seed ${seed}`);
const random = new Random(seed, 0);
const folder = await mkdtemp(join(tmpdir(), 'passkey-torture-'));
try {
  const bundle = await buildWorker(folder);
  const store = join(folder, 'store');
  await mkdir(store);
  const path = join(store, 'passkeys.jsonl');
  const { faults, changes } = await torture({
    path,
    start: (_, seed) => spawnWorker(bundle, ['torture', path, '1000000', String(seed)]),
    processes: 4,
    rounds: kills,
    enough: ({ changes }) => changes > 0,
    random,
  });
  console.log(faults.length === 0 ? `${kills} kills: ${changes} changes were acknowledged, none is lost` : faults.join('\n'));
  const system = await onFaultySystem(join(folder, 'faulty'), bundle);
  console.log(system);
  const lock = await onLock(join(folder, 'lock'), bundle);
  console.log(lock);
  const full = await onFullDisk(join(folder, 'small'));
  console.log(full);
  process.exitCode = faults.length === 0 && ![system, lock, full].some((line) => line.startsWith('FAULT')) ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Two of four processes have a disk whose flushes fail, and a clock that jumps. */
async function onFaultySystem(store: string, bundle: string): Promise<string> {
  await mkdir(store);
  const path = join(store, 'passkeys.jsonl');
  const start = (index: number, seed: number) => {
    const faulty = index % 2 === 1;
    return spawnWorker(bundle, [faulty ? 'torture-faulty' : 'torture', path, '1000000', String(seed)], { faulty });
  };
  const rounds = Math.ceil(kills / 4);
  const { faults, changes, refused } = await torture({
    path,
    start,
    processes: 4,
    rounds,
    enough: (seen) => seen.changes > 0 && seen.refused > 0,
    random,
  });
  if (faults.length > 0) return `FAULT ${faults.join('\n')}`;
  return `${rounds} kills, flushes that fail and clocks that jump: ${changes} changes were acknowledged, none is lost; ${refused} were refused`;
}

/** Eight processes take a lock by turns. */
async function onLock(at: string, bundle: string): Promise<string> {
  await mkdir(at);
  const rounds = Math.ceil(1.5 * kills);
  const start = (_: number, seed: number) => spawnWorker(bundle, ['count', join(at, 'passkeys.jsonl'), '1000000', String(seed)]);
  const { faults, turns, mostTurns, longestWait } = await tortureLock({ start, processes: 8, rounds, random });
  if (faults.length > 0) return `FAULT ${faults.join('\n')}`;
  return `${rounds} kills: the lock was taken ${turns} times, never by two; a process waited for ${mostTurns} turns of others at most, and for ${longestWait} ms`;
}

/** A file system of half a megabyte: what was acknowledged is there when it is full, and changes are made again when there is room. */
async function onFullDisk(mount: string): Promise<string> {
  await mkdir(mount);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', mount], { stdio: 'ignore' });
  } catch {
    return 'SKIPPED the full disk: this run may not mount a tmpfs';
  }
  try {
    const path = join(mount, 'passkeys.jsonl');
    const store = await openJsonFileStore(path, { create: true });
    const ballast = join(mount, 'ballast');
    await writeFile(ballast, new Uint8Array(64 * 1024));
    let made = 0;
    let refusal: unknown;
    while (refusal === undefined) {
      await store.insertPasskey(newPasskey()).then(
        () => {
          made += 1;
        },
        (error: unknown) => {
          refusal = error;
        },
      );
    }
    const code = refusal instanceof Error && 'code' in refusal ? refusal.code : String(refusal);
    if (code !== 'store_unavailable') return `FAULT a full disk is answered with ${String(code)}`;
    const found = async (): Promise<number> => {
      const other = await openJsonFileStore(path);
      const { length } = await other.listPasskeys();
      await other.close();
      return length;
    };
    if ((await found()) !== made) return `FAULT ${made} passkeys were acknowledged on a full disk, ${await found()} are there`;
    await rm(ballast);
    // A file that is being rewritten takes the room as long as that lasts.
    await until(() =>
      store.insertPasskey(newPasskey()).then(
        () => true,
        () => false,
      ),
    );
    await store.close();
    if ((await found()) !== made + 1) return 'FAULT a change is lost that was made when there was room again';
    const left = (await readdir(mount)).filter((name) => !name.startsWith('passkeys.jsonl'));
    return left.length === 0 ? `a full disk: ${made} changes were acknowledged, none is lost` : `FAULT ${left.join(' ')} left`;
  } finally {
    // Also where a store is open still, so that what went wrong is told.
    execFileSync('umount', ['-l', mount]);
  }
}
