import { escapePointer } from '../kernel/json-location.js';
import { isWithinDepth } from '../kernel/json-value.js';
import { FileDamage } from './file-damage.js';
import { IN_FILE, type Records, ROWS, type Rows, readAccess, readOwner, readPasskey, TABLES, type Table } from './records.js';
import { bytesOfRow, checkPasskeyRow, encodeRow, PackedPasskeys, rowName, type UnknownMembers } from './row-text.js';
import {
  createState,
  credentialKey,
  type Draft,
  dropOwner,
  emailKey,
  hashKey,
  indexPasskey,
  ownerKey,
  putAccess,
  putOwner,
  putPasskey,
  putRemovedOwner,
  type State,
} from './state.js';

// The rows of a file and of its journal, on their way into a state.

/** Contents of a file. */
export interface Contents {
  readonly state: State;
  readonly passkeys: PackedPasskeys;
  readonly extra: UnknownMembers;
  /** 32 hexadecimal digits that tie the file to its journal; empty if they are lost. */
  store: string;
  /** Number of the last change that is in `state`. */
  sequence: number;
}

export function emptyContents(store = ''): Contents {
  const extra: UnknownMembers = new Map();
  const passkeys = new PackedPasskeys(extra);
  return { state: createState(passkeys), passkeys, extra, store, sequence: 0 };
}

/** Deeper values could be read, but would exhaust the stack when copied or written. Our own records come nowhere near. */
const MAX_DEPTH = 100;

type Add<Row> = (contents: Contents, row: Row, at: string) => void;

/** Refuse rows that contradict others. */
const ADD: { readonly [T in Table]: Add<Rows[T]> } = {
  owners({ state }, row, at) {
    refuse(state.owners.has(ownerKey(row)), `${at}/id`, 'appears twice within its type');
    refuse(state.ownerKeyByEmail.has(emailKey(row.type, row.email)), `${at}/email`, 'appears twice within its type');
    putOwner(state, readOwner(row, IN_FILE, at));
  },
  removed_owners({ state }, row, at) {
    refuse(state.owners.has(ownerKey(row)), `${at}/id`, 'belongs to an owner who still exists');
    putRemovedOwner(state, { type: row.type, id: row.id });
  },
  passkeys({ state, passkeys }, row, at) {
    refuseDepth(row.client_extension_results, `${at}/client_extension_results`);
    checkPasskeyRow(row, at);
    const { id, credential_id: key } = row;
    refuse(passkeys.has(id), `${at}/id`, 'appears twice');
    refuse(id >= state.nextPasskeyId, `${at}/id`, `is not below next_passkey_id, ${state.nextPasskeyId}`);
    refuse(state.passkeyIdByCredential.has(key), `${at}/credential_id`, 'appears twice');
    indexPasskey(state, { id, key, owner: { type: row.owner_type, id: row.owner_id }, revoked: row.revoked_at !== null });
    passkeys.setText(id, JSON.stringify(row));
  },
  accesses({ state }, row, at) {
    const access = readAccess(row, IN_FILE, at);
    refuse(state.accesses.has(row.id), `${at}/id`, 'appears twice');
    refuse(row.id >= state.nextAccessId, `${at}/id`, `is not below next_access_id, ${state.nextAccessId}`);
    refuse(state.accessIdByHash.has(hashKey(access.kind, access.hash)), `${at}/hash`, 'appears twice within its kind');
    putAccess(state, access);
  },
};

/** Inserts rows of the journal, replacing rows with the same keys. */
const PUT: { readonly [T in Table]: (state: State, row: Rows[T]) => void } = {
  owners(state, row) {
    const key = ownerKey(row);
    const before = state.owners.get(key);
    if (before && emailKey(before.type, before.email) !== emailKey(row.type, row.email)) dropOwner(state, before);
    refuse((state.ownerKeyByEmail.get(emailKey(row.type, row.email)) ?? key) !== key, '', `the e-mail of ${row.type}:${row.id} is taken`);
    putOwner(state, readOwner(row, IN_FILE, ''));
  },
  removed_owners: (state, row) => putRemovedOwner(state, { type: row.type, id: row.id }),
  passkeys(state, row) {
    refuseDepth(row.client_extension_results, '');
    const passkey = readPasskey(row, IN_FILE, '');
    const holder = state.passkeyIdByCredential.get(credentialKey(passkey.credential.id));
    refuse((holder ?? row.id) !== row.id, '', `the credential of passkey ${row.id} is that of passkey ${holder}`);
    refuse(state.passkeys.has(row.id) && holder === undefined, '', `passkey ${row.id} has another credential`);
    putPasskey(state, passkey);
  },
  accesses(state, row) {
    const access = readAccess(row, IN_FILE, '');
    const holder = state.accessIdByHash.get(hashKey(access.kind, access.hash));
    refuse((holder ?? row.id) !== row.id, '', `the hash of access ${row.id} is that of access ${holder}`);
    putAccess(state, access);
  },
};

/** Adds a row of a file that has its shape. @throws FileDamage for a row that contradicts another. */
export function addRow<T extends Table>(contents: Contents, table: T, row: Rows[T], at: string): void {
  const unknown = findUnknownMembers(row, ROWS[table].properties, at);
  ADD[table](contents, row, at);
  if (unknown) contents.extra.set(rowName(table, row), unknown);
}

/** Puts rows of the journal into a state. @throws FileDamage without a place. */
export function putRows<T extends Table>(
  { state, extra }: { state: State; extra: UnknownMembers },
  table: T,
  rows: readonly Rows[T][],
): void {
  for (const row of rows) {
    const unknown = findUnknownMembers(row, ROWS[table].properties, '');
    if (unknown) extra.set(rowName(table, row), unknown);
    PUT[table](state, row);
  }
}

/** Finds the members that this version does not know. @throws FileDamage for a row that is nested too deeply. */
export function findUnknownMembers(row: object, known: object, at: string): Readonly<Record<string, unknown>> | undefined {
  const isKnown = (name: string) => Object.hasOwn(known, name);
  if (Object.keys(row).every(isKnown)) return undefined;
  const unknown = Object.entries(row).filter(([name]) => !isKnown(name));
  for (const [name, value] of unknown) refuseDepth(value, `${at}/${escapePointer(name)}`);
  return Object.fromEntries(unknown);
}

export function refuse(wrong: boolean, at: string, detail: string): void {
  if (wrong) throw new FileDamage(at, detail);
}

export function refuseDepth(value: unknown, at: string): void {
  refuse(!isWithinDepth(value, MAX_DEPTH), at, `is nested more than ${MAX_DEPTH} levels deep`);
}

/** Counts by how many bytes the rows of a draft make the file longer. */
export function measureGrowth(contents: Contents, { changes }: Draft): number {
  return TABLES.reduce((bytes, table) => bytes + measureTable(contents, table, changes[table]), 0);
}

interface Changed<Key, Record> {
  readonly put: ReadonlyMap<Key, Record>;
  readonly gone: ReadonlySet<Key>;
  before(key: Key): Record | undefined;
}

function measureTable<T extends Table>({ passkeys, extra }: Contents, table: T, changed: Changed<string | number, Records[T]>): number {
  const rowBefore = (key: string | number): string | undefined => {
    if (table === 'passkeys') return passkeys.text(Number(key));
    const record = changed.before(key);
    return record && encodeRow(table, record, extra);
  };
  let bytes = 0;
  for (const [key, record] of changed.put) bytes += bytesOfRow(encodeRow(table, record, extra)) - bytesOfRow(rowBefore(key));
  for (const key of changed.gone) bytes -= bytesOfRow(rowBefore(key));
  return bytes;
}
