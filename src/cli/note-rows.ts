import { userInfo } from 'node:os';
import type { AuditLog } from '../store/audit/entry.js';
import { entryOfRows } from '../store/audit/record-audit.js';
import { type RowCounts, sumCounts } from '../store/transfer-port.js';
import type { Io } from './io.js';

/** Finds the name of the system user who runs this command. Undefined if the user has a number but no name, as in some containers. */
export function systemUser(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

interface RowsNote {
  readonly action: 'import' | 'copy' | 'purge';
  /** The command that changed the rows, such as `passkey store import`. */
  readonly via: string;
  readonly counts: RowCounts;
  /** Id of the bulk change. */
  readonly change?: string;
  /** Describes where the rows came from. */
  readonly reason?: string;
}

/**
 * Records in the store's audit log that a command moved or deleted rows in bulk. Does nothing if the store has no audit log, or if there
 * were no rows.
 */
export function noteRows(io: Io, audit: AuditLog | undefined, { via, change, ...what }: RowsNote): void {
  const context = { via, ...(change !== undefined && { change }) };
  if (sumCounts(what.counts) > 0) audit?.append(entryOfRows(what, { at: io.now(), context }, systemUser()));
}
