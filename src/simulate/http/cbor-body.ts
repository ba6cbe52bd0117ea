import { isObject } from '../../kernel/json-value.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import { type CborValue, decodeCbor, encodeCbor } from '../../webauthn/cbor.js';

/** Writes a JSON value as CBOR. Uint8Array values become byte strings. */
export function writeCborBody(value: unknown): Uint8Array {
  return encodeCbor(toCbor(value));
}

function toCbor(value: unknown): CborValue {
  if (value instanceof Uint8Array || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(toCbor);
  return isObject(value) ? new Map(Object.entries(value).map(([name, member]) => [name, toCbor(member)])) : null;
}

/**
 * Reads CBOR and returns it as JSON text. Byte strings become base64url strings.
 *
 * @throws CborSyntaxError if the bytes are not valid CBOR.
 */
export function readCborBody(bytes: Uint8Array): string {
  return JSON.stringify(toJson(decodeCbor(bytes).value));
}

function toJson(value: CborValue): unknown {
  if (value instanceof Uint8Array) return encodeBase64url(value);
  if (Array.isArray(value)) return value.map(toJson);
  if (value instanceof Map) return Object.fromEntries([...value].map(([name, member]) => [String(name), toJson(member)]));
  return typeof value === 'bigint' ? Number(value) : value;
}
