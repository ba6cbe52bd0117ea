import { isDeepStrictEqual } from 'node:util';
import { type KnownRows, noRows, type StoredRow, sumCounts } from '../transfer-port.js';
import { nameRow, rowMembers } from './format.js';

/** Reason why a row cannot be added, as a sentence without its full stop. */
export type Conflict = string;

/** Decisions about a batch of rows to import. */
export interface Outcome {
  readonly add: readonly StoredRow[];
  /** Rows that the store already has without any difference. */
  readonly same: readonly StoredRow[];
  readonly conflicts: readonly Conflict[];
  /**
   * Rows to add whose ids the store once gave to rows that no longer exist. This is not a conflict if the store also has other rows of the
   * same origin, because then the store is an unfinished copy.
   */
  readonly reused: readonly StoredRow[];
}

/**
 * Decides to add rows with their ids, or to skip them if the store has the same rows. Everything else is a conflict.
 *
 * @param hasOwner tests whether an owner is among the rows to import.
 */
export function keepIds(
  rows: readonly StoredRow[],
  known: KnownRows,
  hasOwner: (ref: { readonly type: string; readonly id: number }) => boolean,
): Outcome {
  const add: StoredRow[] = [];
  const same: StoredRow[] = [];
  const conflicts: Conflict[] = [];
  const reused: StoredRow[] = [];
  for (const row of rows) {
    const there = counterpart(row, known);
    const conflict =
      there === undefined ? collision(row, known, hasOwner) : isSame(row, there) ? undefined : describeDifference(row, there);
    if (conflict !== undefined) conflicts.push(conflict);
    else if (there !== undefined) same.push(row);
    else {
      add.push(row);
      if (isReused(row, known)) reused.push(row);
    }
  }
  return { add, same, conflicts, reused };
}

/** Finds the row of the store that has the same id. */
export function counterpart(row: StoredRow, known: KnownRows): StoredRow | undefined {
  if (row.kind === 'owner') return asRow('owner', known.owner(row.record));
  if (row.kind === 'removed_owner') return known.isRemoved(row.record) ? row : undefined;
  if (row.kind === 'passkey') return asRow('passkey', known.passkey(row.record.id));
  return asRow('access', known.access(row.record.id));
}

function asRow<K extends 'owner' | 'passkey' | 'access'>(kind: K, record: Extract<StoredRow, { kind: K }>['record'] | undefined) {
  return record === undefined ? undefined : ({ kind, record } as Extract<StoredRow, { kind: K }>);
}

/** Tests whether two rows are the same. Ignores the order of the members in the results of extensions. */
export function isSame(one: StoredRow, other: StoredRow): boolean {
  return isDeepStrictEqual(rowMembers(one), rowMembers(other));
}

/** Describes how two rows differ. Names only the members, because their values may be secret. */
export function describeDifference(row: StoredRow, there: StoredRow): Conflict {
  const [wanted, found] = [rowMembers(row), rowMembers(there)];
  const names = Object.keys({ ...wanted, ...found }).filter((name) => !isDeepStrictEqual(wanted[name], found[name]));
  return `${nameRow(row)} differs: ${names.join(', ')}`;
}

function collision(row: StoredRow, known: KnownRows, hasOwner: Parameters<typeof keepIds>[2]): Conflict | undefined {
  const name = nameRow(row);
  if (row.kind === 'owner') {
    if (known.isRemoved(row.record)) return `${name} has been removed from the store`;
    const { type, email, userHandle } = row.record;
    const byEmail = known.ownerByEmail(type, email);
    if (byEmail) return `the e-mail of ${name} is that of ${nameRow({ kind: 'owner', record: byEmail })} in the store`;
    // Authenticators keep one passkey for each user handle: two users with the same one would overwrite each other's.
    const byHandle = userHandle && known.ownerByHandle(userHandle);
    return byHandle && `the user handle of ${name} is that of ${nameRow({ kind: 'owner', record: byHandle })} in the store`;
  }
  if (row.kind === 'removed_owner') return known.owner(row.record) && `${name}, who was removed, is a user of the store`;
  if (row.kind === 'passkey') {
    const holder = known.passkeyByCredentialId(row.record.credential.id);
    if (holder) return `the credential ID of ${name} is that of passkey ${holder.id} in the store`;
  } else {
    const holder = known.accessByHash(row.record.kind, row.record.hash);
    if (holder) return `the secret of ${name} is that of ${holder.kind} ${holder.id} in the store`;
  }
  // A user of the store must not come to passkeys of another user.
  const { type, id } = row.record.owner;
  return !hasOwner({ type, id }) && known.owner({ type, id })
    ? `${name} is that of a user ${type}:${id} who is not described, and the store has another ${type}:${id}`
    : undefined;
}

function isReused({ kind, record }: StoredRow, known: KnownRows): boolean {
  if (kind === 'passkey') return record.id < known.next.passkey;
  return kind === 'access' && record.id < known.next.access;
}

/** Counts the decisions about rows. */
export class Tally {
  readonly added = noRows();
  readonly kept = noRows();
  readonly #conflicts: Conflict[] = [];
  readonly #reused: Conflict[] = [];

  add({ add, same, conflicts, reused }: Outcome): void {
    for (const { kind } of add) this.added[kind] += 1;
    for (const { kind } of same) this.kept[kind] += 1;
    this.#conflicts.push(...conflicts);
    this.#reused.push(...reused.map((row) => `the id of ${nameRow(row)} was that of one which the store has no more`));
  }

  /** Lists all conflicts. Reused ids are not conflicts in a store with other rows of this export, which is an unfinished copy. */
  allConflicts(): readonly Conflict[] {
    return sumCounts(this.kept) > 0 ? this.#conflicts : [...this.#conflicts, ...this.#reused];
  }
}
