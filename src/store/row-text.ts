import { makeShape, type Shape } from '../kernel/shape.js';
import type { Passkey } from '../relying-party/credential-record.js';
import { endsAsEncoded } from '../webauthn/base64url.js';
import { FileDamage } from './file-damage.js';
import {
  IN_FILE,
  PASSKEY_BYTES,
  PASSKEY_TIMES,
  type PasskeyRow,
  type Records,
  ROWS,
  type Rows,
  readOptional,
  readPasskey,
  type Table,
  TO_ROW,
} from './records.js';
import { ownerKey } from './state.js';
import type { Table as MemoryTable } from './tables.js';

/** Looks for what `readPasskey` would refuse, and decodes nothing. @throws FileDamage */
export function checkPasskeyRow(row: PasskeyRow, at: string): void {
  for (const name of PASSKEY_BYTES) if (!endsAsEncoded(row[name])) throw new FileDamage(`${at}/${name}`, 'is not base64url');
  for (const name of PASSKEY_TIMES) readOptional(IN_FILE, row[name], `${at}/${name}`);
}

/** Members that this version does not know, by row (`passkeys/1`; `''`: the file itself). They are kept when a row is written again. */
export type UnknownMembers = Map<string, Readonly<Record<string, unknown>>>;

export const ROW_SHAPES: { readonly [T in Table]: Shape<Rows[T]> } = {
  owners: makeShape(ROWS.owners),
  removed_owners: makeShape(ROWS.removed_owners),
  passkeys: makeShape(ROWS.passkeys),
  accesses: makeShape(ROWS.accesses),
};

const byId = ({ id }: { readonly id: number }): string => String(id);
const KEYS: { readonly [T in Table]: (row: Rows[T]) => string } = {
  owners: ownerKey,
  removed_owners: ownerKey,
  passkeys: byId,
  accesses: byId,
};

/** Names a row among those of all tables. */
export const rowName = <T extends Table>(table: T, row: Rows[T]): string => `${table}/${KEYS[table](row)}`;

/** How many bytes a row takes in the file, with what separates it from the one before. */
export function bytesOfRow(text: string | undefined): number {
  return text === undefined ? 0 : Buffer.byteLength(text) + ',\n    '.length;
}

/** A changed passkey is written into the journal and into its table. */
const passkeyTexts = new WeakMap<object, string>();

/** @throws TypeError for a row that could not be read again: it would make the whole store unreadable. */
export function encodeRow<T extends Table>(table: T, record: Records[T], extra: UnknownMembers): string {
  const known = passkeyTexts.get(record);
  if (known !== undefined) return known;
  const row = TO_ROW[table](record);
  if (!ROW_SHAPES[table].fits(row)) throw new TypeError(`A record does not have the shape of a row of ${table}.`);
  const text = JSON.stringify({ ...row, ...extra.get(rowName(table, row)) });
  if (table === 'passkeys') passkeyTexts.set(record, text);
  return text;
}

/**
 * Passkeys as the rows that the file holds: a third of the memory that records with their bytes take, nothing to decode when a store is
 * opened, and nothing to encode when it is written. A passkey is decoded when it is asked for.
 */
export class PackedPasskeys implements MemoryTable<number, Passkey> {
  readonly #rows = new Map<number, string>();
  readonly #extra: UnknownMembers;

  constructor(extra: UnknownMembers) {
    this.#extra = extra;
  }

  get size(): number {
    return this.#rows.size;
  }

  get(id: number): Passkey | undefined {
    const text = this.#rows.get(id);
    return text === undefined ? undefined : unpack(text);
  }

  /** The row of a passkey, as in the file. */
  text(id: number): string | undefined {
    return this.#rows.get(id);
  }

  texts(): Iterable<string> {
    return this.#rows.values();
  }

  has(id: number): boolean {
    return this.#rows.has(id);
  }

  set(id: number, passkey: Passkey): void {
    this.#rows.set(id, encodeRow('passkeys', passkey, this.#extra));
  }

  /** @param text a row that has been checked. */
  setText(id: number, text: string): void {
    this.#rows.set(id, text);
  }

  delete(id: number): void {
    this.#rows.delete(id);
  }

  keys(): Iterable<number> {
    return this.#rows.keys();
  }

  *values(): Generator<Passkey> {
    for (const text of this.#rows.values()) yield unpack(text);
  }

  *[Symbol.iterator](): Generator<[number, Passkey]> {
    for (const [id, text] of this.#rows) yield [id, unpack(text)];
  }
}

/** The current passkeys of a table, in ascending order of id, decoded one by one on demand. */
export function pinned(table: MemoryTable<number, Passkey>): { readonly size: number; records(): Iterable<Passkey> } {
  const ids = [...table.keys()].sort((a, b) => a - b);
  if (!(table instanceof PackedPasskeys)) {
    const records = ids.map((id) => table.get(id)).filter((passkey) => passkey !== undefined);
    return { size: records.length, records: () => records };
  }
  const texts = ids.map((id) => table.text(id)).filter((text) => text !== undefined);
  return {
    size: texts.length,
    *records() {
      for (const text of texts) yield unpack(text);
    },
  };
}

function unpack(text: string): Passkey {
  const row: PasskeyRow = JSON.parse(text);
  return readPasskey(row, IN_FILE, '');
}
