import { isObject, type JsonObject } from '../kernel/json-value.js';
import { decodeBase64, encodeBase64url } from './base64url.js';
import { CEREMONIES, type CeremonyKind, listNames } from './enumerations.js';

interface ExtensionInput {
  /** Ceremonies that may request the extension. */
  readonly ceremonies: readonly CeremonyKind[];
  /** Identifier of the authenticator extension that processes the input; absent if the client does all the processing. */
  readonly authenticator?: string;
  /** Location of the extension's output: `clientExtensionResults`, the signed authenticator data, or none. */
  readonly output: 'client' | 'signed' | 'none';
  /** Input members that are allowed in only one of the two ceremonies, each with that ceremony. */
  readonly members?: Readonly<Record<string, readonly CeremonyKind[]>>;
}

const BOTH = CEREMONIES;
const REGISTRATION = ['registration'] as const;
const AUTHENTICATION = ['authentication'] as const;

/** Client extensions by their JavaScript names, from WebAuthn L3 §10.1, CTAP 2.3 §12 and Secure Payment Confirmation. */
export const EXTENSION_INPUTS = {
  appid: { ceremonies: AUTHENTICATION, output: 'client' },
  appidExclude: { ceremonies: REGISTRATION, output: 'none' },
  credProps: { ceremonies: REGISTRATION, output: 'client' },
  prf: {
    ceremonies: BOTH,
    authenticator: 'hmac-secret',
    output: 'client',
    members: { eval: BOTH, evalByCredential: AUTHENTICATION },
  },
  largeBlob: {
    ceremonies: BOTH,
    authenticator: 'largeBlobKey',
    output: 'client',
    members: { support: REGISTRATION, read: AUTHENTICATION, write: AUTHENTICATION },
  },
  credentialProtectionPolicy: { ceremonies: REGISTRATION, authenticator: 'credProtect', output: 'signed' },
  enforceCredentialProtectionPolicy: { ceremonies: REGISTRATION, output: 'none' },
  credBlob: { ceremonies: REGISTRATION, authenticator: 'credBlob', output: 'signed' },
  getCredBlob: { ceremonies: AUTHENTICATION, authenticator: 'credBlob', output: 'signed' },
  minPinLength: { ceremonies: REGISTRATION, authenticator: 'minPinLength', output: 'signed' },
  hmacCreateSecret: { ceremonies: REGISTRATION, authenticator: 'hmac-secret', output: 'signed' },
  hmacGetSecret: { ceremonies: AUTHENTICATION, authenticator: 'hmac-secret', output: 'signed' },
  payment: { ceremonies: BOTH, output: 'none' },
  uvm: { ceremonies: BOTH, authenticator: 'uvm', output: 'signed' },
  remoteClientDataJSON: { ceremonies: BOTH, output: 'none' },
} as const satisfies Record<string, ExtensionInput>;
/**
 * Extensions that only Chromium implements. It accepts the first only from remote desktop software. `getClientCapabilities()` lists the
 * others as unsupported.
 */
export const CHROMIUM_EXTENSIONS = ['remoteDesktopClientOverride', 'cmtgKey', 'crossDeviceFallbackUrl'] as const;

export type ExtensionInputName = keyof typeof EXTENSION_INPUTS;

export function findExtensionInput(name: string): ExtensionInput | undefined {
  return Object.hasOwn(EXTENSION_INPUTS, name) ? EXTENSION_INPUTS[name as ExtensionInputName] : undefined;
}

/** Reads the AppID that request options contain in the extension `appid` (§10.1.1); undefined if they have none. */
export function requestedAppId(options: JsonObject | undefined): string | undefined {
  const extensions = options?.['extensions'];
  const appId = isObject(extensions) && Object.hasOwn(extensions, 'appid') ? extensions['appid'] : undefined;
  return typeof appId === 'string' && appId !== '' ? appId : undefined;
}

/**
 * Finds the JavaScript name of an authenticator extension, e.g. `prf` for `hmac-secret`; undefined if both names are the same or the
 * extension has no JavaScript name.
 */
export function findBrowserName(identifier: string): string | undefined {
  if (findExtensionInput(identifier) !== undefined) return undefined;
  return listNames(EXTENSION_INPUTS).find((name) => findExtensionInput(name)?.authenticator === identifier);
}

/** Values of `credentialProtectionPolicy`, each with its credProtect level (CTAP 2.3 §12.1). */
export const CREDENTIAL_PROTECTION = {
  userVerificationOptional: 1,
  userVerificationOptionalWithCredentialIDList: 2,
  userVerificationRequired: 3,
} as const;
export type CredentialProtectionLevel = (typeof CREDENTIAL_PROTECTION)[keyof typeof CREDENTIAL_PROTECTION];

/** Values of the largeBlob input `support`: LargeBlobSupport (§10.1.5). */
export const LARGE_BLOB_SUPPORT = ['required', 'preferred'] as const;

/** Misuse of an extension input, for which the standard makes a client throw. */
export interface ExtensionMisuse {
  /** JSON Pointer to the wrong member in the extension inputs, e.g. `/prf/evalByCredential`. */
  readonly pointer: string;
  /** Name of the DOMException that the client throws. */
  readonly error: 'NotSupportedError' | 'SyntaxError';
  /** One sentence that states the fault and the remedy. It starts with the name of the input, e.g. `prf.evalByCredential`. */
  readonly message: string;
}

/**
 * Finds inputs that the client extension processing of prf (§10.1.4) and largeBlob (§10.1.5) rejects, in the order of a client's checks.
 *
 * @param extensions extension inputs as JSON, with bytes as base64url.
 * @param allowed credential IDs in `allowCredentials` as base64url; undefined at registration.
 */
export function misusedExtensions(
  extensions: JsonObject,
  ceremony: CeremonyKind,
  allowed: readonly string[] = [],
): readonly ExtensionMisuse[] {
  const foreign = listNames(EXTENSION_INPUTS).flatMap((name) => foreignMembers(extensions, name, ceremony));
  return ceremony === 'registration' ? foreign : [...foreign, ...misusedPrf(extensions, allowed), ...misusedLargeBlob(extensions, allowed)];
}

function foreignMembers(extensions: JsonObject, name: ExtensionInputName, ceremony: CeremonyKind): ExtensionMisuse[] {
  const members = Object.entries(findExtensionInput(name)?.members ?? {});
  const fitting = members.filter(([, ceremonies]) => ceremonies.includes(ceremony)).map(([member]) => `${name}.${member}`);
  return members
    .filter(([member, ceremonies]) => !ceremonies.includes(ceremony) && readMember(extensions, name, member) !== undefined)
    .map(([member, ceremonies]) =>
      refused(`/${name}/${member}`, `${name}.${member} is for ${ceremonies.join()} only; ${ceremony} takes ${fitting.join(' or ')}.`),
    );
}

function misusedPrf(extensions: JsonObject, allowed: readonly string[]): ExtensionMisuse[] {
  const byCredential = readMember(extensions, 'prf', 'evalByCredential');
  const keys = isObject(byCredential) ? Object.keys(byCredential) : [];
  const pointer = '/prf/evalByCredential';
  if (keys.length > 0 && allowed.length === 0) {
    return [refused(pointer, 'prf.evalByCredential needs allowCredentials; the list is empty.')];
  }
  const ids = new Set(allowed.map(canonicalId));
  const wrong = keys.find((key) => key === '' || !ids.has(canonicalId(key) ?? ''));
  if (wrong === undefined) return [];
  const message = `prf.evalByCredential has the key ${JSON.stringify(wrong)}; every key must be the base64url of an ID in allowCredentials.`;
  return [{ pointer, error: 'SyntaxError', message }];
}

function misusedLargeBlob(extensions: JsonObject, allowed: readonly string[]): ExtensionMisuse[] {
  const has = (member: string) => readMember(extensions, 'largeBlob', member) !== undefined;
  return [
    ...(has('read') && has('write') ? [refused('/largeBlob', 'largeBlob.read and largeBlob.write exclude each other; ask for one.')] : []),
    ...(has('write') && allowed.length !== 1
      ? [refused('/largeBlob/write', `largeBlob.write needs exactly one credential in allowCredentials; got ${allowed.length}.`)]
      : []),
  ];
}

function refused(pointer: string, message: string): ExtensionMisuse {
  return { pointer, error: 'NotSupportedError', message };
}

function readMember(extensions: JsonObject, name: string, member: string): unknown {
  const input = Object.hasOwn(extensions, name) ? extensions[name] : undefined;
  return isObject(input) && Object.hasOwn(input, member) ? input[member] : undefined;
}

function canonicalId(text: string): string | undefined {
  const decoded = decodeBase64(text);
  return decoded?.canonical ? encodeBase64url(decoded.bytes) : undefined;
}
