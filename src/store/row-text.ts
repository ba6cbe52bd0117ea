import type { Access, Owner } from '../accounts/ports.js';
import type { OwnerRef } from '../kernel/owner.js';
import { makeShape, type Shape } from '../kernel/shape.js';
import type { Passkey } from '../relying-party/credential-record.js';
import { endsAsEncoded } from '../webauthn/base64url.js';
import {
  accessToRow,
  IN_FILE,
  ownerToRow,
  PASSKEY_BYTES,
  PASSKEY_TIMES,
  type PasskeyRow,
  passkeyFromRow,
  passkeyToRow,
  ROWS,
  readOptional,
} from './records.js';
import { ownerKey, type PasskeyFacts, type PasskeyTable } from './state.js';
import { FileDamage } from './store-failures.js';
import type { Table } from './tables.js';

/** The members that filters ask for, decoded when they do: most of a row is never looked at. */
function passkeyFactsFromRow(row: PasskeyRow): PasskeyFacts {
  return {
    owner: { type: row.owner_type, id: row.owner_id },
    rpId: row.rp_id,
    label: row.label,
    aaguid: row.aaguid,
    credential: {
      get id() {
        return IN_FILE.bytes(row.credential_id, '/credential_id');
      },
      signCount: row.sign_count,
      backupState: row.backup_state,
    },
    get createdAt() {
      return IN_FILE.time(row.created_at, '/created_at');
    },
    get lastUsedAt() {
      return readOptional(IN_FILE, row.last_used_at, '/last_used_at');
    },
    get revokedAt() {
      return readOptional(IN_FILE, row.revoked_at, '/revoked_at');
    },
    revokedReason: row.revoked_reason ?? undefined,
    revokedChange: row.revoked_change,
  };
}

/** Looks for what `passkeyFromRow` would refuse, and decodes nothing. @throws FileDamage */
export function checkPasskeyRow(row: PasskeyRow, at: string): void {
  for (const name of PASSKEY_BYTES) if (!endsAsEncoded(row[name])) throw new FileDamage(`${at}/${name}`, 'is not base64url');
  for (const name of PASSKEY_TIMES) readOptional(IN_FILE, row[name], `${at}/${name}`);
}

/** Members that this version does not know, by row (`passkeys/1`; `''`: the file itself). They are kept when a row is written again. */
export type UnknownMembers = Map<string, Readonly<Record<string, unknown>>>;

/** Whether a value has the shape of a row of a table. */
export const ROW_SHAPES = {
  owners: makeShape(ROWS.owners),
  removed_owners: makeShape(ROWS.removed_owners),
  passkeys: makeShape(ROWS.passkeys),
  accesses: makeShape(ROWS.accesses),
} satisfies Readonly<Record<string, Shape<object>>>;

/** How many bytes a row takes in the file, with what separates it from the one before. */
export function bytesOfRow(text: string | undefined): number {
  return text === undefined ? 0 : Buffer.byteLength(text) + ',\n    '.length;
}

export function ownerText(owner: Owner, extra: UnknownMembers): string {
  return rowText('owners', ownerToRow(owner), extra.get(`owners/${ownerKey(owner)}`));
}

export function removedOwnerText({ type, id }: OwnerRef, extra: UnknownMembers): string {
  return rowText('removed_owners', { type, id }, extra.get(`removed_owners/${ownerKey({ type, id })}`));
}

export function accessText(access: Access, extra: UnknownMembers): string {
  return rowText('accesses', accessToRow(access), extra.get(`accesses/${access.id}`));
}

/** A changed passkey is written twice: into the journal, and into its table. */
const passkeyTexts = new WeakMap<Passkey, string>();

export function passkeyText(passkey: Passkey, extra: UnknownMembers): string {
  const known = passkeyTexts.get(passkey);
  if (known !== undefined) return known;
  const text = rowText('passkeys', passkeyToRow(passkey), extra.get(`passkeys/${passkey.id}`));
  passkeyTexts.set(passkey, text);
  return text;
}

/** @throws TypeError for a row that could not be read again: it would make the whole store unreadable. */
function rowText(table: keyof typeof ROW_SHAPES, row: object, unknown: Readonly<Record<string, unknown>> | undefined): string {
  if (!ROW_SHAPES[table].fits(row)) throw new TypeError(`A record does not have the shape of a row of ${table}.`);
  return JSON.stringify(unknown ? { ...row, ...unknown } : row);
}

/**
 * Passkeys as the rows that the file holds: a third of the memory that records with their bytes take, nothing to decode when a store is
 * opened, and nothing to encode when it is written. A passkey is decoded when it is asked for.
 */
export class PackedPasskeys implements PasskeyTable {
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

  facts(id: number): PasskeyFacts | undefined {
    const text = this.#rows.get(id);
    if (text === undefined) return undefined;
    const row: PasskeyRow = JSON.parse(text);
    return passkeyFactsFromRow(row);
  }

  /** The row of a passkey as it stands in the file. */
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
    this.#rows.set(id, passkeyText(passkey, this.#extra));
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

/** The passkeys of a table as they are now, in ascending order of id, decoded one by one when they are asked for. */
export function pinned(table: Table<number, Passkey>): { readonly size: number; records(): Iterable<Passkey> } {
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
  return passkeyFromRow(row, '');
}
