import type { JsonObject } from '../../kernel/json-value.js';
import type { OptionField } from '../../server/schemas/option-form.js';
import { decodeBase64, encodeBase64url } from '../../webauthn/base64url.js';
import { getPath, sameJson, setPath, stringAt } from '../json.js';
import type { PasskeyRow } from '../state.js';

/** Value of a select for a member that is not sent. */
export const NOT_SENT = '';
/** Value of a select for a member that only the JSON can express. */
export const AS_IN_JSON = 'json';

/** The server's own members, and those that were changed. */
export interface Options {
  readonly own: JsonObject;
  readonly changed: JsonObject;
}

/** The value that the browser gets: the changed one, else the server's own. Null where it was taken out. */
function readValue({ path }: OptionField, { own, changed }: Options): unknown {
  const value = getPath(changed, path);
  return value === undefined ? getPath(own, path) : value;
}

/** Whether the browser gets something else than the server sends by itself. */
export function isChanged(field: OptionField, { own, changed }: Options): boolean {
  const value = getPath(changed, field.path);
  return value !== undefined && !sameJson(value, getPath(own, field.path));
}

/** Reads the text that a control shows; for a set, one string per checked choice. */
export function readControl(field: OptionField, options: Options): string | readonly string[] {
  const value = readValue(field, options);
  switch (field.kind) {
    case 'choice':
      return value === undefined ? NOT_SENT : (field.choices.find((choice) => sameJson(choice.value, value))?.label ?? AS_IN_JSON);
    case 'set':
      return Array.isArray(value)
        ? value.flatMap((one: unknown) => field.choices.find((choice) => sameJson(choice.value, one))?.label ?? [])
        : [];
    case 'bytes':
      return typeof value === 'string' ? readText(value) : '';
    case 'credentials':
    case 'number':
    case 'text':
      return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  }
}

/** The changes after the control of `field` was set to `input`. What the server sends by itself is no change. */
export function writeControl(field: OptionField, options: Options, input: string | readonly string[]): JsonObject {
  const { own, changed } = options;
  if (input === AS_IN_JSON) return changed;
  const value = toValue(field, options, input);
  return setPath(changed, field.path, sameJson(value, getPath(own, field.path)) ? undefined : value);
}

/** The changes without that of one field. */
export function resetControl({ path }: OptionField, { changed }: Options): JsonObject {
  return setPath(changed, path, undefined);
}

function toValue(field: OptionField, options: Options, input: string | readonly string[]): unknown {
  switch (field.kind) {
    case 'choice':
      return field.choices.find((choice) => choice.label === input)?.value;
    case 'set':
      return chosen(field, options, input);
    case 'number':
      return input === '' || Number.isNaN(Number(input)) ? undefined : Number(input);
    case 'text':
      return input === '' ? undefined : String(input);
    case 'bytes':
      return input === '' ? undefined : encodeBase64url(new TextEncoder().encode(String(input)));
    case 'credentials':
      return undefined;
  }
}

/** Entries that were there keep their place, also those that have no box; new ones go last. */
function chosen(field: OptionField & { readonly kind: 'set' }, options: Options, input: string | readonly string[]): unknown {
  const value = readValue(field, options);
  const entries: readonly unknown[] = Array.isArray(value) ? value : [];
  const findLabel = (entry: unknown) => field.choices.find((choice) => sameJson(choice.value, entry))?.label;
  const kept = entries.filter((entry) => {
    const label = findLabel(entry);
    return label === undefined || input.includes(label);
  });
  const known = kept.map(findLabel);
  const added = field.choices.filter(({ label }) => input.includes(label) && !known.includes(label)).map((choice) => choice.value);
  const list = [...kept, ...added];
  return list.length === 0 && getPath(options.own, field.path) === undefined ? undefined : list;
}

/** Bytes that are not text stay base64url; edit them in the JSON. */
function readText(value: string): string {
  const decoded = decodeBase64(value);
  try {
    return decoded?.canonical === true ? new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(decoded.bytes) : value;
  } catch {
    return value;
  }
}

/** Credential IDs of the list at `path`; undefined if the server's own list is used. */
export function listedCredentials(changed: JsonObject, path: readonly string[]): readonly string[] | undefined {
  const list = getPath(changed, path);
  return Array.isArray(list) ? list.map((entry) => stringAt(entry, 'id') ?? '') : undefined;
}

/**
 * The changes with `ids` as the list at `path`, in that order; undefined restores the server's list. Entries already in the list
 * stay as they were written.
 */
export function listCredentials(
  changed: JsonObject,
  path: readonly string[],
  ids: readonly string[] | undefined,
  known: readonly Pick<PasskeyRow, 'credential_id' | 'transports'>[],
): JsonObject {
  if (ids === undefined) return setPath(changed, path, undefined);
  const old = getPath(changed, path);
  const entries: readonly unknown[] = Array.isArray(old) ? old : [];
  const descriptors = ids.map((id) => {
    const kept = entries.find((entry) => stringAt(entry, 'id') === id);
    const transports = known.find((one) => one.credential_id === id)?.transports ?? [];
    return kept ?? { id, type: 'public-key', ...(transports.length === 0 ? {} : { transports }) };
  });
  return setPath(changed, path, descriptors);
}
