import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { openJsonFileStore } from '../../src/store/json-file.js';
import type { Random } from '../fuzz/random.js';
import type { Worker } from './processes.js';

/** What processes were told that they did to one store. Every number and word of it was acknowledged. */
interface Acknowledged {
  /** By id: the credential that got it. */
  readonly credentials: Map<number, string>;
  /** By id: the highest sign count. */
  readonly counts: Map<number, number>;
  readonly revoked: Set<number>;
}

/** What the processes said so far. */
interface Seen {
  /** Acknowledged changes. */
  readonly changes: number;
  /** Changes that the system refused, of processes on a faulty one. */
  readonly refused: number;
}

export interface Torture extends Seen {
  /** What does not hold; empty when all does. */
  readonly faults: readonly string[];
}

export interface TortureOptions {
  /** Of the store, which is made when it is not there. */
  readonly path: string;
  /**
   * Starts a process that changes the store until it is killed, and says what it has done, a line each; `index` counts those that run at
   * once, `seed` all of them.
   */
  readonly start: (index: number, seed: number) => Worker;
  readonly processes: number;
  /** How many are killed and replaced. */
  readonly rounds: number;
  /** Afterwards the processes go on until this holds. */
  readonly enough: (seen: Seen) => boolean;
  /** Chooses which process is killed, and when. */
  readonly random: Random;
}

/**
 * Lets processes register, log in, revoke and list on one file. Each round kills one of them after some changes, looks at the store, and
 * starts another in its place: every acknowledged change is there, none twice, ids ascend and are never given again.
 */
export async function torture({ path, start, processes, rounds, enough, random }: TortureOptions): Promise<Torture> {
  const known: Acknowledged = { credentials: new Map(), counts: new Map(), revoked: new Set() };
  const faults: string[] = [];
  const running: { worker: Worker; read: number }[] = [];
  let started = 0;
  const begin = (index: number) => {
    started += 1;
    return { worker: start(index, started), read: 0 };
  };
  let changes = 0;
  let refused = 0;
  const hear = (heard: { readonly worker: Worker; read: number }): void => {
    for (; heard.read < heard.worker.lines.length; heard.read += 1) {
      const line = heard.worker.lines[heard.read] ?? '';
      const fault = note(known, line);
      if (fault !== undefined) faults.push(fault);
      if (line.startsWith('failed ')) refused += 1;
      if (/^(?:registered|used|revoked) /.test(line)) changes += 1;
    }
  };
  const kill = async (heard: { readonly worker: Worker; read: number }): Promise<void> => {
    heard.worker.child.kill('SIGKILL');
    const { stderr } = await heard.worker.ended;
    if (stderr !== '') faults.push(stderr);
    hear(heard);
  };
  for (let index = 0; index < processes; index += 1) running.push(begin(index));
  for (let round = 0; round < rounds && faults.length === 0; round += 1) {
    const index = random.below(processes);
    const heard = running[index] as (typeof running)[number];
    await heard.worker.said(1 + random.below(12));
    // Somewhere between two lines.
    for (let turns = random.below(200); turns > 0; turns -= 1) await new Promise((resolve) => setImmediate(resolve));
    await kill(heard);
    faults.push(...(await look(path, known)));
    running[index] = begin(index);
  }
  for (;;) {
    running.forEach(hear);
    if (faults.length > 0 || enough({ changes, refused })) break;
    await Promise.race(running.map(({ worker }) => worker.said(worker.lines.length + 1)));
    if (running.some(({ worker }) => (worker.child.exitCode ?? worker.child.signalCode) !== null)) faults.push('a process ended by itself');
  }
  for (const heard of running) await kill(heard);
  faults.push(...(await look(path, known)), ...(await lookAtFolder(path)));
  return { changes, refused, faults };
}

/** Outcome of {@link tortureLock}. */
interface LockTorture {
  readonly faults: readonly string[];
  /** How often the lock was taken. */
  readonly turns: number;
  /** The most turns of other processes that a process waited for. */
  readonly mostTurns: number;
  /** The longest time for which a process waited, in milliseconds. */
  readonly longestWait: number;
}

/** Lets processes take one lock by turns, and kills one of them each round: two never hold it, and no process waits long. */
export async function tortureLock({
  start,
  processes,
  rounds,
  random,
}: Pick<TortureOptions, 'start' | 'processes' | 'rounds' | 'random'>): Promise<LockTorture> {
  const faults: string[] = [];
  const given = new Set<number>();
  let mostTurns = 0;
  let longestWait = 0;
  let started = 0;
  const begin = (index: number): Worker => {
    started += 1;
    return start(index, started);
  };
  const running = Array.from({ length: processes }, (_, index) => begin(index));
  const kill = async (worker: Worker): Promise<void> => {
    worker.child.kill('SIGKILL');
    const { stderr } = await worker.ended;
    if (stderr !== '') faults.push(stderr);
    for (const line of worker.lines.slice(1)) {
      const [number = 0, passed = 0, waited = 0] = line.split(' ').map(Number);
      if (given.has(number)) faults.push(`two processes were given ${number}`);
      given.add(number);
      mostTurns = Math.max(mostTurns, passed);
      longestWait = Math.max(longestWait, waited);
    }
  };
  for (let round = 0; round < rounds && faults.length === 0; round += 1) {
    const index = random.below(processes);
    const worker = running[index] as Worker;
    await worker.said(2 + random.below(20));
    for (let turns = random.below(200); turns > 0; turns -= 1) await new Promise((resolve) => setImmediate(resolve));
    await kill(worker);
    running[index] = begin(index);
  }
  for (const worker of running) {
    await worker.said(2);
    await kill(worker);
  }
  return { faults, turns: given.size, mostTurns, longestWait };
}

/** What it contradicts of what was said before. */
function note({ credentials, counts, revoked }: Acknowledged, line: string): string | undefined {
  const [did, number, what = ''] = line.split(' ');
  const id = Number(number);
  if (did === 'registered') {
    if (credentials.has(id)) return `passkey ${id} was given to ${credentials.get(id)} and to ${what}`;
    credentials.set(id, what);
  } else if (did === 'used') {
    counts.set(id, Math.max(counts.get(id) ?? 0, Number(what)));
  } else if (did === 'revoked') {
    revoked.add(id);
  } else if (did === 'fault' || (did === 'failed' && !/^failed store_unavailable Could not write the store .* \(EIO\)/.test(line))) {
    return line;
  }
  return undefined;
}

async function look(path: string, { credentials, counts, revoked }: Acknowledged): Promise<string[]> {
  const store = await openJsonFileStore(path);
  const faults: string[] = [];
  const passkeys = new Map((await store.listPasskeys({ revoked: true })).map((passkey) => [passkey.id, passkey]));
  const hex = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString('hex');
  for (const [id, credential] of credentials) {
    if (hex(passkeys.get(id)?.credential.id) !== credential) faults.push(`passkey ${id} is not that of ${credential}`);
  }
  for (const [id, count] of counts) {
    const stored = passkeys.get(id)?.credential.signCount ?? -1;
    if (stored < count) faults.push(`passkey ${id} has sign count ${stored}, and ${count} was acknowledged`);
  }
  for (const id of revoked) if (passkeys.get(id)?.revokedAt === undefined) faults.push(`passkey ${id} is live again`);
  const ids = [...passkeys.keys()];
  if (ids.some((id, index) => index > 0 && id <= (ids[index - 1] ?? 0))) faults.push(`ids do not ascend: ${ids.join(' ')}`);
  const distinct = new Set([...passkeys.values()].map(({ credential }) => hex(credential.id)));
  if (distinct.size < ids.length) faults.push('a credential is there twice');
  await store.close();
  return faults;
}

/** One more change, and nothing of the killed is left. */
async function lookAtFolder(path: string): Promise<string[]> {
  const store = await openJsonFileStore(path, { create: true });
  await store.insertOwner({ type: 'User', email: 'last@example.com', name: 'Last', createdAt: 0 });
  await store.close();
  const names = (await readdir(dirname(path))).filter((name) => name !== 'passkeys.jsonl');
  return names.map((name) => `${name} is left`);
}
