import { crc32 } from 'node:zlib';
import type { Static, TSchema } from 'typebox';
import * as Type from 'typebox';
import { makeShape } from '../kernel/shape.js';
import { FileDamage } from './file-damage.js';
import { Count, Id, type Records, ROWS, TABLES, type Table } from './records.js';
import { encodeRow, type UnknownMembers } from './row-text.js';
import type { Draft } from './state.js';

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
  /** The id of the store that the journal belongs to. */
  store: Hex,
  /** Another one when changes were taken out of the journal: who has read those must read everything anew. */
  branch: Hex,
  /** Number of the change that it begins after. */
  after: Count,
  /** The identity of the store's file that contains the changes up to this line. */
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

/** Announces the replacement, so that a reader of the new file need not load it again. */
const Note = Type.Object({ snapshot: FileMark });

const validators = { header: makeShape(Header), entry: makeShape(Entry), note: makeShape(Note) };

/** A line in the journal, its newline included. */
export function journalLine(value: JournalHeader | { readonly snapshot: FileMark }): string {
  return withChecksum(JSON.stringify(value));
}

/** Encodes the changes of a draft as a line. The number is that of the change. */
export function draftLine({ state, changes }: Draft, n: number, extra: UnknownMembers): string {
  const { owners, passkeys, accesses } = changes;
  const goneOwners = [...owners.gone].flatMap((key) => owners.before(key) ?? []);
  const lists = {
    ...Object.fromEntries(
      TABLES.map((table) => [table, Array.from(changes[table].put.values(), (record: Records[Table]) => encodeRow(table, record, extra))]),
    ),
    gone_owners: goneOwners.map(({ type, id }) => JSON.stringify({ type, id })),
    gone_passkeys: [...passkeys.gone].map(String),
    gone_accesses: [...accesses.gone].map(String),
  };
  const members = Object.entries(lists).map(([name, texts]) => (texts.length === 0 ? '' : `,"${name}":[${texts.join(',')}]`));
  return withChecksum(`{"n":${n},"next_passkey_id":${state.nextPasskeyId},"next_access_id":${state.nextAccessId}${members.join('')}}`);
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
