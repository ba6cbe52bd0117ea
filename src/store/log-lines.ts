import type { Static } from 'typebox';
import * as Type from 'typebox';
import { isObject, isWithinDepth } from '../kernel/json-value.js';
import { strict } from '../kernel/schema-kit.js';
import { makeShape, type Shape } from '../kernel/shape.js';
import { FileDamage, NewerVersion, requireShape } from './file-damage.js';
import { type AccessRow, Id, type OwnerRow, type PasskeyRow, type Records, ROWS, type Table, TO_ROW } from './records.js';

// The lines of a store's file, which an export has as well: a head, then one row a line. The last line of a row counts. docs/store.md
// describes them.

export const STORE_VERSION = 1;

export const HeadLine = Type.Object(
  {
    passkey_store: Type.Integer({ minimum: 1, description: 'Version of the format.' }),
    file: Type.Optional(
      Type.String({ pattern: '^[0-9a-f]{32}$', description: 'Another one each time the file is rewritten. An export has none.' }),
    ),
    next_passkey_id: Id,
    next_access_id: Id,
    rows: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'The number of rows that were written with this line.',
    }),
  },
  strict,
);
export type HeadLine = Static<typeof HeadLine>;

export const EndLine = Type.Object(
  {
    end: Type.Object(
      { sha256: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Of all lines before this one, each with its line feed.' }) },
      strict,
    ),
  },
  strict,
);
export type EndLine = Static<typeof EndLine>;

const more = Type.Optional(Type.Literal(true, { description: 'The next line belongs to the same change.' }));

/** Schemas of the lines after the head, keyed by the first member of the line. */
export const LINES = {
  owner: Type.Object({ owner: Type.Object(ROWS.owners.properties, strict), more }, strict),
  removed_owner: Type.Object({ removed_owner: Type.Object(ROWS.removed_owners.properties, strict), more }, strict),
  passkey: Type.Object({ passkey: Type.Object(ROWS.passkeys.properties, strict), more }, strict),
  access: Type.Object({ access: Type.Object(ROWS.accesses.properties, strict), more }, strict),
  gone_passkey: Type.Object({ gone_passkey: Id, more }, strict),
  gone_access: Type.Object({ gone_access: Id, more }, strict),
  next: Type.Object({ next: Type.Object({ passkey: Id, access: Id }, strict), more }, strict),
} as const;

type LineShapes = { readonly [Kind in keyof typeof LINES]: Shape<Static<(typeof LINES)[Kind]>> };

const SHAPES: LineShapes & { readonly head: Shape<HeadLine>; readonly end: Shape<EndLine> } = {
  head: makeShape(HeadLine),
  end: makeShape(EndLine),
  owner: makeShape(LINES.owner),
  removed_owner: makeShape(LINES.removed_owner),
  passkey: makeShape(LINES.passkey),
  access: makeShape(LINES.access),
  gone_passkey: makeShape(LINES.gone_passkey),
  gone_access: makeShape(LINES.gone_access),
  next: makeShape(LINES.next),
};

/** A line after the head. `more` is true if the next line belongs to the same change. */
export type Line = { readonly more: boolean } & (
  | { readonly kind: 'owner'; readonly row: OwnerRow }
  | { readonly kind: 'removed_owner'; readonly row: { readonly type: string; readonly id: number } }
  | { readonly kind: 'passkey'; readonly row: PasskeyRow }
  | { readonly kind: 'access'; readonly row: AccessRow }
  | { readonly kind: 'gone_passkey' | 'gone_access'; readonly id: number }
  | { readonly kind: 'next'; readonly passkey: number; readonly access: number }
  | { readonly kind: 'end'; readonly sha256: string }
);

/**
 * Deepest nesting accepted. A deeper value could be read, but would exhaust the stack when copied or written. Our own records are far less
 * deep.
 */
const MAX_DEPTH = 100;

/**
 * Parses the head of a file.
 *
 * @throws FileDamage without a line number if the text is not a head; NewerVersion if a later version of this program wrote it.
 */
export function readHead(text: string): HeadLine {
  const value = parse(text);
  if (!('passkey_store' in value)) throw new FileDamage('', 'expected the head of a store, a line with "passkey_store"');
  const version = value.passkey_store;
  if (typeof version === 'number' && Number.isInteger(version) && version > STORE_VERSION) throw new NewerVersion(version, STORE_VERSION);
  return requireShape(SHAPES.head, value);
}

/** Parses a line after the head. @throws FileDamage without a line number if the text is not such a line. */
export function readLine(text: string): Line {
  const value = parse(text);
  if ('passkey' in value) {
    const { passkey: row, more = false } = requireShape(SHAPES.passkey, value);
    if (!isWithinDepth(row.client_extension_results, MAX_DEPTH)) {
      throw new FileDamage('', `/passkey/client_extension_results is nested more than ${MAX_DEPTH} levels deep`);
    }
    return { kind: 'passkey', row, more };
  }
  if ('access' in value) {
    const { access: row, more = false } = requireShape(SHAPES.access, value);
    return { kind: 'access', row, more };
  }
  if ('owner' in value) {
    const { owner: row, more = false } = requireShape(SHAPES.owner, value);
    return { kind: 'owner', row, more };
  }
  if ('removed_owner' in value) {
    const { removed_owner: row, more = false } = requireShape(SHAPES.removed_owner, value);
    return { kind: 'removed_owner', row, more };
  }
  if ('gone_passkey' in value) {
    const { gone_passkey: id, more = false } = requireShape(SHAPES.gone_passkey, value);
    return { kind: 'gone_passkey', id, more };
  }
  if ('gone_access' in value) {
    const { gone_access: id, more = false } = requireShape(SHAPES.gone_access, value);
    return { kind: 'gone_access', id, more };
  }
  if ('next' in value) {
    const { next, more = false } = requireShape(SHAPES.next, value);
    return { kind: 'next', ...next, more };
  }
  if ('end' in value) return { kind: 'end', ...requireShape(SHAPES.end, value).end, more: false };
  throw new FileDamage('', 'expected an owner, removed_owner, passkey, access, gone_passkey, gone_access, next or end');
}

function parse(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new FileDamage('', 'expected JSON', cause);
  }
  if (!isObject(value)) throw new FileDamage('', 'expected a JSON object');
  return value;
}

/** Encodes a value as a JSON line in ASCII, so that no terminal interprets it and no shell changes it on the way into a file. */
export function toLine(value: object): string {
  return JSON.stringify(value).replaceAll(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const MORE = ',"more":true}';

/** Joins the lines of one change, with line feeds. Each line but the last says that another follows. */
export function joinChange(lines: readonly string[]): string {
  return lines.map((line, index) => (index === lines.length - 1 ? `${line}\n` : `${line.slice(0, -1)}${MORE}\n`)).join('');
}

/** Removes from the text of a line the mark that another line of the same change follows. */
export function withoutMore(text: string): string {
  return text.endsWith(MORE) ? `${text.slice(0, -MORE.length)}}` : toLine({ ...parse(text), more: undefined });
}

const KINDS = { owners: 'owner', removed_owners: 'removed_owner', passkeys: 'passkey', accesses: 'access' } as const satisfies Record<
  Table,
  keyof typeof LINES
>;

/** Cache of encoded records, because the file and the table that keeps the record need the same text. */
const encoded = new WeakMap<object, string>();

/**
 * Encodes a record as a line, without the line feed.
 *
 * @throws TypeError for a record that could not be read back, because its line would make the whole store unreadable.
 */
export function encodeRecord<T extends Table>(table: T, record: Records[T]): string {
  const known = encoded.get(record);
  if (known !== undefined) return known;
  const kind = KINDS[table];
  const line = { [kind]: TO_ROW[table](record) };
  if (!SHAPES[kind].fits(line)) throw new TypeError(`A record does not have the shape of a line with the member ${kind}.`);
  const text = toLine(line);
  encoded.set(record, text);
  return text;
}
