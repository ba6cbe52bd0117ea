import { PasskeyError } from '../errors.js';
import { fromHex, toHex } from '../kernel/bytes.js';
import { didYouMean } from '../kernel/nearest.js';
import { AAGUID_NAMES } from './aaguid-names.js';
import { AAGUID_BYTES } from './limits.js';

const PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Formats an AAGUID as 8-4-4-4-12 hexadecimal digits in lower case.
 *
 * @throws PasskeyError `validation_failed` unless there are 16 bytes.
 */
export function formatAaguid(bytes: Uint8Array): string {
  if (bytes.length !== AAGUID_BYTES) {
    throw new PasskeyError('validation_failed', `Expected an AAGUID of ${AAGUID_BYTES} bytes; got ${bytes.length}. Send the whole AAGUID.`);
  }
  return toHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/**
 * Reads the 16 bytes of an AAGUID from its 8-4-4-4-12 form, in upper or lower case.
 *
 * @throws PasskeyError `validation_failed` if the string does not have this form.
 */
export function parseAaguid(text: string): Uint8Array {
  if (!PATTERN.test(text)) {
    const got = JSON.stringify(text.slice(0, 60));
    throw new PasskeyError(
      'validation_failed',
      `An AAGUID is written as 8-4-4-4-12 hexadecimal digits; got ${got}. Write for example "fbfc3007-154e-4ecc-8c0b-6e020557d7bd".`,
    );
  }
  return fromHex(text.replaceAll('-', ''));
}

/** Finds the name of the passkey provider or security key with this AAGUID (text form, any case) in the table of `aaguid-names`. */
export function providerName(aaguid: string): string | undefined {
  return AAGUID_NAMES.get(aaguid.toLowerCase());
}

/** Finds the AAGUIDs of the providers and security keys whose name contains `part`, ignoring case. */
export function aaguidsNamed(part: string): string[] {
  const wanted = part.toLowerCase();
  return [...AAGUID_NAMES].flatMap(([aaguid, name]) => (name.toLowerCase().includes(wanted) ? [aaguid] : []));
}

/**
 * Suggests the provider name, or the word in a provider name, that the user may have meant by `part`. Returns the end of a sentence, like
 * `didYouMean`.
 */
export function likeProvider(part: string): string {
  return didYouMean(
    part,
    [...AAGUID_NAMES.values()].flatMap((name) => [name, ...name.split(' ')]),
  );
}
