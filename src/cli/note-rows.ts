import { userInfo } from 'node:os';
import type { AuditLog } from '../store/audit/entry.js';
import { entryOfRows } from '../store/audit/record-audit.js';
import { type RowCounts, sumCounts } from '../store/transfer-port.js';
import type { Io } from './io.js';

/** The user who runs this command. Undefined if the system has no name for the user, as in a container that runs under a number. */
export function systemUser(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

interface RowsNote {
  readonly action: 'import' | 'copy' | 'purge';
  /** The command: `passkey store import`. */
  readonly via: string;
  readonly counts: RowCounts;
  /** Id of the bulk change. */
  readonly change?: string;
  /** The origin of the rows. */
  readonly reason?: string;
}

/** Notes in the store's audit log, if it has one, that rows were moved or deleted in bulk; notes nothing for no rows. */
export function noteRows(io: Io, audit: AuditLog | undefined, { via, change, ...what }: RowsNote): void {
  const context = { via, ...(change !== undefined && { change }) };
  if (sumCounts(what.counts) > 0) audit?.append(entryOfRows(what, { at: io.now(), context }, systemUser()));
}
