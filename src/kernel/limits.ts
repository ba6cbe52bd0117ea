/** Limits that this project sets itself. */

/** Characters of a name, a label or an e-mail address. */
export const MAX_TEXT_LENGTH = 255;
/** Milliseconds that options may ask for: a day. */
export const MAX_TIMEOUT = 86_400_000;
/** Default limit of live passkeys of one user of our relying party, over all RP IDs. */
export const DEFAULT_MAX_PASSKEYS = 1_000;

/**
 * Maximum bytes of an object identifier or integer in DER, and of a big number in CBOR: real ones take some 20, and longer ones are slow to
 * read.
 */
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
