import { Compile } from 'typebox/schema';
import type { Access, Owner } from '../accounts/ports.js';
import type { Passkey } from '../relying-party/credential-record.js';
import { escapePointer, locateJsonError, locateUtf8Error } from '../webauthn/json-location.js';
import { isWithinDepth } from '../webauthn/json-value.js';
import { accessFromRow, accessToRow, FileDamage, ownerFromRow, ownerToRow, passkeyFromRow, passkeyToRow } from './file-rows.js';
import { FILE_VERSION, ROWS, StoreFile, TABLES, type Table } from './file-schema.js';
import {
  createState,
  credentialKey,
  emailKey,
  hashKey,
  ownerKey,
  putAccess,
  putOwner,
  putPasskey,
  putRemovedOwner,
  type State,
} from './state.js';

/** What a file holds. `extra` are the members that this version does not know, by row (`''`: the file itself). */
export interface Contents {
  readonly state: State;
  readonly extra: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
}

/** The file is intact, but a later version of this program wrote it. */
export class NewerVersion extends Error {
  readonly version: number;

  constructor(version: number) {
    super(`schema version ${version}`);
    this.version = version;
  }
}

const validator = Compile(StoreFile);
const rowValidators = { owners: Compile(ROWS.owners), passkeys: Compile(ROWS.passkeys), accesses: Compile(ROWS.accesses) };

/** Deeper values could be read, but would exhaust the stack when copied or written. Our own records come nowhere near. */
const MAX_DEPTH = 100;

export function emptyContents(): Contents {
  return { state: createState(), extra: new Map() };
}

/** @throws FileDamage · NewerVersion */
export function decodeFile(bytes: Uint8Array): Contents {
  const file = validate(parse(bytes));
  const state = createState();
  state.nextPasskeyId = file.next_passkey_id;
  state.nextAccessId = file.next_access_id;
  file.owners.forEach((row, index) => {
    const at = `/owners/${index}`;
    refuse(state.owners.has(ownerKey(row)), `${at}/id`, 'appears twice within its type');
    refuse(state.ownerKeyByEmail.has(emailKey(row.type, row.email)), `${at}/email`, 'appears twice within its type');
    putOwner(state, ownerFromRow(row, at));
  });
  file.removed_owners.forEach((row, index) => {
    refuse(state.owners.has(ownerKey(row)), `/removed_owners/${index}/id`, 'belongs to an owner who still exists');
    putRemovedOwner(state, { type: row.type, id: row.id });
  });
  for (const [index, row] of ascending(file.passkeys)) {
    const at = `/passkeys/${index}`;
    refuseDepth(row.client_extension_results, `${at}/client_extension_results`);
    const passkey = passkeyFromRow(row, at);
    refuse(state.passkeys.has(row.id), `${at}/id`, 'appears twice');
    refuse(row.id >= file.next_passkey_id, `${at}/id`, `is not below next_passkey_id, ${file.next_passkey_id}`);
    refuse(state.passkeyIdByCredential.has(credentialKey(passkey.credential.id)), `${at}/credential_id`, 'appears twice');
    putPasskey(state, passkey);
  }
  for (const [index, row] of ascending(file.accesses)) {
    const at = `/accesses/${index}`;
    const access = accessFromRow(row, at);
    refuse(state.accesses.has(row.id), `${at}/id`, 'appears twice');
    refuse(row.id >= file.next_access_id, `${at}/id`, `is not below next_access_id, ${file.next_access_id}`);
    refuse(state.accessIdByHash.has(hashKey(access.kind, access.hash)), `${at}/hash`, 'appears twice within its kind');
    putAccess(state, access);
  }
  return { state, extra: unknownMembers(file) };
}

/** A file in pieces: whether it can be one text is for the caller to see. */
export interface EncodedFile {
  readonly pieces: readonly string[];
  /** Its size in UTF-8. */
  readonly bytes: number;
}

/** One row per line, so that a diff of two stores is readable. */
export function encodeFile({ state, extra }: Contents): EncodedFile {
  const rows: Readonly<Record<Table, readonly string[]>> = {
    owners: lines('owners', state.owners, ownerToRow, extra),
    removed_owners: removedOwnerLines(state, extra),
    passkeys: lines('passkeys', state.passkeys, passkeyToRow, extra),
    accesses: lines('accesses', state.accesses, accessToRow, extra),
  };
  const pieces = [
    `{\n  "version": ${FILE_VERSION},\n  "next_passkey_id": ${state.nextPasskeyId},\n  "next_access_id": ${state.nextAccessId}`,
  ];
  for (const table of TABLES) {
    pieces.push(`,\n  "${table}": [`);
    rows[table].forEach((row, index) => pieces.push(index === 0 ? '\n    ' : ',\n    ', row));
    pieces.push(rows[table].length === 0 ? ']' : '\n  ]');
  }
  for (const [name, value] of Object.entries(extra.get('') ?? {})) pieces.push(`,\n  ${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  pieces.push('\n}\n');
  return { pieces, bytes: pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0) };
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

function validate(value: unknown): StoreFile {
  if (
    typeof value === 'object' &&
    value !== null &&
    'version' in value &&
    Number.isInteger(value.version) &&
    Number(value.version) > FILE_VERSION
  ) {
    throw new NewerVersion(Number(value.version));
  }
  if (validator.Check(value)) return value;
  const [first] = validator.Errors(value)[1];
  const missing = first?.keyword === 'required' ? first.params.requiredProperties[0] : undefined;
  throw new FileDamage(
    `${first?.instancePath ?? ''}${missing === undefined ? '' : `/${missing}`}` || '1:1',
    missing === undefined ? (first?.message ?? 'has the wrong shape') : 'is missing',
  );
}

function refuse(wrong: boolean, at: string, detail: string): void {
  if (wrong) throw new FileDamage(at, detail);
}

function refuseDepth(value: unknown, at: string): void {
  refuse(!isWithinDepth(value, MAX_DEPTH), at, `is nested more than ${MAX_DEPTH} levels deep`);
}

/** Rows with their index, in ascending order of id. */
function ascending<T extends { readonly id: number }>(rows: readonly T[]): [number, T][] {
  return [...rows.entries()].sort(([, a], [, b]) => a.id - b.id);
}

function unknownMembers(file: StoreFile): Contents['extra'] {
  const extra = new Map<string, Readonly<Record<string, unknown>>>();
  const keep = (key: string, { row, known, at }: { row: object; known: object; at: string }): void => {
    const unknown = Object.entries(row).filter(([name]) => !Object.hasOwn(known, name));
    if (unknown.length === 0) return;
    for (const [name, value] of unknown) refuseDepth(value, `${at}/${escapePointer(name)}`);
    extra.set(key, Object.fromEntries(unknown));
  };
  const keepOf = <T extends object>(table: Table, rows: readonly T[], keyOf: (row: T) => string | number): void => {
    for (const [index, row] of rows.entries()) {
      keep(`${table}/${keyOf(row)}`, { row, known: ROWS[table].properties, at: `/${table}/${index}` });
    }
  };
  keep('', { row: file, known: StoreFile.properties, at: '' });
  keepOf('owners', file.owners, ownerKey);
  keepOf('removed_owners', file.removed_owners, ownerKey);
  keepOf('passkeys', file.passkeys, ({ id }) => id);
  keepOf('accesses', file.accesses, ({ id }) => id);
  return extra;
}

/** Records are replaced, never changed, so the line of a record stays valid. */
const encodedLines = new WeakMap<object, string>();

function lines<T extends Owner | Passkey | Access>(
  table: keyof typeof rowValidators,
  records: ReadonlyMap<number | string, T>,
  toRow: (record: T) => object,
  extra: Contents['extra'],
): string[] {
  return [...records].map(([key, record]) => {
    const known = encodedLines.get(record);
    if (known !== undefined) return known;
    const row = toRow(record);
    // A row that cannot be read again would make the whole store unreadable.
    if (!rowValidators[table].Check(row)) throw new TypeError(`A record does not have the shape of a row of ${table}.`);
    const text = JSON.stringify({ ...row, ...extra.get(`${table}/${key}`) });
    encodedLines.set(record, text);
    return text;
  });
}

function removedOwnerLines(state: State, extra: Contents['extra']): string[] {
  return [...state.removedOwnerIds].flatMap(([type, ids]) =>
    [...ids].map((id) => JSON.stringify({ type, id, ...extra.get(`removed_owners/${ownerKey({ type, id })}`) })),
  );
}
