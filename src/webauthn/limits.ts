/** Limits that the standard and the browsers set. */

/** WebAuthn L3 §4, "Credential ID". */
export const MAX_CREDENTIAL_ID_BYTES = 1023;
/** WebAuthn L3 §4, "Credential ID": at least 100 bits of entropy. Authenticators start at 16 bytes. */
export const MIN_CREDENTIAL_ID_BYTES = 16;
/** WebAuthn L3 §4, "User Handle": 1 to 64 bytes. */
export const MAX_USER_HANDLE_BYTES = 64;
/** WebAuthn L3 §13.4.3: challenges have at least 16 bytes of entropy. */
export const MIN_CHALLENGE_BYTES = 16;
/** Length of the challenges that this project issues, all of them random. */
export const CHALLENGE_BYTES = 32;
/**
 * The most entries that `excludeCredentials` and `allowCredentials` may have. The standard sets no limit; Chromium and the browsers
 * built on it throw a RangeError above this one (https://crbug.com/1248862, `kPublicKeyCredentialDescriptorListMaxSize`).
 */
export const MAX_CREDENTIAL_DESCRIPTORS = 64;
/** The signature counter is an unsigned integer of 32 bits (WebAuthn L3 §6.1). */
export const MAX_SIGN_COUNT = 0xffffffff;
/** WebAuthn L3 §6.5.1. */
export const AAGUID_BYTES = 16;
/** SHA-256: of the RP ID, of the client data. */
export const SHA256_BYTES = 32;
/** The greatest credBlob that every authenticator with this extension takes (CTAP 2.3 §12.2, maxCredBlobLength). */
export const MAX_CRED_BLOB_BYTES = 32;
/** Code points of a PIN (CTAP 2.3 §6.5.1). */
export const MIN_PIN_LENGTH = 4;
export const MAX_PIN_LENGTH = 63;

/** Tests whether a value can be a signature counter. */
export function isSignCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_SIGN_COUNT;
}
