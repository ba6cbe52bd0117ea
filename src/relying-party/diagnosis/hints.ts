import { encodeUtf8, equalBytes, toHex } from '../../kernel/bytes.js';
import { decodeAuthenticatorData, FLAG, OFFSETS } from '../../webauthn/authenticator-data.js';
import { encodeBase64, encodeBase64url } from '../../webauthn/base64url.js';
import { asciiText, findMisreading, MISREADINGS } from '../../webauthn/text-encoding.js';
import { hasMiscountedKey } from './public-key.js';

/** Hint for authenticator data without the flag UP (§6.1). */

export const USER_PRESENT_HINT =
  'The user was not present (UP is not set): the authenticator was not touched. Ask the user to try again; in a test, let the authenticator set UP.';

export const USER_PRESENT_AT_REGISTRATION_HINT =
  'The authenticator must require a touch or similar; only a conditional create needs none. Ask the user to touch it, or begin the ceremony with mediation "conditional".';

export const USER_VERIFIED_HINT =
  'The authenticator did not verify the user by PIN or biometrics. Set userVerification to "required" in the options too ("preferred" lets authenticators skip it), or do not require it here.';

export const BACKUP_STATE_HINT =
  'The flags contradict each other: the credential is backed up (BS) but not eligible for backup (no BE). The authenticator is at fault, since it must set BE whenever it sets BS: register another one.';

const AUTHENTICATOR_DATA_HINT = 'Send the authenticator data byte for byte as the authenticator made it.';

export const MISCOUNTED_KEY_HINT =
  'The Ed25519 key announces three members and has four, a known fault of Solo 2 firmware and of Firefox 117. Update both, or leave EdDSA (-8) out of pubKeyCredParams for this authenticator.';

const NO_EXTENSIONS_HINT =
  'The flag ED announces extensions, but none follow: the authenticator is at fault (its firmware, or a virtual one). Its flags are signed, so no server can repair them. Update it, or use another.';

/** Explains in one sentence why authenticator data cannot be read. */
export function authenticatorDataHint(bytes: Uint8Array): string {
  return authenticatorFault(bytes) ?? AUTHENTICATOR_DATA_HINT;
}

/** Explains, in one sentence, a mistake that the authenticator itself made in its data; undefined if there is none. */
export function authenticatorFault(bytes: Uint8Array): string | undefined {
  if (hasMiscountedKey(bytes)) return MISCOUNTED_KEY_HINT;
  return lacksExtensions(bytes) ? NO_EXTENSIONS_HINT : undefined;
}

/** Tells whether authenticator data would be well-formed without the flag ED. */
function lacksExtensions(bytes: Uint8Array): boolean {
  const flags = bytes[OFFSETS.flags] ?? 0;
  if ((flags & FLAG.ed) === 0) return false;
  try {
    return (
      decodeAuthenticatorData(Uint8Array.from(bytes).fill(flags & ~FLAG.ed, OFFSETS.flags, OFFSETS.flags + 1)).extensions === undefined
    );
  } catch {
    return false;
  }
}

/** Explains a backup eligibility that has changed since the registration (§7.2 step 19). `registered` is the flag BE at registration. */
export function backupEligibilityHint(registered: boolean): string {
  return registered
    ? 'Backup eligibility never changes during the life of a credential. This one was registered as eligible, so the response comes from another copy, or the record was changed: restore the flag as it was at registration, or register the passkey again.'
    : 'Backup eligibility never changes during the life of a credential. The passkey was imported into a provider that syncs, or the record lost the flag: register it again.';
}

/** Explains, in one sentence, an unexpected ceremony in a cross-origin iframe. */
export function crossOriginHint(type: string | undefined): string {
  const feature = type === 'webauthn.create' ? 'publickey-credentials-create' : 'publickey-credentials-get';
  return `The page ran in an iframe of another origin, which is not allowed here. Open it on its own or, if the iframe is intended, have the embedding page write <iframe allow="${feature}"> and name its origin with --top-origin.`;
}

/**
 * Explains, in one sentence, why the bytes of a response's member cannot be decoded; returns `otherwise` unless the reason is a wrong
 * encoding.
 */
export function malformedHint(
  { member, bytes, decode }: { readonly member: string; readonly bytes: Uint8Array; readonly decode: (bytes: Uint8Array) => unknown },
  otherwise: string,
): string {
  const misreading = findMisreading(bytes, decode);
  return misreading === undefined ? otherwise : `response.${member} ${MISREADINGS[misreading]}`;
}

/**
 * Explains, in one sentence, a credential ID that was sent in hexadecimal and therefore decodes to other bytes as base64url. An ID of that
 * length does not consist only of hexadecimal digits by chance.
 */
export function hexIdHint(id: string): string | undefined {
  return /^(?:[0-9a-f]{2}){16,}$/i.test(id)
    ? 'The credential ID was sent as hexadecimal. Send id as the browser gave it, or encode the bytes of rawId as base64url.'
    : undefined;
}

/**
 * Explains what a page should do about a passkey that the device still offers but the server does not know: call the Signal API of WebAuthn
 * L3 §5.1.10.
 */
export function unknownCredentialHint(rpId: string, credentialId: string): string {
  return (
    hexIdHint(credentialId) ??
    `The device still offers a passkey that is not registered here: it was removed, or belongs to another store. If no other store has it either, remove it in the page with PublicKeyCredential.signalUnknownCredential({ rpId: ${JSON.stringify(rpId)}, credentialId: ${JSON.stringify(credentialId)} }).`
  );
}

/** Explains, in one sentence, why a credential ID is not among the allowed ones. */
export function notAllowedHint(id: Uint8Array, allowed: readonly Uint8Array[]): string {
  const hexadecimal = hexIdHint(encodeBase64url(id));
  if (hexadecimal !== undefined) return hexadecimal;
  if (allowed.some((one) => isTextOf(id, one))) {
    return 'The credential ID was encoded twice: these bytes are the base64url text of an allowed ID; send id as the browser gave it, or encode rawId once.';
  }
  return allowed.some((one) => isTextOf(one, id))
    ? 'The ID in allowCredentials was encoded twice: its bytes are the base64url text of this one; decode it from base64url once, or send the stored text as it is.'
    : 'Use one of the credentials that allowCredentials lists.';
}

/** Tells whether `text`, a string in the form of bytes, is the base64url or base64 of `bytes`. */
const isTextOf = (text: Uint8Array, bytes: Uint8Array): boolean =>
  [encodeBase64url(bytes), encodeBase64(bytes)].some((encoded) => equalBytes(encodeUtf8(encoded), text));

/** Explains, in one sentence, a user handle that differs from the one of the credential's user account. */
export function userHandleHint(received: Uint8Array, registered: Uint8Array): string {
  if (isTextOf(received, registered)) {
    return 'The user handle was encoded twice: these bytes are the base64url text of the right ones; encode response.userHandle once.';
  }
  if (encodeBase64url(received).toLowerCase() === toHex(registered)) {
    return 'The user handle was sent as hexadecimal. Encode the bytes of response.userHandle as base64url.';
  }
  if (isTextOf(registered, received)) {
    // The same relation either way: bytes that are text themselves were meant, others come of reading text as base64url.
    return asciiText(received) === undefined
      ? 'The user handle was sent as plain text; encode the bytes of response.userHandle as base64url.'
      : 'The registered user handle is the base64url text of this one: user.id was passed to the browser as text. Decode it from base64url there.';
  }
  return "The user handle is not that of the credential's account. It is the user.id of the registration; pass it on unchanged.";
}

export const MISSING_USER_HANDLE =
  'A login without allowCredentials needs response.userHandle. Pass it on, and register with residentKey "required". (With allowCredentials, null is allowed.)';

/** Maximum difference of two signature counters that may be explained by assertions arriving in the wrong order. */
const NEAR = 3;

/** Explains in one sentence a signature counter that did not grow. */
export function signCountHint(received: number, stored: number): string {
  if (received === 0) {
    return 'An authenticator that used to count now sends 0: it was reset, or the passkey moved to a provider that does not count. Register it again.';
  }
  if (received === stored) {
    return 'The same counter came twice: a response was sent again (a retry or a replay), or two requests verified it at once. Send each response once, and request new options for the next attempt.';
  }
  return stored - received <= NEAR
    ? 'Two assertions may have arrived in the wrong order (two tabs or servers at once), or two copies of the credential are in use. Ask the user to try again, and investigate if it happens again.'
    : 'Two copies of the credential may be in use (a clone), or an old response was replayed. If the authenticator was reset, register it again.';
}
