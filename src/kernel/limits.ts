/** Limits that this project chose. No standard requires them. */

/** Maximum number of characters in a name, a label or an e-mail address. */
export const MAX_TEXT_LENGTH = 255;
/** Longest timeout that options may request, in milliseconds: a day. */
export const MAX_TIMEOUT = 86_400_000;
/** Default maximum number of live passkeys that one user may have, over all RP IDs. */
export const DEFAULT_MAX_PASSKEYS = 1_000;

/**
 * Maximum number of bytes in a DER object identifier, a DER integer or a CBOR big number. Real ones have about 20 bytes, and much longer
 * ones are slow to read.
 */
export const MAX_NUMBER_BYTES = 128;
/** Maximum items in one CBOR structure, including chunks of strings. Real structures have fewer than a hundred. */
export const MAX_CBOR_ITEMS = 65_536;
/** Maximum bytes of one certificate. ML-DSA certificates are the largest, with about 8,000. */
export const MAX_CERTIFICATE_BYTES = 65_536;
/** Maximum certificates in one `x5c`. Real chains have one to five. */
export const MAX_CHAIN_CERTIFICATES = 16;
/** Maximum statements in one compound attestation. The standard sets no limit (WebAuthn L3 §8.9). */
export const MAX_COMPOUND_STATEMENTS = 16;
/** Maximum number of bytes in a single structure that is explained, such as an attestation object. */
export const MAX_STRUCTURE_BYTES = 4 * 1024 * 1024;
/** Maximum bytes of one JSON document about one ceremony, such as a fixture. HTTP archives may be larger. */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;
