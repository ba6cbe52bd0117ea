import { PasskeyError } from '../../errors.js';
import { clause } from '../../kernel/wording.js';
import { FileDamage, NewerVersion } from '../file-damage.js';
import { type KnownRows, noRows, type RowCounts, type StoredRow, type StoreTransfer, sumCounts } from '../transfer-port.js';
import type { Moved } from './export-lines.js';
import { ExportReader } from './export-reader.js';
import { type Conflict, keepIds, type Outcome, Tally } from './keep-ids.js';
import { Merge, type NewId } from './merge.js';

/** Source of the lines of an export, without their line feeds. The import reads it twice: first to its end, before it changes anything. */
export type LineSource = () => AsyncIterable<string>;

interface ImportOptions {
  /** Name of the export in messages; default: `the export`. */
  readonly name?: string;
  /** If true, rows that the store does not have get new ids, and rows that it has are not changed; default: false. */
  readonly merge?: boolean;
  /** If true, the import only checks the rows and changes nothing. */
  readonly dryRun?: boolean;
  readonly onProgress?: ((doing: 'check' | 'write', moved: Moved) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type ImportReport =
  | {
      readonly status: 'done';
      readonly added: RowCounts;
      /** Numbers of the rows that the store already had. */
      readonly kept: RowCounts;
      /** Number of added passkeys, sessions and tokens whose owner is not in the export. */
      readonly withoutOwner: number;
      /** Records to which `merge` has given new ids. */
      readonly newIds: readonly NewId[];
    }
  | {
      readonly status: 'conflicts';
      /** Descriptions of the first conflicts. */
      readonly conflicts: readonly Conflict[];
      readonly found: number;
      /** Numbers of the rows added before the conflict was found; 0 unless the store was changed while the import ran. */
      readonly added: RowCounts;
    };

/** Number of rows that are added in one change. */
const BATCH = 500;
const CONFLICTS_NAMED = 20;

/**
 * Adds the rows of an export to a store, with their ids. First reads the whole export and checks that its rows fit the store; if they do
 * not, changes nothing. Then adds a few hundred rows at a time, each batch in one change. An interrupted import continues when it is run
 * again, because rows that the store already has are skipped.
 *
 * @throws PasskeyError `store_damaged` naming the line, for an export that is cut off or damaged; `store_unavailable` for an export of a
 * later version, or if the store cannot be changed; the abort reason of `signal` if it is aborted.
 */
export async function importLines(
  store: { readonly transfer: StoreTransfer },
  lines: LineSource,
  options: ImportOptions = {},
): Promise<ImportReport> {
  const { transfer } = store;
  const { merge: merges = false, dryRun = false } = options;
  let withoutOwner = 0;

  const checked = new Tally();
  const dry = decider(merges);
  await eachBatch(lines, { ...options, doing: 'check' }, async (rows, reader) => {
    checked.add(await transfer.look(rows, (known) => dry.decide(rows, known, reader)));
    dry.accept();
    ({ withoutOwner } = reader);
  });
  const conflicts = checked.allConflicts();
  if (conflicts.length > 0) return conflicting(conflicts, noRows());
  const done = ({ added, kept }: Tally, { newIds }: Decider): ImportReport => ({ status: 'done', added, kept, withoutOwner, newIds });
  if (dryRun) return done(checked, dry);

  const written = new Tally();
  const decided = decider(merges);
  try {
    await eachBatch(lines, { ...options, doing: 'write' }, async (rows, reader) => {
      const { next_passkey_id: passkey, next_access_id: access } = reader.head;
      const outcome = await transfer.add(rows, (known) => {
        const result = decided.decide(rows, known, reader);
        if (result.conflicts.length > 0) throw new ConflictsFound(result.conflicts);
        return { add: result.add, result, next: merges ? undefined : { passkey, access } };
      });
      decided.accept();
      written.add(outcome);
    });
  } catch (error) {
    if (error instanceof ConflictsFound) return conflicting(error.conflicts, written.added);
    throw error;
  }
  return done(written, decided);
}

/**
 * Reads an export to its end and counts its rows, without keeping them.
 *
 * @throws PasskeyError like {@link importLines} if the export is cut off, damaged or of a later version.
 */
export async function readExport(lines: LineSource, options: Pick<ImportOptions, 'name' | 'signal'> = {}): Promise<RowCounts> {
  let counts: RowCounts = noRows();
  await eachBatch(lines, { ...options, doing: 'check' }, async (_rows, reader) => {
    ({ counts } = reader);
  });
  return counts;
}

/** Decides for each row of an export, batch by batch, whether to add it, skip it or report a conflict. */
interface Decider {
  readonly newIds: readonly NewId[];
  /** Makes the decisions for a batch. May be called several times for the same rows, until `accept` is called. */
  decide(rows: readonly StoredRow[], known: KnownRows, described: ExportReader): Outcome;
  accept(): void;
}

function decider(merges: boolean): Decider {
  if (merges) return new Merge();
  return { newIds: [], decide: (rows, known, described) => keepIds(rows, known, (ref) => described.hasOwner(ref)), accept() {} };
}

function conflicting(found: readonly Conflict[], added: RowCounts): ImportReport {
  return { status: 'conflicts', conflicts: found.slice(0, CONFLICTS_NAMED), found: found.length, added };
}

/** Error: another process has changed the store since the check, and rows conflict now. */
class ConflictsFound extends Error {
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[]) {
    super('The store was changed.');
    this.conflicts = conflicts;
  }
}

async function eachBatch(
  lines: LineSource,
  { name = 'the export', doing, onProgress, signal }: ImportOptions & { readonly doing: 'check' | 'write' },
  work: (rows: readonly StoredRow[], reader: ExportReader) => Promise<void>,
): Promise<void> {
  const reader = new ExportReader();
  let batch: StoredRow[] = [];
  const flush = async (): Promise<void> => {
    signal?.throwIfAborted();
    await work(batch, reader);
    batch = [];
    onProgress?.(doing, { done: sumCounts(reader.counts), total: reader.head.rows });
  };
  try {
    for await (const line of lines()) {
      const row = reader.take(line);
      if (row === undefined) continue;
      batch.push(row);
      if (batch.length === BATCH) await flush();
    }
    reader.finish();
  } catch (error) {
    throw readFailure(error, { name, doing });
  }
  // Also without rows: the next ids are to be raised.
  await flush();
}

/** Converts an error from reading an export to a PasskeyError. */
function readFailure(error: unknown, { name, doing }: { readonly name: string; readonly doing: 'check' | 'write' }): unknown {
  if (error instanceof FileDamage) {
    const line = error.place && ` in line ${error.place}`;
    return new PasskeyError(
      'store_damaged',
      `Expected ${name} to be a whole export; it is damaged${line}: ${clause(error.message)}. ${doing === 'check' ? 'Nothing was changed' : 'It was changed while it was read, and a part of it was imported'}. Export the store again.`,
      { cause: error },
    );
  }
  if (error instanceof NewerVersion) {
    return new PasskeyError(
      'store_unavailable',
      `Expected version ${error.expected} of the format in ${name}; got ${error.version}. A newer passkey wrote it: use that version.`,
      { cause: error },
    );
  }
  return error;
}
