import { escapePointer } from '../json-location.js';
import { isObject, type JsonObject } from './json-value.js';
import type { JsonKind } from './recognised.js';

/** Wrappers go no deeper than this, e.g. `{ data: { credential: … } }`. */
const MAX_DEPTH = 3;

/** What a JSON object is, or what the first of its members is that is something; undefined when nothing is known. */
export function recogniseJson(value: unknown, pointer = '', depth = 0): { kind: JsonKind; json: JsonObject; pointer: string } | undefined {
  if (!isObject(value)) {
    return undefined;
  }
  const kind = kindOf(value);
  if (kind !== undefined) {
    return { kind, json: value, pointer };
  }
  if (depth === MAX_DEPTH) {
    return undefined;
  }
  for (const [name, member] of Object.entries(value)) {
    const found = recogniseJson(member, `${pointer}/${escapePointer(name)}`, depth + 1);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

function kindOf(json: JsonObject): JsonKind | undefined {
  const has = (...names: readonly string[]) => names.every((name) => name in json);
  if (json['format'] === 'passkey-fixture') {
    return 'fixture';
  }
  if (isObject(json['log']) && Array.isArray(json['log']['entries'])) {
    return 'har';
  }
  const { response } = json;
  if (isObject(response) && 'clientDataJSON' in response) {
    return 'attestationObject' in response
      ? 'registration'
      : 'signature' in response || 'authenticatorData' in response
        ? 'authentication'
        : undefined;
  }
  if (has('challenge', 'pubKeyCredParams') || has('challenge', 'rp', 'user')) {
    return 'creation-options';
  }
  return has('challenge') && !has('origin') && ['rpId', 'allowCredentials', 'userVerification', 'timeout'].some((name) => name in json)
    ? 'request-options'
    : undefined;
}

/** A credential out of `JSON.stringify`, which writes what a browser cannot serialize as `{}`. */
export function isEmptyCredential(value: unknown): boolean {
  return isObject(value) && value['type'] === 'public-key' && isObject(value['response']) && Object.keys(value['response']).length === 0;
}
