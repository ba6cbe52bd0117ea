import { isObject, type JsonObject } from '../kernel/json-value.js';
import { decodeBase64 } from '../webauthn/base64url.js';

/**
 * Reads the RP ID in options. Like every function in this file, it accepts untrusted creation options (WebAuthn L3 §5.4) or request options
 * (§5.5).
 */

export function readRpId(options: JsonObject | undefined): string | undefined {
  const id = isObject(options?.['rp']) ? options['rp']['id'] : options?.['rpId'];
  return typeof id === 'string' ? id : undefined;
}

/** Reads `userVerification` in options as it is written, even if the value is unknown. */
export function readUserVerification(options: JsonObject | undefined): unknown {
  const selection = options?.['authenticatorSelection'];
  return isObject(selection) ? selection['userVerification'] : options?.['userVerification'];
}

/** Reads the COSEAlgorithmIdentifiers that creation options offer; undefined if the options name none. */
export function readAlgorithms(options: JsonObject | undefined): readonly number[] | undefined {
  const listed = options?.['pubKeyCredParams'];
  const ids = Array.isArray(listed)
    ? listed.flatMap((entry: unknown) => (isObject(entry) && typeof entry['alg'] === 'number' ? [entry['alg']] : []))
    : [];
  return ids.length === 0 ? undefined : ids;
}

/** Reads the credential IDs of `allowCredentials`. */
export function readAllowed(options: JsonObject | undefined): Uint8Array[] {
  const listed = options?.['allowCredentials'];
  return Array.isArray(listed) ? listed.flatMap((entry: unknown) => (isObject(entry) ? (decodeText(entry['id']) ?? []) : [])) : [];
}

/** Reads the user handle, `user.id`. */
export function readUserHandle(options: JsonObject | undefined): Uint8Array | undefined {
  const user = options?.['user'];
  return isObject(user) ? decodeText(user['id']) : undefined;
}

/** Decodes base64url or base64; undefined for anything else. */
export function decodeText(value: unknown): Uint8Array | undefined {
  return typeof value === 'string' ? decodeBase64(value)?.bytes : undefined;
}
