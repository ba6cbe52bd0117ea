import { algorithmName, findAlgorithm } from '../../webauthn/algorithms.js';
import { toHex } from '../../webauthn/bytes.js';
import { count } from '../../webauthn/wording.js';

const SHOWN_BYTES = 16;
const SHOWN_CHARACTERS = 80;

/** Hexadecimal of the first bytes, and how many there are. */
export function showBytes(bytes: Uint8Array): string {
  const hex = toHex(bytes.subarray(0, SHOWN_BYTES));
  return `${hex}${bytes.length > SHOWN_BYTES ? '…' : ''} (${count(bytes.length, 'byte')})`;
}

/** Text in quotes, cut where it is long. */
export function showText(text: string): string {
  return JSON.stringify(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text);
}

export function showAlgorithm(alg: number): string {
  return findAlgorithm(alg) === undefined ? algorithmName(alg) : `${algorithmName(alg)} (${alg})`;
}

export function showNumber(value: number, digits: number): string {
  return `0x${value.toString(16).padStart(digits, '0')}`;
}
