import { crc32 } from 'node:zlib';
import type { Static, TSchema } from 'typebox';
import * as Type from 'typebox';
import { makeShape } from '../kernel/shape.js';
import { type Contents, keepUnknownMembers, refuse, refuseDepth } from './file-codec.js';
import { accessFromRow, Count, Id, ownerFromRow, passkeyFromRow, ROWS } from './records.js';
import { accessText, bytesOfRow, ownerText, passkeyText, removedOwnerText, type UnknownMembers } from './row-text.js';
import {
  credentialKey,
  type Draft,
  dropAccess,
  dropOwner,
  dropPasskeys,
  emailKey,
  hashKey,
  ownerKey,
  putAccess,
  putOwner,
  putPasskey,
  putRemovedOwner,
} from './state.js';
import { FileDamage } from './store-failures.js';

// The journal: a line of JSON for each write, after a first line that ties it to its file. Every line begins with a checksum (CRC-32)
// of what follows it. docs/store.md describes it.

export const JOURNAL_VERSION = 2;

const optionalRows = <T extends TSchema>(row: T) => Type.Optional(Type.Array(row));
const Hex = Type.String({ pattern: '^[0-9a-f]{32}$' });

/** How a file shows that it is the same as before. */
const FileMark = Type.Object({ ino: Type.String(), size: Type.Number(), mtime_ns: Type.String() });
export type FileMark = Static<typeof FileMark>;

const Header = Type.Object({
  journal: Type.Integer({ minimum: JOURNAL_VERSION }),
  /** That of the file which it belongs to. */
  store: Hex,
  /** Another one when changes were taken out of the journal: who has read those must read everything anew. */
  branch: Hex,
  /** Number of the change that it begins after. */
  after: Count,
  /** The file that holds the changes up to there, as it stood in its folder. */
  snapshot: Type.Optional(FileMark),
});
export type JournalHeader = Static<typeof Header>;

const Entry = Type.Object({
  n: Id,
  next_passkey_id: Id,
  next_access_id: Id,
  owners: optionalRows(ROWS.owners),
  removed_owners: optionalRows(ROWS.removed_owners),
  passkeys: optionalRows(ROWS.passkeys),
  accesses: optionalRows(ROWS.accesses),
  gone_owners: Type.Optional(Type.Array(ROWS.removed_owners)),
  gone_passkeys: Type.Optional(Type.Array(Id)),
  gone_accesses: Type.Optional(Type.Array(Id)),
});
export type JournalEntry = Static<typeof Entry>;

/** Said before the file is replaced: who sees the new one knows that it holds nothing new. */
const Note = Type.Object({ snapshot: FileMark });

const validators = { header: makeShape(Header), entry: makeShape(Entry), note: makeShape(Note) };

/** A line in the journal, its newline included. */
export function journalLine(value: JournalHeader | { readonly snapshot: FileMark }): string {
  return withChecksum(JSON.stringify(value));
}

/** Encodes the changes of a draft as a line, and counts the bytes that its rows take in the file. The number is that of the change. */
export function draftLine(draft: Draft, n: number, extra: UnknownMembers): { readonly line: string; readonly bytes: number } {
  const { state, owners, removedOwners, passkeys, accesses } = draft;
  const tables = {
    owners: encodeAll(owners.put, (owner) => ownerText(owner, extra)),
    removed_owners: encodeAll(removedOwners.put, (ref) => removedOwnerText(ref, extra)),
    passkeys: encodeAll(passkeys.put, (passkey) => passkeyText(passkey, extra)),
    accesses: encodeAll(accesses.put, (access) => accessText(access, extra)),
  };
  const goneOwners = [...owners.gone].flatMap((key) => owners.before(key) ?? []).map(({ type, id }) => JSON.stringify({ type, id }));
  const lists = {
    ...tables,
    gone_owners: goneOwners,
    gone_passkeys: [...passkeys.gone].map(String),
    gone_accesses: [...accesses.gone].map(String),
  };
  const members = Object.entries(lists).map(([name, texts]) => (texts.length === 0 ? '' : `,"${name}":[${texts.join(',')}]`));
  const json = `{"n":${n},"next_passkey_id":${state.nextPasskeyId},"next_access_id":${state.nextAccessId}${members.join('')}}`;
  const bytes = Object.values(tables)
    .flat()
    .reduce((sum, text) => sum + bytesOfRow(text), 0);
  return { line: withChecksum(json), bytes };
}

function encodeAll<T>(put: ReadonlyMap<unknown, T>, encode: (record: T) => string): string[] {
  return [...put.values()].map(encode);
}

function withChecksum(json: string): string {
  const rest = json.slice(1);
  return `{"crc":"${checksum(rest)}",${rest}\n`;
}

function checksum(text: string | Uint8Array): string {
  return crc32(typeof text === 'string' ? Buffer.from(text) : text)
    .toString(16)
    .padStart(8, '0');
}

const PREFIX = /^\{"crc":"([0-9a-f]{8})",$/;
const PREFIX_BYTES = '{"crc":"00000000",'.length;

/**
 * Reads a line without its newline.
 *
 * @throws FileDamage without a place.
 */
function readLine(line: Uint8Array): unknown {
  const buffer = Buffer.from(line.buffer, line.byteOffset, line.byteLength);
  const [, found] = PREFIX.exec(buffer.toString('latin1', 0, PREFIX_BYTES)) ?? [];
  if (found === undefined) throw new FileDamage('', 'expected a line that begins with its checksum');
  const rest = buffer.subarray(PREFIX_BYTES);
  const wanted = checksum(rest);
  if (found !== wanted) throw new FileDamage('', `the line does not fit its checksum: expected ${wanted}, got ${found}`);
  try {
    return JSON.parse(`{${rest.toString('utf8')}`);
  } catch (cause) {
    throw new FileDamage('', 'expected JSON', cause);
  }
}

/** @throws FileDamage without a place. */
export function readHeader(line: Uint8Array): JournalHeader {
  const value = readLine(line);
  if (!validators.header.fits(value)) throw new FileDamage('', 'expected the head of a journal');
  return value;
}

/** @throws FileDamage without a place. */
export function readEntry(line: Uint8Array): JournalEntry | { readonly snapshot: FileMark } {
  const value = readLine(line);
  if (validators.note.fits(value)) return value;
  if (validators.entry.fits(value)) return value;
  const [misfit] = validators.entry.findMisfits(value);
  throw new FileDamage('', `${misfit?.place} ${misfit?.message}`.trim());
}

export function isEntry(line: Uint8Array): boolean {
  try {
    readEntry(line);
    return true;
  } catch (error) {
    if (!(error instanceof FileDamage)) throw error;
    return false;
  }
}

export const SPOILT_END = 'expected a newline at the end of the line, got another byte';

/**
 * Whether the newline of an acknowledged line is another byte now. A line that was cut off is shorter than its checksum needs, and a
 * block that was never written is zero.
 *
 * @param tail what follows the last newline of a journal.
 */
export function isSpoiltLine(tail: Uint8Array): boolean {
  return tail.length > 0 && tail.at(-1) !== 0 && isEntry(tail.subarray(0, -1));
}

/**
 * Puts what an entry changes into a state.
 *
 * @throws FileDamage without a place, for one that does not fit: the state may then hold a part of it, and is not to be used.
 */
export function applyEntry({ state, passkeys, extra }: Contents, entry: JournalEntry): void {
  for (const row of entry.gone_owners ?? []) {
    const owner = state.owners.get(ownerKey(row));
    if (owner) dropOwner(state, owner);
  }
  dropPasskeys(
    state,
    (entry.gone_passkeys ?? []).flatMap((id) => state.passkeys.get(id) ?? []),
  );
  for (const id of entry.gone_accesses ?? []) {
    const access = state.accesses.get(id);
    if (access) dropAccess(state, access);
  }
  for (const row of entry.owners ?? []) {
    const key = ownerKey(row);
    const before = state.owners.get(key);
    if (before && emailKey(before.type, before.email) !== emailKey(row.type, row.email)) dropOwner(state, before);
    refuse((state.ownerKeyByEmail.get(emailKey(row.type, row.email)) ?? key) !== key, '', `the e-mail of ${row.type}:${row.id} is taken`);
    keepUnknownMembers(extra, `owners/${key}`, { row, known: ROWS.owners.properties, at: '' });
    putOwner(state, ownerFromRow(row, ''));
  }
  for (const row of entry.removed_owners ?? []) {
    keepUnknownMembers(extra, `removed_owners/${ownerKey(row)}`, { row, known: ROWS.removed_owners.properties, at: '' });
    putRemovedOwner(state, { type: row.type, id: row.id });
  }
  for (const row of entry.passkeys ?? []) {
    refuseDepth(row.client_extension_results, '');
    const passkey = passkeyFromRow(row, '');
    const holder = state.passkeyIdByCredential.get(credentialKey(passkey.credential.id));
    refuse((holder ?? row.id) !== row.id, '', `the credential of passkey ${row.id} is that of passkey ${holder}`);
    refuse(passkeys.has(row.id) && holder === undefined, '', `passkey ${row.id} has another credential`);
    keepUnknownMembers(extra, `passkeys/${row.id}`, { row, known: ROWS.passkeys.properties, at: '' });
    putPasskey(state, passkey);
  }
  for (const row of entry.accesses ?? []) {
    const access = accessFromRow(row, '');
    const holder = state.accessIdByHash.get(hashKey(access.kind, access.hash));
    refuse((holder ?? row.id) !== row.id, '', `the hash of access ${row.id} is that of access ${holder}`);
    keepUnknownMembers(extra, `accesses/${row.id}`, { row, known: ROWS.accesses.properties, at: '' });
    putAccess(state, access);
  }
  state.nextPasskeyId = Math.max(state.nextPasskeyId, entry.next_passkey_id);
  state.nextAccessId = Math.max(state.nextAccessId, entry.next_access_id);
}
