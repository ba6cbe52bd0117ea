import { isUtf8 } from 'node:buffer';
import { decodeUtf8, toHex } from '../kernel/bytes.js';
import { count } from '../kernel/wording.js';
import { algorithmName, findAlgorithm } from '../webauthn/algorithms.js';
import { encodeBase64url } from '../webauthn/base64url.js';

const SHOWN_BYTES = 12;
const SHOWN_HEX_BYTES = 16;
const SHOWN_CHARACTERS = 80;
const SHOWN_NAMES = 12;

/** Puts a string in quotation marks. Shortens it if it is long. */
export function showText(text: string): string {
  return JSON.stringify(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text);
}

/**
 * Shows an origin as it is, or in quotation marks if it contains a character that readers could overlook, such as a space or a control
 * character.
 */
export function showOrigin(origin: string): string {
  return origin.length <= SHOWN_CHARACTERS && /^[!#-[\]-~]+$/.test(origin) ? origin : showText(origin);
}

/** Writes a list of origins in the form `a, b or c`. */
export function showOrigins(origins: readonly string[]): string {
  const shown = origins.map(showOrigin);
  return shown.length < 2 ? (shown[0] ?? 'none') : `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}`;
}

/** Writes a list of member names, and shortens the list and the names if necessary. */
export function showNames(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN_NAMES).map((name) => (/^[\w.-]{1,40}$/.test(name) ? name : showText(name)));
  return [...shown, ...(names.length > SHOWN_NAMES ? [`${names.length - SHOWN_NAMES} more`] : [])].join(', ');
}

/** Shows the first bytes of an id, a challenge or a signature in base64url. Messages do not contain these values in full. */
export function showId(bytes: Uint8Array): string {
  const text = encodeBase64url(bytes.subarray(0, SHOWN_BYTES));
  return bytes.length > SHOWN_BYTES ? `${text}… (${count(bytes.length, 'byte')})` : `${text} (${count(bytes.length, 'byte')})`;
}

/** Shows the first bytes of a hash in hexadecimal. */
export function showHash(bytes: Uint8Array): string {
  return `${toHex(bytes.subarray(0, SHOWN_BYTES))}…`;
}

/** Shows a user handle; as text, if the text is printable. */
export function showUserHandle(bytes: Uint8Array): string {
  const text = printable(bytes);
  return text === undefined ? showId(bytes) : showText(text);
}

function printable(bytes: Uint8Array): string | undefined {
  const text = isUtf8(bytes) ? decodeUtf8(bytes) : '';
  return /^[\p{L}\p{N}\p{P}\p{S} ]+$/u.test(text) ? text : undefined;
}

/** Shows the first bytes of a byte string in hexadecimal, and the number of bytes. */
export function showBytes(bytes: Uint8Array): string {
  const hex = toHex(bytes.subarray(0, SHOWN_HEX_BYTES));
  return `${hex}${bytes.length > SHOWN_HEX_BYTES ? '…' : ''} (${count(bytes.length, 'byte')})`;
}

export function showAlgorithm(alg: number): string {
  return findAlgorithm(alg) === undefined ? algorithmName(alg) : `${algorithmName(alg)} (${alg})`;
}

export function showNumber(value: number, digits: number): string {
  return `0x${value.toString(16).padStart(digits, '0')}`;
}
