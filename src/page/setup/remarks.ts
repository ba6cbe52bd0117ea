import type { CeremonyKind } from '../../webauthn/enumerations.js';
import { browserNameOf, findExtensionInput } from '../../webauthn/extensions.js';
import { isObject, type JsonObject } from '../../webauthn/json-value.js';
import { isBound, MEMBERS } from './own-options.js';

/** Hints about names in the changes. None of them is an error. */
export function remarksOn(dictionary: CeremonyKind, changed: JsonObject): string[] {
  const { extensions } = changed;
  return [
    ...Object.keys(changed).flatMap((name) => {
      if (isBound(dictionary, name)) return `${name} comes from the server; the value here is not used.`;
      return MEMBERS[dictionary].includes(name) ? [] : `${name} is not a member of these options; browsers ignore it.`;
    }),
    ...Object.keys(isObject(extensions) ? extensions : {}).flatMap((name) => {
      const other = browserNameOf(name);
      const advice = other === undefined ? 'browsers ignore unknown extensions' : `browsers call it ${other}`;
      return findExtensionInput(name) !== undefined ? [] : `extensions.${name} is unknown; ${advice}.`;
    }),
  ];
}
