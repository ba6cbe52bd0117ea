import { knownExtensions, only } from '../../fixture/response.js';
import { isObject, type JsonObject } from '../../kernel/json-value.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import type { CeremonyKind } from '../../webauthn/enumerations.js';
import { CREATION_MEMBERS, REQUEST_MEMBERS } from '../../webauthn/json.js';
import { decodeText } from '../requested-options.js';

/**
 * Members of the `rp` dictionary in creation options (§5.4.2). The constants below list those of the other dictionaries (§5.3, §5.4.3,
 * §5.4.4, §5.8.3).
 */
const RP_MEMBERS = ['id', 'name'];
const USER_MEMBERS = ['id', 'name', 'displayName'];
const PARAMETER_MEMBERS = ['type', 'alg'];
const SELECTION_MEMBERS = ['authenticatorAttachment', 'residentKey', 'requireResidentKey', 'userVerification'];
const DESCRIPTOR_MEMBERS = ['type', 'id', 'transports'];

/**
 * Converts options of another server to the standard's form (WebAuthn L3 §5.1.9, §5.1.10): base64 becomes base64url. Drops null members,
 * unknown extensions, and unknown members at any depth, such as a token next to the challenge.
 */
export function standardOptions(kind: CeremonyKind, json: JsonObject): Record<string, unknown> {
  const known = only(json, kind === 'registration' ? CREATION_MEMBERS : REQUEST_MEMBERS);
  const members = Object.entries(known).flatMap(([name, value]) => (value === null ? [] : [[name, standardMember(name, value)] as const]));
  return Object.fromEntries(members);
}

function standardMember(name: string, value: unknown): unknown {
  switch (name) {
    case 'challenge':
      return base64url(value);
    case 'rp':
      return within(value, RP_MEMBERS);
    case 'user':
      return withId(within(value, USER_MEMBERS));
    case 'pubKeyCredParams':
      return each(value, (parameter) => within(parameter, PARAMETER_MEMBERS));
    case 'authenticatorSelection':
      return within(value, SELECTION_MEMBERS);
    case 'excludeCredentials':
    case 'allowCredentials':
      return each(value, (descriptor) => withId(within(descriptor, DESCRIPTOR_MEMBERS)));
    case 'extensions':
      return isObject(value) ? knownExtensions(value) : value;
    default:
      return value;
  }
}

const each = (value: unknown, map: (item: unknown) => unknown): unknown => (Array.isArray(value) ? value.map(map) : value);
const within = (value: unknown, members: readonly string[]): unknown => (isObject(value) ? only(value, members) : value);

function withId(value: unknown): unknown {
  return isObject(value) ? { ...value, id: base64url(value['id']) } : value;
}

function base64url(value: unknown): unknown {
  const bytes = decodeText(value);
  return bytes === undefined ? value : encodeBase64url(bytes);
}
