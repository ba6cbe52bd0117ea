import { createHash } from 'node:crypto';
import { FileDamage } from './file-damage.js';
import { type EndLine, encodeRecord, type HeadLine, type Line, STORE_VERSION, toLine, withoutMore } from './log-lines.js';
import { checkPasskeyRow, PasskeyLines } from './passkey-rows.js';
import {
  type AccessRow,
  IN_FILE,
  type OwnerRow,
  type PasskeyRow,
  type Records,
  readAccess,
  readOwner,
  TABLES,
  type Table,
} from './records.js';
import {
  compareRefs,
  createState,
  type Draft,
  dropAccess,
  dropOwner,
  dropPasskeys,
  emailKey,
  hashKey,
  indexPasskey,
  ownerKey,
  putAccess,
  putOwner,
  putRemovedOwner,
  raiseNextIds,
  type State,
} from './state.js';

/** The rows in a store's file, as held in memory. */
export interface Contents {
  readonly state: State;
  /** Table of passkeys, the same as in `state`. */
  readonly passkeys: PasskeyLines;
  /** Length in bytes that the file would have if it were rewritten now. It is slightly too large if the head is short. */
  bytes: number;
}

const LONGEST_HEAD = 160;

export function emptyContents(): Contents {
  const passkeys = new PasskeyLines();
  return { state: createState(passkeys), passkeys, bytes: LONGEST_HEAD };
}

export function countRows({ owners, removedOwners, passkeys, accesses }: State): number {
  return owners.size + removedOwners.size + passkeys.size + accesses.size;
}

/** A parsed line of the file, and its text without the line feed. */
export interface ReadLine {
  readonly line: Line;
  readonly text: string;
}

/**
 * Applies the lines of one change to the contents.
 *
 * @throws FileDamage without a line number if rows contradict others. A part of the change may then have been applied.
 */
export function applyChange(contents: Contents, lines: readonly ReadLine[]): void {
  if (lines.length > 1) {
    freeEmails(contents.state, lines);
    dropTogether(contents, lines);
  }
  for (const { line, text } of lines) applyLine(contents, line, line.more ? withoutMore(text) : text);
}

/** Frees the e-mail addresses of all users in a change before it is applied, so that users who exchange addresses do not collide. */
function freeEmails(state: State, lines: readonly ReadLine[]): void {
  for (const { line } of lines) {
    const before = line.kind === 'owner' ? state.owners.get(ownerKey(line.row)) : undefined;
    if (before) state.ownerKeyByEmail.delete(emailKey(before.type, before.email));
  }
}

/** Removes passkeys of the same user together, so that the user's list of passkeys is written only once. */
function dropTogether(contents: Contents, lines: readonly ReadLine[]): void {
  const ids = lines.flatMap(({ line }) => (line.kind === 'gone_passkey' ? line.id : []));
  if (ids.length > 1) removePasskeys(contents, ids);
}

function applyLine(contents: Contents, line: Line, text: string): void {
  const { state } = contents;
  switch (line.kind) {
    case 'passkey':
      return applyPasskey(contents, line.row, text);
    case 'access':
      return applyAccess(contents, line.row, text);
    case 'owner':
      return applyOwner(contents, line.row, text);
    case 'removed_owner': {
      const { row } = line;
      const before = state.owners.get(ownerKey(row));
      if (before) {
        contents.bytes -= bytesOf(encodeRecord('owners', before));
        dropOwner(state, before);
      }
      if (state.removedOwners.has(ownerKey(row))) return;
      contents.bytes += bytesOf(text);
      return putRemovedOwner(state, { type: row.type, id: row.id });
    }
    case 'gone_passkey':
      return removePasskeys(contents, [line.id]);
    case 'gone_access': {
      const before = state.accesses.get(line.id);
      raiseNextIds(state, { passkey: 1, access: line.id + 1 });
      if (before === undefined) return;
      contents.bytes -= bytesOf(encodeRecord('accesses', before));
      return dropAccess(state, before);
    }
    case 'next':
      return raiseNextIds(state, line);
    case 'end':
      throw new FileDamage('', 'expected an end mark only in an export, after all rows');
  }
}

function applyPasskey(contents: Contents, row: PasskeyRow, text: string): void {
  const { state, passkeys } = contents;
  const { id, credential_id: key } = row;
  checkPasskeyRow(row, '/passkey');
  const holder = state.passkeyIdByCredential.get(key);
  refuse(holder !== undefined && holder !== id, `the credential of passkey ${id} is that of passkey ${holder}`);
  refuse(holder === undefined && passkeys.has(id), `passkey ${id} has another credential`);
  contents.bytes += bytesOf(text) - bytesOf(passkeys.line(id));
  indexPasskey(state, { id, key, owner: { type: row.owner_type, id: row.owner_id }, revoked: row.revoked_at !== null });
  passkeys.setLine(id, text);
  raiseNextIds(state, { passkey: id + 1, access: 1 });
}

function applyAccess(contents: Contents, row: AccessRow, text: string): void {
  const { state } = contents;
  const access = readAccess(row, IN_FILE, '/access');
  const before = state.accesses.get(row.id);
  const holder = state.accessIdByHash.get(hashKey(access.kind, access.hash));
  refuse(holder !== undefined && holder !== row.id, `the hash of access ${row.id} is that of access ${holder}`);
  refuse(holder === undefined && before !== undefined, `access ${row.id} has another hash`);
  contents.bytes += bytesOf(text) - bytesOf(before && encodeRecord('accesses', before));
  putAccess(state, access);
  raiseNextIds(state, { passkey: 1, access: row.id + 1 });
}

function applyOwner(contents: Contents, row: OwnerRow, text: string): void {
  const { state } = contents;
  const key = ownerKey(row);
  const owner = readOwner(row, IN_FILE, '/owner');
  refuse(state.removedOwners.has(key), `the user ${row.type}:${row.id} has been removed`);
  const before = state.owners.get(key);
  const holder = state.ownerKeyByEmail.get(emailKey(row.type, row.email)) ?? key;
  refuse(holder !== key, `the e-mail of ${row.type}:${row.id} is taken`);
  contents.bytes += bytesOf(text) - bytesOf(before && encodeRecord('owners', before));
  if (before) state.ownerKeyByEmail.delete(emailKey(before.type, before.email));
  putOwner(state, owner);
}

function removePasskeys(contents: Contents, ids: readonly number[]): void {
  const { state, passkeys } = contents;
  const gone = ids.flatMap((id) => passkeys.get(id) ?? []);
  for (const { id } of gone) contents.bytes -= bytesOf(passkeys.line(id));
  for (const id of ids) raiseNextIds(state, { passkey: id + 1, access: 1 });
  dropPasskeys(state, gone);
}

function refuse(wrong: boolean, detail: string): void {
  if (wrong) throw new FileDamage('', detail);
}

/** Computes the length in bytes of a row as a line of the file. */
function bytesOf(line: string | undefined): number {
  return line === undefined ? 0 : line.length + 1;
}

/**
 * Encodes the changes of a draft as lines, without line feeds.
 *
 * @throws TypeError for a record that could not be read back.
 */
export function encodeDraft({ base, state, changes }: Draft): string[] {
  const { passkeys, accesses } = changes;
  const lines = [
    ...Array.from(passkeys.gone, (id) => toLine({ gone_passkey: id })),
    ...Array.from(accesses.gone, (id) => toLine({ gone_access: id })),
    ...TABLES.flatMap((table) => encodePut(table, changes[table].put)),
  ];
  // The rows raise the next ids as well, mostly as far.
  const next = { passkey: state.nextPasskeyId, access: state.nextAccessId };
  const passkey = nextAfter(base.nextPasskeyId, passkeys);
  const access = nextAfter(base.nextAccessId, accesses);
  return next.passkey > passkey || next.access > access ? [...lines, toLine({ next })] : lines;
}

function nextAfter(next: number, { put, gone }: Pick<Changed<number, unknown>, 'put' | 'gone'>): number {
  for (const ids of [put, gone]) for (const id of ids.keys()) next = Math.max(next, id + 1);
  return next;
}

function encodePut<T extends Table>(table: T, put: ReadonlyMap<string | number, Records[T]>): string[] {
  return Array.from(put.values(), (record) => encodeRecord(table, record));
}

/** Computes how many bytes longer the contents become by the changes of a draft. */
export function measureGrowth({ passkeys }: Contents, { changes }: Draft): number {
  return (
    growthOf('owners', changes.owners) +
    growthOf('removed_owners', changes.removed_owners) +
    growthOf('accesses', changes.accesses) +
    growthOf('passkeys', changes.passkeys, (id) => passkeys.line(id))
  );
}

interface Changed<Key, Record> {
  readonly put: ReadonlyMap<Key, Record>;
  readonly gone: ReadonlySet<Key>;
  before(key: Key): Record | undefined;
}

function growthOf<T extends Table, Key>(
  table: T,
  changed: Changed<Key, Records[T]>,
  lineBefore = (key: Key): string | undefined => {
    const record = changed.before(key);
    return record && encodeRecord(table, record);
  },
): number {
  let bytes = 0;
  for (const [key, record] of changed.put) bytes += bytesOf(encodeRecord(table, record)) - bytesOf(lineBefore(key));
  for (const key of changed.gone) bytes -= bytesOf(lineBefore(key));
  return bytes;
}

/** Number of characters to write at a time. */
const PIECE = 64 * 1024;

/**
 * Makes the text of a file with the rows at the time of the call, in pieces that are made on demand. Later changes are not in the text.
 *
 * @param file the id of the new file. Without it, the text is that of an export.
 */
export function takeFileText({ state, passkeys }: Contents, file?: string): Iterable<string> {
  const head: HeadLine = {
    passkey_store: STORE_VERSION,
    ...(file !== undefined && { file }),
    next_passkey_id: state.nextPasskeyId,
    next_access_id: state.nextAccessId,
    rows: countRows(state),
  };
  const owners = [...state.owners.values()].sort(compareRefs);
  const removed = [...state.removedOwners.values()].sort(compareRefs);
  const passkeyLines = passkeys.sortedLines();
  const accesses = [...state.accesses.values()].sort((a, b) => a.id - b.id);
  function* lines(): Generator<string> {
    yield toLine(head);
    for (const owner of owners) yield encodeRecord('owners', owner);
    for (const owner of removed) yield encodeRecord('removed_owners', owner);
    yield* passkeyLines;
    for (const access of accesses) yield encodeRecord('accesses', access);
  }
  return inPieces(file === undefined ? withEnd(lines()) : lines());
}

/** Adds the end mark of an export after the lines. */
function* withEnd(lines: Iterable<string>): Generator<string> {
  const digest = createHash('sha256');
  for (const line of lines) {
    digest.update(line).update('\n');
    yield line;
  }
  yield toLine({ end: { sha256: digest.digest('hex') } } satisfies EndLine);
}

function* inPieces(lines: Iterable<string>): Generator<string> {
  let parts: string[] = [];
  let length = 0;
  for (const line of lines) {
    parts.push(line, '\n');
    length += line.length + 1;
    if (length < PIECE) continue;
    yield parts.join('');
    parts = [];
    length = 0;
  }
  yield parts.join('');
}
