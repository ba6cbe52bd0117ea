import type { Static } from 'typebox';
import * as Type from 'typebox';
import { escapePointer, locateJsonError, locateUtf8Error } from '../kernel/json-location.js';
import { isWithinDepth } from '../kernel/json-value.js';
import { makeShape } from '../kernel/shape.js';
import { type AccessRow, accessFromRow, Count, Id, type OwnerRow, ownerFromRow, type PasskeyRow, ROWS, type Table } from './records.js';
import { checkPasskeyRow, PackedPasskeys, type UnknownMembers } from './row-text.js';
import { createState, emailKey, hashKey, indexPasskey, ownerKey, putAccess, putOwner, putRemovedOwner, type State } from './state.js';
import { FileDamage, NewerVersion, requireShape } from './store-failures.js';

/** Contents of a file. */
export interface Contents {
  readonly state: State;
  readonly passkeys: PackedPasskeys;
  readonly extra: UnknownMembers;
  /** 32 hexadecimal digits that tie the file to its journal; empty where they are lost. */
  store: string;
  /** Number of the last change that is in `state`. */
  sequence: number;
}

export const FILE_VERSION = 2;

export const StoreFile = Type.Object({
  version: Type.Literal(FILE_VERSION),
  /** Ties the file to its journal. */
  store: Type.String({ pattern: '^[0-9a-f]{32}$' }),
  /** Number of the last change of the journal that is in the file. */
  sequence: Count,
  next_passkey_id: Id,
  next_access_id: Id,
  owners: Type.Array(ROWS.owners),
  removed_owners: Type.Array(ROWS.removed_owners),
  passkeys: Type.Array(ROWS.passkeys),
  accesses: Type.Array(ROWS.accesses),
});

export type StoreFile = Static<typeof StoreFile>;
const FILE_SHAPE = makeShape(StoreFile);

/** Deeper values could be read, but would exhaust the stack when copied or written. Our own records come nowhere near. */
const MAX_DEPTH = 100;

export function emptyContents(store = ''): Contents {
  const extra: UnknownMembers = new Map();
  const passkeys = new PackedPasskeys(extra);
  return { state: createState(passkeys), passkeys, extra, store, sequence: 0 };
}

/** @throws FileDamage · NewerVersion */
export function decodeFile(bytes: Uint8Array): Contents {
  const file = validate(parse(bytes));
  const contents = emptyContents();
  readHead(contents, file);
  file.owners.forEach((row, index) => addOwner(contents, row, `/owners/${index}`));
  file.removed_owners.forEach((row, index) => addRemovedOwner(contents, row, `/removed_owners/${index}`));
  for (const [index, row] of ascending(file.passkeys)) addPasskey(contents, { row }, `/passkeys/${index}`);
  for (const [index, row] of ascending(file.accesses)) addAccess(contents, row, `/accesses/${index}`);
  keepUnknownMembers(contents.extra, '', { row: file, known: StoreFile.properties, at: '' });
  return contents;
}

/** The members of a file that are no rows. */
export function readHead(contents: Contents, file: Omit<StoreFile, Table>): void {
  contents.store = file.store;
  contents.sequence = file.sequence;
  contents.state.nextPasskeyId = file.next_passkey_id;
  contents.state.nextAccessId = file.next_access_id;
}

// The functions below add a row that has the right shape and that no other contradicts. They throw FileDamage.

export function addOwner({ state, extra }: Contents, row: OwnerRow, at: string): void {
  refuse(state.owners.has(ownerKey(row)), `${at}/id`, 'appears twice within its type');
  refuse(state.ownerKeyByEmail.has(emailKey(row.type, row.email)), `${at}/email`, 'appears twice within its type');
  putOwner(state, ownerFromRow(row, at));
  keepUnknownMembers(extra, `owners/${ownerKey(row)}`, { row, known: ROWS.owners.properties, at });
}

export function addRemovedOwner({ state, extra }: Contents, row: { readonly type: string; readonly id: number }, at: string): void {
  refuse(state.owners.has(ownerKey(row)), `${at}/id`, 'belongs to an owner who still exists');
  putRemovedOwner(state, { type: row.type, id: row.id });
  keepUnknownMembers(extra, `removed_owners/${ownerKey(row)}`, { row, known: ROWS.removed_owners.properties, at });
}

/** @param text the row as one line, where it stands as one. */
export function addPasskey({ state, passkeys, extra }: Contents, { row, text }: { row: PasskeyRow; text?: string }, at: string): void {
  refuseDepth(row.client_extension_results, `${at}/client_extension_results`);
  checkPasskeyRow(row, at);
  const { id, credential_id: key } = row;
  refuse(passkeys.has(id), `${at}/id`, 'appears twice');
  refuse(id >= state.nextPasskeyId, `${at}/id`, `is not below next_passkey_id, ${state.nextPasskeyId}`);
  refuse(state.passkeyIdByCredential.has(key), `${at}/credential_id`, 'appears twice');
  keepUnknownMembers(extra, `passkeys/${id}`, { row, known: ROWS.passkeys.properties, at });
  indexPasskey(state, { id, key, owner: { type: row.owner_type, id: row.owner_id }, revoked: row.revoked_at !== null });
  passkeys.setText(id, text ?? JSON.stringify(row));
}

export function addAccess({ state, extra }: Contents, row: AccessRow, at: string): void {
  const access = accessFromRow(row, at);
  refuse(state.accesses.has(row.id), `${at}/id`, 'appears twice');
  refuse(row.id >= state.nextAccessId, `${at}/id`, `is not below next_access_id, ${state.nextAccessId}`);
  refuse(state.accessIdByHash.has(hashKey(access.kind, access.hash)), `${at}/hash`, 'appears twice within its kind');
  putAccess(state, access);
  keepUnknownMembers(extra, `accesses/${row.id}`, { row, known: ROWS.accesses.properties, at });
}

/** @throws FileDamage for one that is nested too deeply. */
export function keepUnknownMembers(
  extra: UnknownMembers,
  key: string,
  { row, known, at }: { row: object; known: object; at: string },
): void {
  const names = Object.keys(row).filter((name) => !Object.hasOwn(known, name));
  if (names.length === 0) return;
  const values = new Map(Object.entries(row));
  for (const name of names) refuseDepth(values.get(name), `${at}/${escapePointer(name)}`);
  extra.set(key, Object.fromEntries(names.map((name) => [name, values.get(name)])));
}

function parse(bytes: Uint8Array): unknown {
  if (bytes.length === 0) throw new FileDamage('1:1', 'the file is empty');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    const wrong = locateUtf8Error(bytes);
    throw new FileDamage(wrong ? `${wrong.line}:${wrong.column}` : '', `expected UTF-8, got ${wrong?.received ?? 'something else'}`, cause);
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    const found = locateJsonError(text);
    if (found === undefined) throw new FileDamage('', 'expected JSON', cause);
    throw new FileDamage(`${found.line}:${found.column}`, `expected ${found.expected}, got ${found.received}`, cause);
  }
}

/** @throws FileDamage · NewerVersion */
export function validate(value: unknown): StoreFile {
  if (
    typeof value === 'object' &&
    value !== null &&
    'version' in value &&
    Number.isInteger(value.version) &&
    Number(value.version) > FILE_VERSION
  ) {
    throw new NewerVersion(Number(value.version), FILE_VERSION);
  }
  return requireShape(FILE_SHAPE, value);
}

export function refuse(wrong: boolean, at: string, detail: string): void {
  if (wrong) throw new FileDamage(at, detail);
}

export function refuseDepth(value: unknown, at: string): void {
  refuse(!isWithinDepth(value, MAX_DEPTH), at, `is nested more than ${MAX_DEPTH} levels deep`);
}

/** Rows with their index, in ascending order of id. */
function ascending<T extends { readonly id: number }>(rows: readonly T[]): [number, T][] {
  return [...rows.entries()].sort(([, a], [, b]) => a.id - b.id);
}
