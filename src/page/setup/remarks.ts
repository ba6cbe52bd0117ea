import type { JsonObject } from '../../kernel/json-value.js';
import type { CeremonyKind } from '../../webauthn/enumerations.js';
import { isBound, MEMBERS } from './own-options.js';

/** Hints about names in the changes. None of them is an error. */
export function remarksOn(dictionary: CeremonyKind, changed: JsonObject): string[] {
  return Object.keys(changed).flatMap((name) => {
    if (isBound(dictionary, name)) return `${name} comes from the server; the value here is not used.`;
    return MEMBERS[dictionary].includes(name) ? [] : `${name} is not a member of these options; browsers ignore it.`;
  });
}
