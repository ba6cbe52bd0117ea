import { encodeBase64url } from '../../../../webauthn/base64url.js';
import { toHex } from '../../../../webauthn/bytes.js';
import type { CborMap, CborValue } from '../../../../webauthn/cbor.js';

/** One line of a decoded structure. */
export interface Field {
  readonly name: string;
  readonly value?: string | undefined;
  /** What the value means, in words. */
  readonly note?: string | undefined;
  /** First byte and length within the structure that is shown. */
  readonly at?: { readonly offset: number; readonly length: number } | undefined;
  readonly verdict?: 'good' | 'bad' | 'neutral' | undefined;
  readonly children?: readonly Field[] | undefined;
}

const SHOWN_BYTES = 64;

/** Hexadecimal, shortened in the middle when long. */
export function hex(bytes: Uint8Array): string {
  const text = toHex(bytes);
  return bytes.length <= SHOWN_BYTES ? text : `${text.slice(0, SHOWN_BYTES)}…${text.slice(-SHOWN_BYTES)}`;
}

export function bytesField(name: string, bytes: Uint8Array, more: Omit<Field, 'name' | 'value'> = {}): Field {
  return { name, value: hex(bytes), ...more, note: more.note ?? `${bytes.length} bytes` };
}

/** A CBOR value in words; maps and arrays become children. */
export function cborField(name: string, value: CborValue): Field {
  if (value instanceof Uint8Array) {
    return bytesField(name, value);
  }
  if (value instanceof Map) {
    return { name, note: `map of ${value.size}`, children: cborMapFields(value) };
  }
  if (Array.isArray(value)) {
    return { name, note: `array of ${value.length}`, children: value.map((item, index) => cborField(String(index), item)) };
  }
  return { name, value: typeof value === 'string' ? JSON.stringify(value) : String(value) };
}

export function cborMapFields(map: CborMap): Field[] {
  return [...map].map(([key, value]) => cborField(key instanceof Uint8Array ? encodeBase64url(key) : String(key), value));
}

/** A JSON value in words, as `cborField`. */
export function jsonField(name: string, value: unknown): Field {
  if (Array.isArray(value)) {
    return { name, note: `array of ${value.length}`, children: value.map((item, index) => jsonField(String(index), item)) };
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    return entries.length === 0 ? { name, value: '{}' } : { name, children: entries.map(([key, item]) => jsonField(key, item)) };
  }
  return { name, value: typeof value === 'string' ? value : String(value) };
}

/** `read`, or the reason why it cannot be read. */
export function readable(name: string, read: () => Field): Field {
  try {
    return read();
  } catch (error) {
    return { name, value: 'cannot be read', note: error instanceof Error ? error.message : String(error), verdict: 'bad' };
  }
}
