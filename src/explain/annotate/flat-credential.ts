import { asObject, isObject, type JsonObject, parseJson } from '../../kernel/json-value.js';
import { decodeAttestationObject } from '../../webauthn/attestation-object.js';
import { decodeAuthenticatorData } from '../../webauthn/authenticator-data.js';
import { decodeBase64, encodeBase64url } from '../../webauthn/base64url.js';

/**
 * Patterns that match the names that servers, forms and Android give to the members of a credential. A name is matched in lower case,
 * without `_`, `-` and spaces. The first match counts.
 */
const NAMES: Readonly<Record<string, RegExp>> = {
  id: /^(?:credentialid|publickeycredentialid|credid|keyhandle|responseid|rawid|id)$/,
  clientDataJSON: /clientdata(?:json|raw)?(?:base64(?:url)?)?$/,
  attestationObject: /attestationobject(?:base64(?:url)?)?$/,
  authenticatorData: /auth(?:enticator)?data(?:base64(?:url)?)?$/,
  signature: /signature(?:base64(?:url)?)?$/,
  userHandle: /userhandle(?:base64(?:url)?)?$/,
  transports: /transports$/,
  authenticatorAttachment: /^authenticatorattachment$/,
  clientExtensionResults: /^(?:clientext(?:ensions?)?|clientextensionresults|clientextensions?json)$/,
};

/**
 * Reads a credential whose parts are all members of one object, such as a form with one field per part or the payload of an app. Returns
 * undefined for any other object.
 *
 * @param isForm whether the object is a form. If a form lacks the ID of a new credential, the ID in its attestation object is used.
 */
export function readFlatCredential(object: JsonObject, isForm = false): JsonObject | undefined {
  const members = findMembers(object);
  const { clientDataJSON, attestationObject, authenticatorData, signature, userHandle } = members;
  const isRegistration = typeof attestationObject === 'string' && attestationObject !== '';
  if (typeof clientDataJSON !== 'string' || clientDataJSON === '' || !(isRegistration || typeof signature === 'string')) return undefined;
  const id = members['id'] ?? (isForm && isRegistration ? readAttestedId(attestationObject) : undefined);
  if (typeof id !== 'string' || id === '') return undefined;
  const transports = readTransports(members['transports']);
  const { clientExtensionResults: extensions, authenticatorAttachment: attachment } = members;
  return {
    id,
    rawId: id,
    type: 'public-key',
    response: isRegistration
      ? { clientDataJSON, attestationObject, ...(transports && { transports }) }
      : { clientDataJSON, authenticatorData, signature, ...(typeof userHandle === 'string' && userHandle !== '' && { userHandle }) },
    ...(typeof attachment === 'string' && attachment !== '' && { authenticatorAttachment: attachment }),
    clientExtensionResults: asObject(typeof extensions === 'string' ? parseJson(extensions) : extensions),
  };
}

function findMembers(object: JsonObject): JsonObject {
  const own = plainEntries(object);
  const inner = own.flatMap(([name, value]) => (RESPONSE.test(name) && isObject(value) ? plainEntries(value) : []));
  const all = [...own, ...inner];
  return Object.fromEntries(Object.entries(NAMES).map(([member, pattern]) => [member, all.find(([name]) => pattern.test(name))?.[1]]));
}

/**
 * Matches the name of the member that contains the parts of a credential. The standard calls this member `response`; some servers spell it
 * differently.
 */
const RESPONSE = /response$|^(?:assertion|attestation)$/;

const plainEntries = (object: JsonObject): (readonly [name: string, value: unknown])[] =>
  Object.entries(object).map(([name, value]) => [name.toLowerCase().replaceAll(/[_\s-]/g, ''), value]);

/** Reads the credential ID in an attestation object. Never throws, since unreadable bytes are reported together with the credential. */
function readAttestedId(text: string): string | undefined {
  try {
    const { authData } = decodeAttestationObject(decodeBase64(text)?.bytes ?? new Uint8Array());
    const { attestedCredentialData } = decodeAuthenticatorData(authData);
    return attestedCredentialData && encodeBase64url(attestedCredentialData.credentialId);
  } catch {
    return undefined;
  }
}

function readTransports(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string' || value === '') return undefined;
  const list = parseJson(value);
  return Array.isArray(list) ? list : value.split(',').map((transport) => transport.trim());
}

/**
 * Builds a nested object from the names and values of form fields, such as `credential[response][signature]`, `credential.id` and
 * `transports[]`.
 */
export function nestFields(fields: readonly (readonly [name: string, value: string])[]): JsonObject {
  const root = new Map<string, unknown>();
  for (const [name, value] of fields) {
    const path = name.split(/[[\].]+/).filter((part) => part !== '');
    const last = path.pop();
    if (last === undefined || path.length > MAX_FIELD_DEPTH) continue;
    let at = root;
    for (const part of path) {
      const inner = at.get(part);
      const next: Map<string, unknown> = inner instanceof Map ? inner : new Map();
      at.set(part, next);
      at = next;
    }
    const earlier = at.get(last);
    if (name.endsWith('[]')) at.set(last, Array.isArray(earlier) ? [...earlier, value] : [value]);
    else if (!at.has(last)) at.set(last, value);
  }
  return toObject(root);
}

const MAX_FIELD_DEPTH = 8;

const toObject = (map: ReadonlyMap<string, unknown>): JsonObject =>
  Object.fromEntries([...map].map(([name, value]) => [name, value instanceof Map ? toObject(value) : value]));
