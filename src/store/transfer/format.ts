import { createHash } from 'node:crypto';
import type { FieldError } from '../../errors.js';
import { wrongOwnerFields, wrongOwnerRef } from '../../kernel/owner.js';
import { isStorable, STORABLE_TEXT } from '../../kernel/storable.js';
import { clause } from '../../kernel/wording.js';
import { FileDamage } from '../file-damage.js';
import { encodeRecord, type Line } from '../log-lines.js';
import { checkPasskeyRow } from '../passkey-rows.js';
import {
  type AccessRow,
  accessToRow,
  IN_FILE,
  type OwnerRow,
  ownerToRow,
  type PasskeyRow,
  passkeyToRow,
  readAccess,
  readOwner,
  readPasskey,
} from '../records.js';
import type { StoredRow } from '../transfer-port.js';

// What an export must not bring into a store, although its rows have the right shape: what the accounts would not have taken, and what
// not every store can keep. A file that is a store already stays readable with it.

/** Pattern of times whose year every kind of store can keep. */
const TIME = /^(?!0000)\d{4}-/;

/**
 * Checks the row of an owner.
 *
 * @param at position of the row, as a JSON Pointer.
 * @throws FileDamage naming the first member that a store would refuse.
 */
function checkOwner(row: OwnerRow, at: string): void {
  refuseFirst(wrongOwnerFields(row), `${at}/`);
  checkMembers(row, at);
}

/** Checks the row of a removed owner, like {@link checkOwner}. */
function checkRemovedOwner(row: Pick<OwnerRow, 'type' | 'id'>, at: string): void {
  refuseFirst(wrongOwnerRef(row), `${at}/`);
}

/** Checks a row that belongs to a user, like {@link checkOwner}. */
function checkOwned(row: PasskeyRow | AccessRow, at: string): void {
  refuseFirst(wrongOwnerRef({ type: row.owner_type, id: row.owner_id }), `${at}/owner_`);
  checkMembers(row, at);
}

/**
 * Throws a FileDamage for the first error in a list; does nothing if the list is empty.
 *
 * @param before text to put before the name of the member.
 */
function refuseFirst([first]: readonly FieldError[], before: string): void {
  if (first) throw new FileDamage(`${before}${first.pointer.slice(1)}`, `is refused: ${clause(first.detail)}`);
}

function checkMembers(row: OwnerRow | PasskeyRow | AccessRow, at: string): void {
  for (const [name, value] of Object.entries(row)) {
    if (!isStorable(value)) throw new FileDamage(`${at}/${name}`, `is refused: a text ${STORABLE_TEXT}`);
    if (name.endsWith('_at') && typeof value === 'string' && !TIME.test(value)) {
      throw new FileDamage(`${at}/${name}`, 'is not of the years 0001 to 9999');
    }
  }
}

/** Reads the row in a line of an export. @throws FileDamage without a line number if the row is invalid. */
export function readRow(line: Line): StoredRow {
  switch (line.kind) {
    case 'passkey':
      checkPasskeyRow(line.row, '/passkey');
      checkOwned(line.row, '/passkey');
      return { kind: 'passkey', record: readPasskey(line.row, IN_FILE, '/passkey') };
    case 'access':
      checkOwned(line.row, '/access');
      return { kind: 'access', record: readAccess(line.row, IN_FILE, '/access') };
    case 'owner':
      checkOwner(line.row, '/owner');
      return { kind: 'owner', record: readOwner(line.row, IN_FILE, '/owner') };
    case 'removed_owner':
      checkRemovedOwner(line.row, '/removed_owner');
      return { kind: 'removed_owner', record: line.row };
    default:
      throw new FileDamage('', `expected an owner, removed_owner, passkey, access or end, got ${line.kind}`);
  }
}

/** Encodes a row as a line, without its line feed. */
export function rowLine(row: StoredRow): string {
  if (row.kind === 'owner') return encodeRecord('owners', row.record);
  if (row.kind === 'passkey') return encodeRecord('passkeys', row.record);
  if (row.kind === 'access') return encodeRecord('accesses', row.record);
  return encodeRecord('removed_owners', row.record);
}

export function rowMembers(row: StoredRow): Readonly<Record<string, unknown>> {
  if (row.kind === 'owner') return { ...ownerToRow(row.record) };
  if (row.kind === 'passkey') return { ...passkeyToRow(row.record) };
  if (row.kind === 'access') return { ...accessToRow(row.record) };
  return { type: row.record.type, id: row.record.id };
}

/** Digest of the lines of an export, which the end mark contains. */
export class LinesDigest {
  readonly #hash = createHash('sha256');

  add(line: string): void {
    this.#hash.update(line).update('\n');
  }

  /** Returns the digest in hexadecimal. No line can be added afterwards. */
  hex(): string {
    return this.#hash.digest('hex');
  }
}

/** Builds the name of a row for messages. */
export function nameRow(row: StoredRow): string {
  const { kind, record } = row;
  return kind === 'passkey'
    ? `passkey ${record.id}`
    : kind === 'access'
      ? `${record.kind} ${record.id}`
      : `user ${record.type}:${record.id}`;
}
