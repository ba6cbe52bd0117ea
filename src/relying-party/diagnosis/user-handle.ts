import { encodeBase64, encodeBase64url } from '../../webauthn/base64url.js';
import { encodeUtf8, equalBytes, toHex } from '../../webauthn/bytes.js';
import { asciiText } from '../../webauthn/text-encoding.js';

/** One sentence on a user handle that is not that of the credential's user account. */
export function userHandleHint(received: Uint8Array, registered: Uint8Array): string {
  const isTextOf = (text: Uint8Array, bytes: Uint8Array) =>
    [encodeBase64url(bytes), encodeBase64(bytes)].some((encoded) => equalBytes(encodeUtf8(encoded), text));
  if (isTextOf(received, registered)) {
    return 'The user handle was encoded twice: these bytes are the base64url text of the right ones; encode response.userHandle once.';
  }
  if (encodeBase64url(received).toLowerCase() === toHex(registered)) {
    return 'The user handle was sent as hexadecimal; encode the bytes of response.userHandle as base64url.';
  }
  if (isTextOf(registered, received)) {
    // The same relation either way: bytes that are text themselves were meant, others come of reading text as base64url.
    return asciiText(received) === undefined
      ? 'The user handle was sent as plain text; encode the bytes of response.userHandle as base64url.'
      : 'The registered user handle is the base64url text of this one: user.id was given to the browser as text; decode it from base64url there.';
  }
  return 'The response names another user account than the one the credential belongs to; the user handle is the user.id of the registration, sent on as the browser gave it.';
}

export const MISSING_USER_HANDLE =
  'A login without allowCredentials needs response.userHandle; send it on, and register with residentKey "required". (With allowCredentials null is legal.)';
