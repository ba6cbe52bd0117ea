/** Limits that the standard sets, or that this project sets in more than one place. */

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
/** The greatest credBlob that every authenticator with this extension takes (CTAP 2.1 §12.2, maxCredBlobLength). */
export const MAX_CRED_BLOB_BYTES = 32;
/** Code points of a PIN (CTAP 2.1 §6.5.1). */
export const MIN_PIN_LENGTH = 4;
export const MAX_PIN_LENGTH = 63;
/** Characters of a name, a label or an e-mail address. */
export const MAX_TEXT_LENGTH = 255;
/** Milliseconds that options may ask for: a day. */
export const MAX_TIMEOUT = 86_400_000;
/** Live passkeys that a relying party of ours lets one user have, over all RP IDs, where nothing else is said. */
export const DEFAULT_MAX_PASSKEYS = 1_000;

/** Bytes of an object identifier or integer of DER, and of a big number of CBOR: those in use take some 20, and longer ones take long to read. */
export const MAX_NUMBER_BYTES = 128;
/** Items in one CBOR structure, chunks of strings counted: real ones have less than a hundred. */
export const MAX_CBOR_ITEMS = 65_536;
/** Bytes of one certificate: ML-DSA makes the largest, of some 8,000. */
export const MAX_CERTIFICATE_BYTES = 65_536;
/** Certificates in one `x5c`: real ones have one to five. */
export const MAX_CHAIN_CERTIFICATES = 16;
/** Statements of one compound attestation (WebAuthn L3 §8.9), which names no limit. */
export const MAX_COMPOUND_STATEMENTS = 16;
/** Bytes of a structure that is explained by itself, such as an attestation object. */
export const MAX_STRUCTURE_BYTES = 4 * 1024 * 1024;
/** Bytes of one JSON document with one ceremony, such as a fixture. HTTP archives may be larger. */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

/** Whether a value can be a signature counter. */
export function isSignCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_SIGN_COUNT;
}
