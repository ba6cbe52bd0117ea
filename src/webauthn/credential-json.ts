import { isObject, type JsonObject } from '../kernel/json-value.js';
import { decodeBase64, encodeBase64url } from './base64url.js';

/*
 * Converts between the dictionaries of a page and their JSON (WebAuthn L3 §5.1.8 to §5.1.10): for browsers that lack
 * `parse…OptionsFromJSON()` and `toJSON()`, and for stand-ins of browsers. Uses no DOM types, so that the tests can run it in Node.
 */

/** Names of extension input members that hold bytes (WebAuthn L3 §10, CTAP 2.3 §12.2). */
const BYTES_IN_INPUTS = new Set(['first', 'second', 'write', 'credBlob']);
/** Names of extension output members that hold bytes. */
const BYTES_IN_OUTPUTS = new Set(['first', 'second', 'blob', 'getCredBlob']);

/** Converts the value of one member from base64url to bytes or back. `path` names the member in error messages. */
type Convert = (value: unknown, path: string) => unknown;
type ToSource = (bytes: Uint8Array) => unknown;

/**
 * Decodes the base64url members of creation or request options to bytes.
 *
 * @param toSource converts the bytes of a member to a BufferSource; by default, returns the bytes unchanged.
 * @throws TypeError naming the member that is not base64url.
 */
export function parseOptions(options: JsonObject, toSource: ToSource = (bytes) => bytes): JsonObject {
  return mapOptions(options, (value, path) => toSource(decodeMember(value, path)));
}

/**
 * Encodes ArrayBuffers and their views in creation or request options as base64url.
 *
 * @throws TypeError naming a member that should hold bytes but is neither an ArrayBuffer nor a view.
 */
export function optionsToJson(options: JsonObject): JsonObject {
  return mapOptions(options, (value, path) => {
    const bytes = bytesOfSource(value);
    if (bytes === undefined) throw new TypeError(`Expected ${path} to be an ArrayBuffer or a view of one; got ${typeof value}.`);
    return encodeBase64url(bytes);
  });
}

/** Decodes the base64url members of extension outputs to bytes. */
export function parseOutputs(outputs: JsonObject, toSource: ToSource): JsonObject {
  return mapMembers(outputs, (name, value) =>
    BYTES_IN_OUTPUTS.has(name) && typeof value === 'string'
      ? toSource(decodeMember(value, name))
      : isObject(value)
        ? parseOutputs(value, toSource)
        : value,
  );
}

function mapOptions(options: JsonObject, convert: Convert): JsonObject {
  return mapMembers(options, (name, value) => {
    if (name === 'challenge') return convert(value, name);
    if (name === 'user') return mapId(value, name, convert);
    if (name === 'extensions') return mapInputs(value, name, convert);
    return (name === 'excludeCredentials' || name === 'allowCredentials') && Array.isArray(value)
      ? value.map((descriptor, index) => mapId(descriptor, `${name}[${index}]`, convert))
      : value;
  });
}

/** Converts the `id` of a user entity or credential descriptor. */
function mapId(value: unknown, path: string, convert: Convert): unknown {
  return isObject(value) ? { ...value, id: convert(value['id'], `${path}.id`) } : value;
}

function mapInputs(value: unknown, path: string, convert: Convert): unknown {
  return isObject(value)
    ? mapMembers(value, (name, member) =>
        BYTES_IN_INPUTS.has(name) ? convert(member, `${path}.${name}`) : mapInputs(member, `${path}.${name}`, convert),
      )
    : value;
}

/** Copies an object, mapping the value of every member that is not undefined. */
function mapMembers(object: JsonObject, map: (name: string, value: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(object).flatMap(([name, value]) => (value === undefined ? [] : [[name, map(name, value)]])));
}

function decodeMember(value: unknown, path: string): Uint8Array<ArrayBuffer> {
  const decoded = typeof value === 'string' ? decodeBase64(value) : undefined;
  if (decoded === undefined) {
    throw new TypeError(`Expected base64url in ${path}; got ${JSON.stringify(value)}.`);
  }
  return new Uint8Array(decoded.bytes);
}

/** Reads the bytes of a BufferSource, even if it comes from another window; undefined for any other value. */
function bytesOfSource(value: unknown): Uint8Array | undefined {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return isArrayBuffer(value) ? new Uint8Array(value) : undefined;
}

function isArrayBuffer(value: unknown): value is ArrayBuffer {
  return Object.prototype.toString.call(value) === '[object ArrayBuffer]';
}

/** The parts of a PublicKeyCredential that `credentialToJson` reads. */
interface CredentialLike {
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

/** Converts a credential to RegistrationResponseJSON or AuthenticationResponseJSON. */
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
  const bytes = bytesOfSource(value);
  if (bytes !== undefined) {
    return encodeBase64url(bytes);
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
