import { PasskeyError } from '../errors.js';
import { grouped, groupedCount } from '../kernel/wording.js';
import { type Io, printAll } from './io.js';
import { toJson } from './output/printable.js';
import { progressLine } from './progress.js';

/** Maximum number of things that one operation changes. It is limited because all of them are in memory at once. */
export const BATCH = 1000;

/** Help text of commands that change many things in batches. */
export const BATCHES_HELP = `More than ${grouped(BATCH)} are changed in batches of that size. Each batch is changed as a whole, and a signal stops the command between two batches.`;

/** Splits a list into batches of at most {@link BATCH} items. */
export function* inBatches<Ref>(refs: readonly Ref[]): Generator<readonly Ref[]> {
  for (let start = 0; start < refs.length; start += BATCH) yield refs.slice(start, start + BATCH);
}

/**
 * Number of ids that are read at once when a selection is changed. One page has many batches, because reading a page may take a scan of the
 * whole table.
 */
const PAGE = 20 * BATCH;

/** The part of a selection that comes after `after`. */
export interface Page<Ref> {
  readonly after?: Ref | undefined;
  readonly limit?: number;
}

/**
 * Reads a selection page by page, and splits it into batches. Reads the next page before the current one is changed, because things may no
 * longer match the selection after they are changed.
 */
export async function* readBatches<Ref>(read: (page: Page<Ref>) => Promise<readonly Ref[]>): AsyncGenerator<readonly Ref[]> {
  let page = await read({ limit: PAGE });
  while (page.length > 0) {
    const next = page.length < PAGE ? [] : await read({ after: page.at(-1), limit: PAGE });
    yield* inBatches(page);
    page = next;
  }
}

interface BatchedChange<Ref> {
  readonly noun: string;
  readonly verb: readonly [base: string, going: string, done: string];
  readonly batches: AsyncIterable<readonly Ref[]> | Iterable<readonly Ref[]>;
  /** Number of things in all batches together. */
  readonly total: number;
  readonly change: string;
  /** Tells the user how to continue or undo the change after an interruption. */
  readonly hint: string;
  /** Changes one batch. */
  make(batch: readonly Ref[], onProgress: (done: number) => void): Promise<void>;
  /** Called after the last batch, and also after an error. */
  end(): Promise<void>;
}

/** A store that may write down changes. */
interface Audited {
  readonly audit?: { settled(): Promise<void> } | undefined;
}

/**
 * Changes one batch after the other.
 *
 * @returns the number of things in all batches together.
 * @throws the error of a batch. If earlier batches were changed, the message says how much was changed, and how to continue.
 */
export async function changeInBatches<Ref>(io: Io, { audit }: Audited, o: BatchedChange<Ref>): Promise<number> {
  const { noun, verb, batches, change } = o;
  const [, going, done] = verb;
  const progress = progressLine(io);
  const total = groupedCount(o.total, noun);
  progress.show(`${going} ${total} …`);
  let finished = 0;
  try {
    for await (const batch of batches) {
      const before = finished;
      await o.make(batch, (number) => progress.show(`${going} ${noun}s … ${grouped(before + number)} of ${grouped(o.total)}`));
      // Only the audit entries of one batch are in memory.
      await audit?.settled();
      finished += batch.length;
    }
  } catch (error) {
    if (finished === 0 || !(error instanceof PasskeyError)) throw error;
    const why = error.code === 'interrupted' ? 'Interrupted;' : error.message;
    const message = `${why} ${grouped(finished)} of ${total} were ${done.toLowerCase()} (change ${change}). ${o.hint}`;
    throw new PasskeyError(error.code, message, { cause: error });
  } finally {
    progress.clear();
    await o.end();
  }
  return finished;
}

/** The arrays of a JSON document by name. The first array has the rows of the changed things. The others contain ids. */
export type DocumentLists = Readonly<Record<string, readonly unknown[]>>;

/**
 * Prints a JSON document batch by batch. If the reader of the output closes the pipe, the change itself goes on.
 *
 * @param head the members that precede the arrays.
 */
export function printInBatches(io: Io, head: object): { add(lists: DocumentLists): Promise<void>; end(): Promise<void> } {
  const ids = new Map<string, unknown[]>();
  let rowsSoFar: number | undefined;
  return {
    async add(lists) {
      const [[name, rows] = ['', []], ...others] = Object.entries(lists);
      const begin = rowsSoFar === undefined ? `${toJson(head, 2).slice(0, -2)},\n  ${JSON.stringify(name)}: [` : '';
      const hasRows = (rowsSoFar ?? 0) > 0;
      const texts = rows.map((row, index) => `${hasRows || index > 0 ? ',' : ''}\n    ${toJson(row, 2).replaceAll('\n', '\n    ')}`);
      rowsSoFar = (rowsSoFar ?? 0) + rows.length;
      await printAll(io, [begin, ...texts]);
      for (const [other, more] of others) {
        const all = ids.get(other) ?? [];
        for (const id of more) all.push(id);
        ids.set(other, all);
      }
    },
    /** Prints the end of the document. Prints nothing if nothing was added. */
    async end() {
      if (rowsSoFar === undefined) return;
      await printAll(io, ['\n  ]', ...[...ids].map(([name, all]) => `,\n  ${JSON.stringify(name)}: ${toJson(all)}`), '\n}\n']);
    },
  };
}
