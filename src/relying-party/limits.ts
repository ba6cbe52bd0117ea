import { PasskeyError } from '../errors.js';
import { encodeUtf8 } from '../kernel/bytes.js';
import { isStorable } from '../kernel/storable.js';
import type { NewPasskey } from './credential-record.js';

// Limits on what one user may store, since all users share the store.

/**
 * Maximum size of one passkey, with its strings as UTF-8. A passkey with three certificates takes about 5 KB, and one with an ML-DSA
 * signature about 8 KB.
 */
const MAX_PASSKEY_BYTES = 24 * 1024;
/** Maximum size of `clientExtensionResults` as JSON. They are stored only for information. */
const MAX_EXTENSION_RESULTS_BYTES = 2 * 1024;

/**
 * Decides which extension results are stored. Drops all of them if they are too large or contain text that some stores cannot keep, and
 * returns the number of dropped bytes.
 */
export function keptExtensionResults(results: NewPasskey['clientExtensionResults']): {
  readonly kept: NewPasskey['clientExtensionResults'];
  readonly dropped: number | undefined;
} {
  const bytes = jsonBytes(results);
  return bytes > MAX_EXTENSION_RESULTS_BYTES || !isStorable(results) ? { kept: {}, dropped: bytes } : { kept: results, dropped: undefined };
}

/**
 * Checks the size of a passkey before it is stored.
 *
 * @throws PasskeyError `payload_too_large` if the passkey is larger than {@link MAX_PASSKEY_BYTES}.
 */
export function requireModestSize(passkey: NewPasskey): void {
  const bytes = storedBytes(passkey);
  if (bytes <= MAX_PASSKEY_BYTES) return;
  throw new PasskeyError(
    'payload_too_large',
    `Expected a passkey of at most ${MAX_PASSKEY_BYTES} bytes, including its attestation object and client data; got ${bytes}. Request attestation "none", or use another authenticator.`,
  );
}

function storedBytes({ userHandle, challenge, credential, clientExtensionResults, ...texts }: NewPasskey): number {
  const { id, publicKey, attestationObject, attestationClientDataJSON, transports } = credential;
  const binary = [userHandle, challenge, id, publicKey, attestationObject, attestationClientDataJSON];
  return binary.reduce((sum, { length }) => sum + length, jsonBytes([clientExtensionResults, transports, texts]));
}

function jsonBytes(value: unknown): number {
  return encodeUtf8(JSON.stringify(value)).length;
}
