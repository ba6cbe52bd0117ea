import { isObject, type JsonObject } from '../../../kernel/json-value.js';
import { count } from '../../../kernel/wording.js';
import { decodeBase64 } from '../../../webauthn/base64url.js';
import { stringAt } from '../../json.js';

/** Consecutive bytes or characters, either all changed or all unchanged. */
export interface Piece {
  readonly text: string;
  readonly changed: boolean;
}

/** A member of a response that a mutation changed. */
interface Change {
  readonly name: string;
  /** Description of the position of the changed bytes, for people. */
  readonly place: string | undefined;
  readonly before: readonly Piece[];
  readonly after: readonly Piece[];
}

/** Names of members that hold bytes as base64url. */
const BINARY: readonly string[] = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle', 'publicKey'];

/** Lists the differences between the original response `honest` and the response that was sent, member by member. */
export function listChanges(honest: JsonObject, sent: JsonObject, path: readonly string[] = []): Change[] {
  return [...new Set([...Object.keys(honest), ...Object.keys(sent)])].flatMap((name) => {
    const [a, b] = [honest[name], sent[name]];
    const full = [...path, name];
    if (isObject(a) && isObject(b)) return listChanges(a, b, full);
    if (JSON.stringify(a) === JSON.stringify(b)) return [];
    const [before, after] = [readBytes(honest, name), readBytes(sent, name)];
    if (before !== undefined && after !== undefined) return [compareBytes(full.join('.'), before, after)];
    return [{ name: full.join('.'), place: undefined, ...markDifferences(toCharacters(a), toCharacters(b)) }];
  });
}

function readBytes(members: JsonObject, name: string): Uint8Array | undefined {
  return BINARY.includes(name) ? decodeBase64(stringAt(members, name) ?? '')?.bytes : undefined;
}

const toCharacters = (value: unknown): string[] => [...(value === undefined ? 'not there' : JSON.stringify(value))];

function compareBytes(name: string, before: Uint8Array, after: Uint8Array): Change {
  const differing = [...before.keys()].filter((index) => before[index] !== after[index]);
  const [first = 0] = differing;
  const flipped = (before[first] ?? 0) ^ (after[first] ?? 0);
  const isBit = before.length === after.length && differing.length === 1 && (flipped & (flipped - 1)) === 0;
  if (isBit) return { name, place: `one bit of byte ${first}`, ...markDifferences(toBits(before[first]), toBits(after[first])) };
  const asText = name.endsWith('clientDataJSON');
  const read = (bytes: Uint8Array) => Array.from(bytes, (byte) => (asText ? String.fromCharCode(byte) : ` ${toHex(byte)}`));
  const length = before.length === after.length ? '' : `; ${count(before.length, 'byte')} before, ${after.length} after`;
  // Such as a signature that was made anew.
  const isNew = !asText && differing.length > before.length / 2;
  const place = isNew ? 'most of it' : `from byte ${first}`;
  return { name, place: `${place}${length}`, ...markDifferences(read(before), read(after), isNew ? AROUND : MOST) };
}

const toHex = (byte: number): string => byte.toString(16).padStart(2, '0');
const toBits = (byte = 0): string[] => [...byte.toString(2).padStart(8, '0')];

/** Number of unchanged bytes shown on either side of a difference. The constant MOST limits the difference itself. */
const AROUND = 12;
const MOST = 64;

/**
 * Marks the differences between two values. If both have the same length, marks each one; otherwise marks everything between the common
 * beginning and the common end.
 */
function markDifferences(before: readonly string[], after: readonly string[], most = MOST): Pick<Change, 'before' | 'after'> {
  const same = (index: number) => before[index] === after[index];
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && same(start)) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const isAlone = before.length === after.length;
  const cut = (side: readonly string[]): Piece[] => {
    const pieces: { text: string; changed: boolean }[] = [];
    const last = side.length - end;
    for (const [index, text] of side.entries()) {
      if (index < start - AROUND || index >= Math.min(last, start + most) + AROUND) continue;
      const changed = index >= start && index < last && !(isAlone && same(index));
      const piece = pieces.at(-1);
      if (piece?.changed === changed) piece.text += text;
      else pieces.push({ text, changed });
    }
    const unmarked = (text: string): Piece => ({ text, changed: false });
    return [
      ...(start > AROUND ? [unmarked('…')] : []),
      ...pieces,
      ...(Math.min(last, start + most) + AROUND < side.length ? [unmarked(' …')] : []),
    ];
  };
  return { before: cut(before), after: cut(after) };
}
