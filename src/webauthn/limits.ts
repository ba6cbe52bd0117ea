/** Limits that the standard and the browsers set. */

/** Longest credential ID that the standard allows (WebAuthn L3 §4, "Credential ID"). */
export const MAX_CREDENTIAL_ID_BYTES = 1023;
/**
 * Shortest credential ID accepted. The standard requires at least 100 bits of entropy (WebAuthn L3 §4, "Credential ID"). Authenticators use
 * 16 bytes or more.
 */
export const MIN_CREDENTIAL_ID_BYTES = 16;
/** Longest user handle. The standard allows 1 to 64 bytes (WebAuthn L3 §4, "User Handle"). */
export const MAX_USER_HANDLE_BYTES = 64;
/** Shortest challenge: WebAuthn L3 §13.4.3 requires at least 16 bytes of entropy. */
export const MIN_CHALLENGE_BYTES = 16;
/** Length of the random challenges that this project issues. */
export const CHALLENGE_BYTES = 32;
/**
 * Maximum number of entries in `excludeCredentials` and `allowCredentials`. The standard sets no limit, but Chromium and the browsers based
 * on it throw a RangeError for longer lists (https://crbug.com/1248862, `kPublicKeyCredentialDescriptorListMaxSize`).
 */
export const MAX_CREDENTIAL_DESCRIPTORS = 64;
/** Highest signature counter, an unsigned 32-bit integer (WebAuthn L3 §6.1). */
export const MAX_SIGN_COUNT = 0xffffffff;
/** Length of an AAGUID (WebAuthn L3 §6.5.1). */
export const AAGUID_BYTES = 16;
/** Length of a SHA-256 hash, such as that of the RP ID or the client data. */
export const SHA256_BYTES = 32;
/** Largest credBlob that every authenticator with the credBlob extension accepts (CTAP 2.3 §12.2, maxCredBlobLength). */
export const MAX_CRED_BLOB_BYTES = 32;
/** Shortest PIN, in code points (CTAP 2.3 §6.5.1). */
export const MIN_PIN_LENGTH = 4;
export const MAX_PIN_LENGTH = 63;

/** Tests whether a value is valid as a signature counter. */
export function isSignCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_SIGN_COUNT;
}
