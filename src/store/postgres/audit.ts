import { formatTimestamp } from '../../kernel/wording.js';
import { BatchQueue } from '../appended-file.js';
import { AuditEntry, type AuditLog, type AuditReader } from '../audit/entry.js';
import { AUDIT_LOG } from '../audit/file-reader.js';
import { type Database, named, type Query } from './database.js';

/** Maximum number of rows to keep: as many entries as the log files of a JSON store hold. */
const KEPT = 60_000;
const PRUNE_EVERY = 1000;
const PORTION = 1000;
/**
 * Number of the database lock that only one process at a time holds while appending, so that rows appear in the order of their ids. The
 * number is arbitrary.
 */
const AUDIT_LOCK = 7_277_002;

type AuditRow = Omit<AuditEntry, 'at'> & { readonly id: number; readonly at: number };

/**
 * Creates an audit log in a database table, which all processes that use the database share. If entries are lost, calls `onFailure` once
 * with the reason.
 */
export function createAuditTable(database: Database, onFailure: (reason: string) => void): AuditLog {
  const queue = new BatchQueue<AuditEntry>((entries) => insert(database, entries), AUDIT_LOG, onFailure);
  return {
    append: (entry) => queue.append(entry),
    settled: () => queue.settled(),
    read: ({ via } = {}) => new AuditTableReader(database.read, via),
  };
}

const COLUMNS = Object.keys(AuditEntry.properties).join(', ');

// No row has an id before the lock is held.
const INSERT = named(
  `WITH locked AS MATERIALIZED (SELECT pg_advisory_xact_lock(${AUDIT_LOCK}))
     INSERT INTO passkey_audit (${COLUMNS})
     SELECT ${COLUMNS} FROM locked, json_populate_recordset(NULL::passkey_audit, $1::json) RETURNING id`,
);

async function insert({ change }: Database, entries: readonly AuditEntry[]): Promise<void> {
  const rows = await change<{ id: number }>(INSERT, [JSON.stringify(entries)]);
  const ids = rows.map(({ id }) => id);
  if (ids.some((id) => id % PRUNE_EVERY === 0)) await change('DELETE FROM passkey_audit WHERE id <= $1', [Math.max(...ids) - KEPT]);
}

class AuditTableReader implements AuditReader {
  readonly #query: Query;
  readonly #via: AuditEntry['via'] | undefined;
  #last = 0;

  constructor(query: Query, via?: AuditEntry['via']) {
    this.#query = query;
    this.#via = via;
  }

  async skip(): Promise<void> {
    this.#last = await this.#newest();
  }

  async *readOn(): AsyncGenerator<AuditEntry> {
    // Of a later look, all that are left out now are passed over.
    const newest = this.#via === undefined ? undefined : await this.#newest();
    if (newest !== undefined && newest <= this.#last) return;
    const some = newest === undefined ? '' : ' AND id <= $2 AND via = $3';
    const values = newest === undefined || this.#via === undefined ? [] : [newest, this.#via];
    let rows: readonly AuditRow[];
    do {
      rows = await this.#query<AuditRow>(`SELECT * FROM passkey_audit WHERE id > $1${some} ORDER BY id LIMIT ${PORTION}`, [
        this.#last,
        ...values,
      ]);
      for (const { id, at, ...entry } of rows) {
        this.#last = id;
        yield { at: formatTimestamp(at), ...entry };
      }
    } while (rows.length === PORTION);
    this.#last = newest ?? this.#last;
  }

  async #newest(): Promise<number> {
    const [found] = await this.#query<{ newest: number }>('SELECT coalesce(max(id), 0) AS newest FROM passkey_audit', []);
    return found?.newest ?? 0;
  }
}
