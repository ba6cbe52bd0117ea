import { type KnownRows, noRows, type Picture, type RowCounts, type StoredRow, type StoreTransfer, sumCounts } from '../transfer-port.js';
import type { Moved } from './export-lines.js';
import { nameRow } from './format.js';
import { type Conflict, counterpart, describeDifference, isSame, keepIds, Tally } from './keep-ids.js';

type CopyStep = 'check' | 'copy' | 'verify';

interface CopyOptions {
  readonly onProgress?: ((doing: CopyStep, moved: Moved) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface CopyReport {
  /**
   * `done`: every row was read back and compared. `refused`: the other store has different rows, and nothing was changed. `differs`: the
   * other store now has different rows, because another process changed it at the same time.
   */
  readonly status: 'done' | 'refused' | 'differs';
  readonly added: RowCounts;
  /** Numbers of the rows that an earlier, interrupted copy had already added. */
  readonly kept: RowCounts;
  /** Descriptions of the first differences between the two stores. */
  readonly differences: readonly string[];
  readonly found: number;
}

const DIFFERENCES_NAMED = 20;

interface Movable {
  readonly transfer: StoreTransfer;
}

/**
 * Copies all rows of a store as they are at one moment, with their ids, into a store that is empty or has some of the same rows.
 * Afterwards, compares every row. An interrupted copy continues when it is run again.
 *
 * @throws PasskeyError if reading or writing either store fails; the abort reason of `signal` if it is aborted.
 */
export async function copyStore(from: Movable, to: Movable, options: CopyOptions = {}): Promise<CopyReport> {
  const picture = await from.transfer.picture();
  try {
    const checked = new Tally();
    const keys = new Set<string>();
    // All owners of the picture come before what they own.
    const decide = (rows: readonly StoredRow[], known: KnownRows) => keepIds(rows, known, ({ type, id }) => keys.has(ownerName(type, id)));
    await eachBatch(picture, 'check', options, async (rows) => {
      for (const row of rows) keys.add(rowKey(row));
      checked.add(await to.transfer.look(rows, (known) => decide(rows, known)));
    });
    const conflicts = [...checked.allConflicts(), ...(await strangers(to, keys, options))];
    if (conflicts.length > 0) return makeReport('refused', { added: noRows(), kept: checked.kept, differences: conflicts });

    const written = new Tally();
    // Where the other store has rows of its own all of a sudden.
    let late: readonly Conflict[] = [];
    await eachBatch(picture, 'copy', options, async (rows) => {
      if (late.length > 0) return;
      const outcome = await to.transfer.add(rows, (known) => {
        const result = decide(rows, known);
        return { add: result.conflicts.length > 0 ? [] : result.add, result, next: picture.next };
      });
      late = outcome.conflicts;
      if (late.length === 0) written.add(outcome);
    });
    const { added, kept } = written;
    if (late.length > 0) return makeReport('differs', { added, kept, differences: late });

    const differences: string[] = [];
    await eachBatch(picture, 'verify', options, async (rows) => {
      differences.push(...(await to.transfer.look(rows, (known) => rows.flatMap((row) => differenceIn(row, known)))));
    });
    differences.push(...(await strangers(to, keys, options)));
    return makeReport(differences.length === 0 ? 'done' : 'differs', { added, kept, differences });
  } finally {
    await picture.close();
  }
}

function makeReport(status: CopyReport['status'], { added, kept, differences }: Omit<CopyReport, 'status' | 'found'>): CopyReport {
  return { status, added, kept, differences: differences.slice(0, DIFFERENCES_NAMED), found: differences.length };
}

async function eachBatch(
  picture: Picture,
  doing: CopyStep,
  { onProgress, signal }: CopyOptions,
  work: (rows: readonly StoredRow[]) => Promise<void>,
): Promise<void> {
  const total = sumCounts(picture.counts);
  let done = 0;
  for await (const rows of picture.rows()) {
    signal?.throwIfAborted();
    await work(rows);
    done += rows.length;
    onProgress?.(doing, { done, total });
  }
  // Without rows there still are next ids.
  if (total === 0) await work([]);
}

function differenceIn(row: StoredRow, known: KnownRows): readonly string[] {
  const there = counterpart(row, known);
  if (there === undefined) return [`${nameRow(row)} is missing`];
  return isSame(row, there) ? [] : [describeDifference(row, there)];
}

/** Describes the rows of the target store that are not among the copied rows. */
async function strangers(to: Movable, keys: ReadonlySet<string>, { signal }: CopyOptions): Promise<string[]> {
  const picture = await to.transfer.picture();
  try {
    const found: string[] = [];
    for await (const rows of picture.rows()) {
      signal?.throwIfAborted();
      for (const row of rows) if (!keys.has(rowKey(row))) found.push(`${nameRow(row)} is in the copy only`);
    }
    return found;
  } finally {
    await picture.close();
  }
}

const ownerName = (type: string, id: number): string => `owner ${id}:${type}`;

/** Builds the key of a row. A removed owner has the same key as an owner with the same type and id. */
function rowKey({ kind, record }: StoredRow): string {
  return kind === 'passkey' || kind === 'access' ? `${kind} ${record.id}` : ownerName(record.type, record.id);
}
