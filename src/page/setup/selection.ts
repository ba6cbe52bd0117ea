import type { JsonObject } from '../json.js';
import { isJsonObject } from '../json.js';

/**
 * Creation option members as they are sent. The server replaces whole members, so that one changed entry of
 * `authenticatorSelection` would take the others' given values away: they are filled in.
 */
export function withGivenSelection(
  changed: JsonObject,
  given: { readonly residentKey: string | undefined; readonly userVerification: string | undefined },
): JsonObject {
  const selection = changed['authenticatorSelection'];
  if (!isJsonObject(selection)) {
    return changed;
  }
  return { ...changed, authenticatorSelection: { ...definedMembers(given), ...selection } };
}

function definedMembers(object: Readonly<Record<string, string | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
