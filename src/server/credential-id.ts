import { PasskeyError } from '../errors.js';
import { decodeBase64 } from '../webauthn/base64url.js';

/**
 * The bytes of a credential ID that has passed its schema.
 *
 * @throws PasskeyError `passkey_not_found` when the text is not how any encoder writes bytes: no stored ID can be meant.
 */
export function credentialIdOf(text: string): Uint8Array {
  const decoded = decodeBase64(text);
  if (decoded === undefined || !decoded.canonical) {
    throw new PasskeyError(
      'passkey_not_found',
      'The credential ID ends in bits that belong to no byte; no stored passkey has it. Send the whole ID.',
    );
  }
  return decoded.bytes;
}
