import { decodeBase64url, encodeBase64url } from '../../webauthn/base64url.js';
import { decodeUtf8, encodeUtf8 } from '../../webauthn/bytes.js';
import type { JsonObject } from '../../webauthn/json-value.js';
import { getPath, setPath, stringAt } from '../json.js';
import type { PasskeyRow } from '../state.js';
import type { Choice, OptionField } from './fields.js';

/** Value of a select for "as the server sends it". */
export const AS_GIVEN = '';
/** Value of a select for a member that only the JSON can express. */
export const AS_IN_JSON = 'json';

/** What the control of a field shows; for a set, one string per checked choice. */
export function readControl(field: OptionField, options: JsonObject): string | readonly string[] {
  const value = getPath(options, field.path);
  switch (field.kind) {
    case 'choice':
      return value === undefined ? AS_GIVEN : (field.choices.find((choice) => equalJson(choice.value, value))?.label ?? AS_IN_JSON);
    case 'set':
      return Array.isArray(value)
        ? field.choices.filter((choice) => value.some((one) => equalJson(one, choice.value))).map((choice) => choice.label)
        : [];
    case 'bytes':
      return typeof value === 'string' ? readText(value) : '';
    default:
      return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  }
}

/** The options after the control of `field` was changed to `input`. */
export function writeControl(field: OptionField, options: JsonObject, input: string | readonly string[]): JsonObject {
  return input === AS_IN_JSON ? options : setPath(options, field.path, toValue(field, input));
}

function toValue(field: OptionField, input: string | readonly string[]): unknown {
  switch (field.kind) {
    case 'choice':
      return find(field.choices, String(input));
    case 'set':
      return input.length === 0 ? undefined : field.choices.filter((choice) => input.includes(choice.label)).map((choice) => choice.value);
    case 'number':
      return input === '' || Number.isNaN(Number(input)) ? undefined : Number(input);
    case 'text':
      return input === '' ? undefined : String(input);
    case 'bytes':
      return input === '' ? undefined : encodeBase64url(encodeUtf8(String(input)));
    case 'credentials':
      return undefined;
  }
}

function find(choices: readonly Choice[], label: string): unknown {
  return choices.find((choice) => choice.label === label)?.value;
}

function equalJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Bytes that are not text stay base64url; edit them in the JSON. */
function readText(value: string): string {
  try {
    return decodeUtf8(decodeBase64url(value));
  } catch {
    return value;
  }
}

/** Credential IDs of the list at `path`; undefined if the server's own list is used. */
export function listedCredentials(options: JsonObject, path: readonly string[]): readonly string[] | undefined {
  const list = getPath(options, path);
  return Array.isArray(list) ? list.map((entry) => stringAt(entry, 'id') ?? '') : undefined;
}

/**
 * The options with `ids` as the list at `path`, in that order; undefined restores the server's list. Entries already in the list
 * stay as they were written.
 */
export function listCredentials(
  options: JsonObject,
  path: readonly string[],
  ids: readonly string[] | undefined,
  known: readonly Pick<PasskeyRow, 'credential_id' | 'transports'>[],
): JsonObject {
  if (ids === undefined) {
    return setPath(options, path, undefined);
  }
  const old = getPath(options, path);
  const entries: readonly unknown[] = Array.isArray(old) ? old : [];
  const descriptors = ids.map((id) => {
    const kept = entries.find((entry) => stringAt(entry, 'id') === id);
    const transports = known.find((one) => one.credential_id === id)?.transports ?? [];
    return kept ?? { id, type: 'public-key', ...(transports.length === 0 ? {} : { transports }) };
  });
  return setPath(options, path, descriptors);
}
