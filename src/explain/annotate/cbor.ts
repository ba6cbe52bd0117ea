import { count } from '../../kernel/wording.js';
import { type CborValue, decodeCbor } from '../../webauthn/cbor.js';
import { BREAK, type Cursor, INDEFINITE, openCursor, readHead } from '../../webauthn/cbor-head.js';
import { type AnnotatedNode, bytesNode, shortHex } from './node.js';

/** A CBOR item, with the byte position of the item and of every item inside it. */
export interface CborItem {
  readonly start: number;
  /** Start of the content of a definite-length string, array or map: the position of the first byte after its CBOR head. */
  readonly contentStart: number;
  readonly end: number;
  /** The decoded value of an item that contains no other items. */
  readonly value?: CborValue;
  readonly items?: readonly CborItem[];
  readonly entries?: readonly { readonly key: CborItem; readonly value: CborItem }[];
}

/** Finds the position of every item in CBOR data that `decodeCbor` has already accepted, and therefore checks nothing again. */
export function locateCbor(bytes: Uint8Array, offset = 0): CborItem {
  return locateItem(openCursor(bytes, offset));
}

function locateItem(cursor: Cursor): CborItem {
  const offset = cursor.offset;
  const head = readHead(cursor);
  const contentStart = cursor.offset;
  if (head.major === 6) {
    return { ...locateItem(cursor), start: offset };
  }
  if (head.major !== 4 && head.major !== 5) {
    const { value, end } = decodeCbor(cursor.bytes, offset);
    cursor.offset = end;
    return { start: offset, contentStart, end, value };
  }
  const open = head.info === INDEFINITE;
  const wanted = Number(head.argument) * (head.major === 5 ? 2 : 1);
  const found: CborItem[] = [];
  while (open ? cursor.bytes[cursor.offset] !== BREAK : found.length < wanted) {
    found.push(locateItem(cursor));
  }
  if (open) cursor.offset++;
  const end = cursor.offset;
  return head.major === 4
    ? { start: offset, contentStart, end, items: found }
    : { start: offset, contentStart, end, entries: pairs(found) };
}

function pairs(items: readonly CborItem[]): { key: CborItem; value: CborItem }[] {
  return items.flatMap((key, index) => {
    const value = index % 2 === 0 ? items[index + 1] : undefined;
    return value === undefined ? [] : [{ key, value }];
  });
}

/** Finds the item that a CBOR map contains for a key. */
export function findMember(map: CborItem, key: CborValue): CborItem | undefined {
  return map.entries?.find((entry) => entry.key.value === key)?.value;
}

/** Annotates a CBOR item of any type. `base` is added to every offset in the result. */
export function cborNode(label: string, item: CborItem, base: number): AnnotatedNode {
  const place = { label, offset: base + item.start, length: item.end - item.start };
  if (item.entries !== undefined) {
    const children = item.entries.map(({ key, value }) => cborNode(keyLabel(key), value, base));
    return { ...place, note: `map of ${item.entries.length}`, ...(children.length > 0 && { children }) };
  }
  if (item.items !== undefined) {
    const children = item.items.map((entry, index) => cborNode(`[${index}]`, entry, base));
    return { ...place, note: `array of ${item.items.length}`, ...(children.length > 0 && { children }) };
  }
  const { value } = item;
  if (value instanceof Uint8Array) {
    return { ...bytesNode(label, value, base), ...place, note: count(value.length, 'byte') };
  }
  return { ...place, value: typeof value === 'string' ? JSON.stringify(value) : String(value) };
}

export function keyLabel({ value }: CborItem): string {
  return value instanceof Uint8Array ? `h'${shortHex(value)}'` : String(value);
}
