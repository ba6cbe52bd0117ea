import { createHash } from 'node:crypto';
import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { FieldError } from '../../errors.js';
import { isObject, isWithinDepth } from '../../kernel/json-value.js';
import { MAX_CHOSEN_ID, wrongOwnerFields, wrongOwnerRef } from '../../kernel/owner.js';
import { strict } from '../../kernel/schema-kit.js';
import { makeShape } from '../../kernel/shape.js';
import { isStorable, STORABLE_TEXT } from '../../kernel/storable.js';
import { clause } from '../../kernel/wording.js';
import { FileDamage, requireShape } from '../file-damage.js';
import { refuse, refuseDepth } from '../file-rows.js';
import {
  type AccessRow,
  accessToRow,
  Count,
  IN_FILE,
  type OwnerRow,
  ownerToRow,
  type PasskeyRow,
  passkeyToRow,
  ROWS,
  readAccess,
  readOwner,
  readPasskey,
  Time,
} from '../records.js';
import { checkPasskeyRow } from '../row-text.js';
import type { Kind, StoredRow } from '../transfer-port.js';

// What an export must not bring into a store, although its rows have the right shape: what the accounts would not have taken, and what
// not every store can keep. A file that is a store already stays readable with it.

/** Years that every store can keep. */
const TIME = /^(?!0000)\d{4}-/;

/** @param at of the row, as a JSON Pointer. @throws FileDamage */
function checkOwner(row: OwnerRow, at: string): void {
  refuseFirst(wrongOwnerFields(row), `${at}/`);
  checkMembers(row, at);
}

/** Like {@link checkOwner}. */
function checkRemovedOwner(row: Pick<OwnerRow, 'type' | 'id'>, at: string): void {
  refuseFirst(wrongOwnerRef(row), `${at}/`);
}

/** Like {@link checkOwner}, for a row that belongs to a user. */
function checkOwned(row: PasskeyRow | AccessRow, at: string): void {
  refuseFirst(wrongOwnerRef({ type: row.owner_type, id: row.owner_id }), `${at}/owner_`);
  checkMembers(row, at);
}

/** @param before text before the names of the members. */
function refuseFirst([first]: readonly FieldError[], before: string): void {
  if (first) throw new FileDamage(`${before}${first.pointer.slice(1)}`, `is refused: ${clause(first.detail)}`);
}

function checkMembers(row: OwnerRow | PasskeyRow | AccessRow, at: string): void {
  for (const [name, value] of Object.entries(row)) {
    refuse(!isStorable(value), `${at}/${name}`, `is refused: a text ${STORABLE_TEXT}`);
    refuse(name.endsWith('_at') && typeof value === 'string' && !TIME.test(value), `${at}/${name}`, 'is not of the years 0001 to 9999');
  }
}

// An export: JSON Lines. First a head, then a line for each row, last an end mark with the number of rows and the digest of all that
// comes before it. docs/moving.md describes it.

export const EXPORT_VERSION = 1;

/** Bytes of the longest line that is read. No server takes a registration that makes one a tenth as long. */
export const MAX_LINE = 16 * 1024 * 1024;

const Counts = Type.Object({ owner: Count, removed_owner: Count, passkey: Count, access: Count }, strict);

const NextId = Type.Integer({ minimum: 1, maximum: MAX_CHOSEN_ID });

export const ExportHead = Type.Object(
  {
    passkey_export: Type.Integer({ minimum: 1, description: 'Version of the format.' }),
    exported_at: Time,
    by: Type.String({ description: 'Product and version.' }),
    next_passkey_id: NextId,
    next_access_id: NextId,
    rows: Counts,
  },
  strict,
);
export type ExportHead = Static<typeof ExportHead>;

export const ExportEnd = Type.Object(
  {
    end: Type.Object(
      {
        rows: Counts,
        sha256: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Of all lines before this one, each with its line feed.' }),
      },
      strict,
    ),
  },
  strict,
);
export type ExportEnd = Static<typeof ExportEnd>;

/** One line with a row. A row has no members but these: another version would say so. */
export const EXPORT_ROWS = {
  owner: Type.Object({ owner: Type.Object(ROWS.owners.properties, strict) }, strict),
  removed_owner: Type.Object({ removed_owner: Type.Object(ROWS.removed_owners.properties, strict) }, strict),
  passkey: Type.Object({ passkey: Type.Object(ROWS.passkeys.properties, strict) }, strict),
  access: Type.Object({ access: Type.Object(ROWS.accesses.properties, strict) }, strict),
} as const;

const shapes = {
  head: makeShape(ExportHead),
  end: makeShape(ExportEnd),
  owner: makeShape(EXPORT_ROWS.owner),
  removed_owner: makeShape(EXPORT_ROWS.removed_owner),
  passkey: makeShape(EXPORT_ROWS.passkey),
  access: makeShape(EXPORT_ROWS.access),
};

/** A row as a line, without its line feed. */
export function rowLine(row: StoredRow): string {
  return toLine({ [row.kind]: rowMembers(row) });
}

export function rowMembers(row: StoredRow): Readonly<Record<string, unknown>> {
  if (row.kind === 'owner') return { ...ownerToRow(row.record) };
  if (row.kind === 'passkey') return { ...passkeyToRow(row.record) };
  if (row.kind === 'access') return { ...accessToRow(row.record) };
  return { type: row.record.type, id: row.record.id };
}

/** In ASCII, so that no terminal interprets it, and no shell changes it on the way into a file. */
export function toLine(value: object): string {
  return JSON.stringify(value).replaceAll(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A line of an export. */
type ExportLine = { readonly head: ExportHead } | ExportEnd | { readonly row: StoredRow };

/** An export of a later version: the head says so, and what follows is not to be guessed at. */
export class NewerExport extends Error {
  readonly version: number;

  constructor(version: number) {
    super(`version ${version}`);
    this.version = version;
  }
}

/** @throws FileDamage without a place · NewerExport */
export function readExportLine(text: string): ExportLine {
  const value = parsed(text);
  if (!isObject(value)) throw new FileDamage('', 'expected a JSON object');
  // Before anything that recurses into it.
  refuse(!isWithinDepth(value, MAX_LEVELS), '', `is nested more than ${MAX_LEVELS} levels deep`);
  if ('passkey_export' in value) {
    const version = value.passkey_export;
    if (typeof version === 'number' && Number.isInteger(version) && version > EXPORT_VERSION) throw new NewerExport(version);
    return { head: requireShape(shapes.head, value) };
  }
  if ('end' in value) return requireShape(shapes.end, value);
  return { row: readRow(value) };
}

/** Levels of the deepest row, with the row itself and its line. */
const MAX_LEVELS = 110;

function readRow(value: object): StoredRow {
  if ('passkey' in value) {
    const { passkey } = requireShape(shapes.passkey, value);
    refuseDepth(passkey.client_extension_results, '/passkey/client_extension_results');
    checkPasskeyRow(passkey, '/passkey');
    checkOwned(passkey, '/passkey');
    return { kind: 'passkey', record: readPasskey(passkey, IN_FILE, '/passkey') };
  }
  if ('access' in value) {
    const { access } = requireShape(shapes.access, value);
    checkOwned(access, '/access');
    return { kind: 'access', record: readAccess(access, IN_FILE, '/access') };
  }
  if ('owner' in value) {
    const { owner } = requireShape(shapes.owner, value);
    checkOwner(owner, '/owner');
    return { kind: 'owner', record: readOwner(owner, IN_FILE, '/owner') };
  }
  if ('removed_owner' in value) {
    const { removed_owner: record } = requireShape(shapes.removed_owner, value);
    checkRemovedOwner(record, '/removed_owner');
    return { kind: 'removed_owner', record };
  }
  throw new FileDamage('', 'expected an owner, removed_owner, passkey, access or end');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new FileDamage('', 'expected JSON', cause);
  }
}

/** The digest that the end mark carries. */
export class LinesDigest {
  readonly #hash = createHash('sha256');

  add(line: string): void {
    this.#hash.update(line).update('\n');
  }

  /** Nothing can be added afterwards. */
  hex(): string {
    return this.#hash.digest('hex');
  }
}

/** Names a row in messages. */
export function nameRow(row: StoredRow): string {
  const { kind, record } = row;
  return kind === 'passkey'
    ? `passkey ${record.id}`
    : kind === 'access'
      ? `${record.kind} ${record.id}`
      : `user ${record.type}:${record.id}`;
}

/** Names of the rows of a kind, in their plural. */
export const KIND_NAMES: Readonly<Record<Kind, string>> = {
  owner: 'users',
  removed_owner: 'removed users',
  passkey: 'passkeys',
  access: 'sessions and tokens',
};
