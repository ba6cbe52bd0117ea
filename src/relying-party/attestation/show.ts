import { toHex } from '../../webauthn/bytes.js';
import { algorithmName, findAlgorithm } from '../../webauthn/cose-key.js';

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

/** ISO 8601 in UTC, without milliseconds. */
export function showTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('.000Z', 'Z');
}

export function showNumber(value: number, digits: number): string {
  return `0x${value.toString(16).padStart(digits, '0')}`;
}

export function count(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? '' : 's'}`;
}
