import { only } from '../../fixture/response.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import type { CeremonyKind } from '../../webauthn/enumerations.js';
import { CREATION_MEMBERS, REQUEST_MEMBERS } from '../../webauthn/json.js';
import { isObject, type JsonObject } from '../../webauthn/json-value.js';
import { bytesOfText } from '../asked.js';

/**
 * Anybody's options as the standard writes them (WebAuthn L3 §5.1.9, §5.1.10): members that it does not know are left out, such as
 * tokens beside the challenge, and so are members that are null; what is base64 becomes base64url.
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
    case 'user':
      return withId(value);
    case 'excludeCredentials':
    case 'allowCredentials':
      return Array.isArray(value) ? value.map(withId) : value;
    default:
      return value;
  }
}

function withId(value: unknown): unknown {
  return isObject(value) ? { ...value, id: base64url(value['id']) } : value;
}

function base64url(value: unknown): unknown {
  const bytes = bytesOfText(value);
  return bytes === undefined ? value : encodeBase64url(bytes);
}
