import { PasskeyError } from '../errors.js';
import { grouped, groupedCount } from '../kernel/wording.js';
import { type Io, printAll } from './io.js';
import { toJsonArray } from './output/printable.js';
import type { Parties } from './parties.js';
import { progressLine } from './progress.js';

/** Maximum number of things that one operation changes, since all of them are in memory at once. */
export const BATCH = 2500;

/** Help text of commands that change many things in batches. */
export const BATCHES_HELP = `More than ${grouped(BATCH)} that filters find are changed in batches of that many, each of which is changed as a whole.`;

/** How a command reads and changes many things by their ids, in batches. */
export interface Batches<T> {
  list(parties: Parties, ids: readonly number[]): Promise<readonly T[]>;
  /** Converts a thing to a row of `--json`. */
  toRow(thing: T): unknown;
  /** The sentence that tells the user how to continue an interrupted change. */
  resume(change: string): string;
}

interface BatchedChange {
  readonly noun: string;
  readonly verb: readonly [base: string, going: string, done: string];
  readonly ids: readonly number[];
  readonly change: string;
  /** Tells the user how to continue or undo a change, if it is interrupted. */
  readonly hint: string;
  /** Changes one batch. Returns how many things stayed unchanged. */
  make(ids: readonly number[], onProgress: (done: number) => void): Promise<number>;
}

/**
 * Changes one batch after the other.
 *
 * @returns how many things stayed unchanged.
 * @throws what a batch throws; after the first, its message says how much is done, and how to go on.
 */
export async function changeInBatches(io: Io, { audit }: Parties['store'], o: BatchedChange): Promise<number> {
  const { noun, verb, ids, change } = o;
  const [, going, done] = verb;
  const progress = progressLine(io);
  const total = groupedCount(ids.length, noun);
  progress.show(`${going} ${total} …`);
  let finished = 0;
  let stayed = 0;
  try {
    for (; finished < ids.length; finished += BATCH) {
      const before = finished;
      const onProgress = (number: number) => progress.show(`${going} ${noun}s … ${grouped(before + number)} of ${grouped(ids.length)}`);
      stayed += await o.make(ids.slice(finished, finished + BATCH), onProgress);
      // The entries of one batch are in memory, not those of all.
      await audit?.settled();
    }
  } catch (error) {
    if (finished === 0 || !(error instanceof PasskeyError)) throw error;
    const why = error.code === 'interrupted' ? 'Interrupted;' : error.message;
    const message = `${why} ${grouped(finished)} of ${total} were ${done.toLowerCase()} (change ${change}). ${o.hint}`;
    throw new PasskeyError(error.code, message, { cause: error });
  } finally {
    progress.clear();
  }
  return stayed;
}

/** Number of rows that are read at once. */
const PORTION = 500;

/** Prints the JSON document of a change in parts, since the whole may not fit into memory. */
export async function reportBatches<T>(
  io: Io,
  parties: Parties,
  {
    batches,
    ids,
    change,
    noun,
  }: { readonly batches: Batches<T>; readonly ids: readonly number[]; readonly change: string | null; readonly noun: string },
): Promise<void> {
  const rows = async function* () {
    for (let start = 0; start < ids.length; start += PORTION) {
      for (const thing of await batches.list(parties, ids.slice(start, start + PORTION))) yield batches.toRow(thing);
    }
  };
  const pieces = async function* () {
    yield `{\n  "dry_run": ${change === null},\n  "change": ${JSON.stringify(change)},\n  "${noun}s": `;
    yield* toJsonArray(rows());
    yield '}\n';
  };
  await printAll(io, pieces());
}
