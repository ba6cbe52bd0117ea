import type { CeremonyKind } from '../../webauthn/enumerations.js';
import { browserNameOf, findExtensionInput } from '../../webauthn/extensions.js';
import { CREATION_MEMBERS, REQUEST_MEMBERS } from '../../webauthn/json.js';
import type { JsonObject } from '../json.js';
import { isJsonObject } from '../json.js';

const MEMBERS = { registration: CREATION_MEMBERS, authentication: REQUEST_MEMBERS } as const;
/** The ceremony is bound to these: what stands there is not sent. */
const BOUND = { registration: ['challenge', 'rp', 'user'], authentication: ['challenge'] } as const;

/** What a writer of options should know about their names; nothing of it is an error. */
export function remarksOn(dictionary: CeremonyKind, options: JsonObject): string[] {
  const members: readonly string[] = MEMBERS[dictionary];
  const bound: readonly string[] = BOUND[dictionary];
  const { extensions } = options;
  return [
    ...Object.keys(options).flatMap((name) => {
      if (bound.includes(name)) {
        return `${name} is the server’s own; what stands here is not used.`;
      }
      return members.includes(name) ? [] : `${name} is no member of these options; browsers pass over it.`;
    }),
    ...Object.keys(isJsonObject(extensions) ? extensions : {}).flatMap((name) => {
      const other = browserNameOf(name);
      const advice = other === undefined ? 'browsers pass over what they do not know' : `in browsers it goes by ${other}`;
      return findExtensionInput(name) !== undefined ? [] : `extensions.${name} is not known here; ${advice}.`;
    }),
  ];
}
