import { decodeBase64, encodeBase64url } from '../webauthn/base64url.js';
import type { Json, JsonObject } from './json.js';
import { isJsonObject } from './json.js';

/*
 * What `PublicKeyCredential.parse…OptionsFromJSON()` and `toJSON()` do (WebAuthn L3 §5.1.8 to §5.1.10), for browsers without them.
 * No DOM types in here, so that it runs in the tests too.
 */

/** Members of the options' extensions that are bytes (WebAuthn L3 §10, client extension inputs in JSON). */
const BYTES_IN_EXTENSIONS = new Set(['first', 'second', 'write']);

export type Parsed = null | boolean | number | string | Uint8Array<ArrayBuffer> | Parsed[] | { [member: string]: Parsed };

/**
 * Options with bytes in place of base64url.
 *
 * @throws TypeError naming the member that is not base64url.
 */
export function parseOptions(options: JsonObject): Record<string, Parsed> {
  const parsed: Record<string, Parsed> = {};
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) {
      continue;
    }
    if (name === 'challenge') {
      parsed[name] = bytesOf(value, name);
    } else if (name === 'user' && isJsonObject(value)) {
      parsed[name] = { ...(copy(value) as Record<string, Parsed>), id: bytesOf(value.id, 'user.id') };
    } else if ((name === 'excludeCredentials' || name === 'allowCredentials') && Array.isArray(value)) {
      parsed[name] = value.map((descriptor, index) =>
        isJsonObject(descriptor)
          ? { ...(copy(descriptor) as Record<string, Parsed>), id: bytesOf(descriptor.id, `${name}[${index}].id`) }
          : copy(descriptor as Json),
      );
    } else if (name === 'extensions' && isJsonObject(value)) {
      parsed[name] = extensionInputs(value, name);
    } else {
      parsed[name] = copy(value);
    }
  }
  return parsed;
}

function extensionInputs(object: JsonObject, path: string): Record<string, Parsed> {
  return Object.fromEntries(
    Object.entries(object)
      .filter((entry): entry is [string, Json] => entry[1] !== undefined)
      .map(([name, value]) => {
        const at = `${path}.${name}`;
        if (BYTES_IN_EXTENSIONS.has(name)) {
          return [name, bytesOf(value, at)];
        }
        return [name, isJsonObject(value) ? extensionInputs(value, at) : copy(value)];
      }),
  );
}

function copy(value: Json): Parsed {
  return structuredClone(value) as Parsed;
}

function bytesOf(value: Json | undefined, path: string): Uint8Array<ArrayBuffer> {
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
  const members: Record<string, Json> = { clientDataJSON: text(response.clientDataJSON) };
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

function outputs(value: unknown): Json {
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
  return value as Json;
}

function text(bytes: ArrayBuffer): string {
  return encodeBase64url(new Uint8Array(bytes));
}
