import { fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openJsonFileStore } from '../../src/store/json-file.js';
import { createMemoryStore } from '../../src/store/memory.js';
import type { Store } from '../../src/store/store.js';
import { Random } from './random.js';
import { type Finding, type Result, reproduce, tallied } from './report.js';
import { apply, emptyModel, type Model, makeOperation, type Operation } from './store-model.js';
import { perform } from './store-operations.js';
import type { FromProcess, ToProcess } from './store-process.js';
import type { Run } from './targets.js';

/** Operations on one store before the next one begins. */
const EPISODE = 120;

/** Whatever performs operations: a store of this process, or of another. */
interface Party {
  perform(operation: Operation): Promise<string>;
  close(): Promise<void>;
}

export const ofStore = (store: Store): Party => ({ perform: (operation) => perform(store, operation), close: () => store.close() });

/**
 * Random operations, up to three at once, by several parties on one store: two adapters in this process and one in another, or one in
 * memory. The answers must be those that the model gives in one of the possible orders.
 */
export async function fuzzStore({ seed, inputs, from = 0, onProgress }: Run): Promise<Result> {
  const outcomes = new Map<string, number>();
  const findings: Finding[] = [];
  const folder = await mkdtemp(join(tmpdir(), 'passkey-fuzz-store-'));
  const other = await startOther();
  let done = 0;
  try {
    for (let episode = Math.floor(from / EPISODE); done < inputs && findings.length < 5; episode += 1) {
      const count = inputs === 1 ? EPISODE : Math.min(EPISODE, inputs - done);
      const path = join(folder, `${episode}.json`);
      const inMemory = episode % 4 === 3;
      const stores = inMemory ? [createMemoryStore()] : [await openFile(path), await openFile(path)];
      const parties = [...stores.map(ofStore), ...(inMemory ? [] : [await other.open(path)])];
      const wrong = await playEpisode({ seed, first: episode * EPISODE, count, parties, outcomes });
      if (wrong !== undefined) {
        const title = `store: operation ${wrong.index} of seed ${seed}`;
        findings.push({ title, detail: wrong.detail, reproduce: reproduce('store', seed, wrong.index) });
      }
      for (const party of parties) await party.close();
      await rm(path, { force: true });
      done += count;
      if (done % 6_000 < EPISODE) onProgress?.(done);
    }
  } finally {
    other.stop();
    await rm(folder, { recursive: true, force: true });
  }
  return { done, outcomes, findings };
}

const openFile = (path: string) => openJsonFileStore(path, { create: true });

interface EpisodeRun {
  readonly seed: number;
  readonly first: number;
  readonly count: number;
  readonly parties: readonly Party[];
  readonly outcomes: Map<string, number>;
}

/** Undefined when all is well. */
export async function playEpisode({
  seed,
  first,
  count,
  parties,
  outcomes,
}: EpisodeRun): Promise<{ index: number; detail: string } | undefined> {
  let models: readonly Model[] = [emptyModel()];
  const log: string[] = [];
  for (let at = 0; at < count; ) {
    const random = new Random(seed, first + at);
    const operations = Array.from({ length: Math.min(count - at, 1 + random.below(3)) }, () => makeOperation(random));
    const answers = await Promise.all(operations.map((operation) => random.pick(parties).perform(operation)));
    operations.forEach(({ kind }, index) => tallied(outcomes, `${kind} ${/^[a-z_]+$/.exec(answers[index] ?? '')?.[0] ?? 'done'}`));
    log.push(operations.map((operation, index) => `${JSON.stringify(operation)} → ${answers[index]}`).join('\n  with '));
    const possible = models.flatMap((model) => after(model, operations, answers));
    if (possible.length === 0) {
      const expected = models.map((model) => structuredClone(model)).map((model) => operations.map((operation) => apply(model, operation)));
      const detail = [`No order explains the last answers; one after the other: ${JSON.stringify(expected[0])}`, ...log.slice(-8)].join(
        '\n',
      );
      return { index: first + at, detail };
    }
    models = distinct(possible);
    at += operations.length;
  }
  return undefined;
}

/** The models after the operations, in every order in which they would have given these answers. */
function after(model: Model, operations: readonly Operation[], answers: readonly string[]): Model[] {
  if (operations.length === 0) return [model];
  return operations.flatMap((operation, index) => {
    const changed = structuredClone(model);
    if (apply(changed, operation) !== answers[index]) return [];
    return after(changed, operations.toSpliced(index, 1), answers.toSpliced(index, 1));
  });
}

function distinct(models: readonly Model[]): Model[] {
  return [...new Map(models.map((model) => [JSON.stringify(model), model])).values()];
}

/** A second process, which opens one store after the other. */
async function startOther() {
  const child = fork(fileURLToPath(new URL('./store-process.ts', import.meta.url)), { execArgv: ['--import', 'tsx'] });
  const waiting = new Map<number, (answer: string) => void>();
  let last = 0;
  child.on('message', ({ number, answer }: FromProcess) => {
    waiting.get(number)?.(answer);
    waiting.delete(number);
  });
  child.once('exit', () => {
    for (const resolve of waiting.values()) resolve('the process ended');
  });
  const send = (message: ToProcess, number: number) =>
    new Promise<string>((resolve) => {
      waiting.set(number, resolve);
      child.send(message);
    });
  return {
    async open(path: string): Promise<Party> {
      const opened = await send({ open: path }, 0);
      if (opened !== 'open') throw new Error(`The other process could not open the store: ${opened}`);
      return {
        perform(operation) {
          last += 1;
          return send({ operation, number: last }, last);
        },
        close: async () => {},
      };
    },
    stop: () => child.kill(),
  };
}
