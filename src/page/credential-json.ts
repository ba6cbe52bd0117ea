import { decodeBase64, encodeBase64url } from '../webauthn/base64url.js';
import type { JsonObject } from '../webauthn/json-value.js';
import { isObject } from '../webauthn/json-value.js';

/*
 * What `PublicKeyCredential.parse…OptionsFromJSON()` and `toJSON()` do (WebAuthn L3 §5.1.8 to §5.1.10), for browsers that lack them.
 * Uses no DOM types, so that the tests can run it in Node.
 */

/** Members of extension inputs that are bytes (WebAuthn L3 §10). */
const BYTES_IN_EXTENSIONS = new Set(['first', 'second', 'write']);

/**
 * Options with bytes in place of base64url.
 *
 * @throws TypeError naming the member that is not base64url.
 */
export function parseOptions(options: JsonObject): JsonObject {
  return mapMembers(options, (name, value) => {
    if (name === 'challenge') return bytesOf(value, name);
    if (name === 'user') return withBytes(value, name);
    if (name === 'extensions') return extensionInputs(value, name);
    return (name === 'excludeCredentials' || name === 'allowCredentials') && Array.isArray(value)
      ? value.map((descriptor, index) => withBytes(descriptor, `${name}[${index}]`))
      : value;
  });
}

/** A user entity or a credential descriptor with bytes as its `id`. */
function withBytes(value: unknown, path: string): unknown {
  return isObject(value) ? { ...value, id: bytesOf(value.id, `${path}.id`) } : value;
}

function extensionInputs(value: unknown, path: string): unknown {
  return isObject(value)
    ? mapMembers(value, (name, member) =>
        BYTES_IN_EXTENSIONS.has(name) ? bytesOf(member, `${path}.${name}`) : extensionInputs(member, `${path}.${name}`),
      )
    : value;
}

/** A copy with every member that is not undefined mapped. */
function mapMembers(object: JsonObject, map: (name: string, value: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(object).flatMap(([name, value]) => (value === undefined ? [] : [[name, map(name, value)]])));
}

function bytesOf(value: unknown, path: string): Uint8Array<ArrayBuffer> {
  const decoded = typeof value === 'string' ? decodeBase64(value) : undefined;
  if (decoded === undefined) {
    throw new TypeError(`Expected base64url in ${path}; got ${JSON.stringify(value)}.`);
  }
  return new Uint8Array(decoded.bytes);
}

/** The parts of a PublicKeyCredential that its JSON is made of. */
export interface CredentialLike {
  readonly id: string;
  readonly rawId: ArrayBuffer;
  readonly type: string;
  readonly authenticatorAttachment?: string | null;
  readonly response: {
    readonly clientDataJSON: ArrayBuffer;
    readonly attestationObject?: ArrayBuffer;
    readonly authenticatorData?: ArrayBuffer;
    readonly signature?: ArrayBuffer;
    readonly userHandle?: ArrayBuffer | null;
    getTransports?(): string[];
    getAuthenticatorData?(): ArrayBuffer;
    getPublicKey?(): ArrayBuffer | null;
    getPublicKeyAlgorithm?(): number;
  };
  getClientExtensionResults(): object;
}

/** RegistrationResponseJSON or AuthenticationResponseJSON of a credential. */
export function credentialToJson(credential: CredentialLike): JsonObject {
  const { response } = credential;
  const members: Record<string, unknown> = { clientDataJSON: text(response.clientDataJSON) };
  if (response.attestationObject === undefined) {
    for (const name of ['authenticatorData', 'signature', 'userHandle'] as const) {
      const value = response[name];
      if (value !== undefined && value !== null) {
        members[name] = text(value);
      }
    }
  } else {
    const publicKey = response.getPublicKey?.();
    members.attestationObject = text(response.attestationObject);
    members.transports = response.getTransports?.() ?? [];
    if (response.getAuthenticatorData !== undefined) {
      members.authenticatorData = text(response.getAuthenticatorData());
    }
    if (publicKey !== undefined && publicKey !== null) {
      members.publicKey = text(publicKey);
    }
    if (response.getPublicKeyAlgorithm !== undefined) {
      members.publicKeyAlgorithm = response.getPublicKeyAlgorithm();
    }
  }
  const attachment = credential.authenticatorAttachment;
  return {
    id: credential.id,
    rawId: text(credential.rawId),
    type: credential.type,
    ...(attachment === undefined || attachment === null ? {} : { authenticatorAttachment: attachment }),
    clientExtensionResults: outputs(credential.getClientExtensionResults()),
    response: members,
  };
}

function outputs(value: unknown): unknown {
  if (value instanceof ArrayBuffer) {
    return text(value);
  }
  if (ArrayBuffer.isView(value)) {
    return encodeBase64url(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  }
  if (Array.isArray(value)) {
    return value.map(outputs);
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, outputs(member)]));
  }
  return value;
}

function text(bytes: ArrayBuffer): string {
  return encodeBase64url(new Uint8Array(bytes));
}
