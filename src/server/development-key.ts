import { createHash, timingSafeEqual } from 'node:crypto';
import { encodeBase64url } from '../webauthn/base64url.js';

/** The sign-in key of one start of the server (`--dev-sign-in key`). The server keeps only hashes of the key. */
export interface SignInKey {
  /** Returns the cookie value for the correct key. Returns undefined for any other string. */
  exchange(key: string): string | undefined;
  /** Checks whether a cookie has the value that belongs to the key. */
  opens(cookie: string): boolean;
}

/** Makes the sign-in key from 32 random bytes. The result holds the only copy of `key`, which is the bytes in base64url. */
export function createSignInKey(bytes: Uint8Array): { readonly key: string; readonly signInKey: SignInKey } {
  const key = encodeBase64url(bytes);
  const hash = sha256(key);
  const cookieHash = sha256(cookieFor(key));
  return {
    key,
    signInKey: {
      exchange: (given) => (timingSafeEqual(sha256(given), hash) ? cookieFor(given) : undefined),
      opens: (cookie) => timingSafeEqual(sha256(cookie), cookieHash),
    },
  };
}

/**
 * Hashes the key to make the value of its cookie. Servers on other ports of the host also receive the cookie, and must not learn the key.
 */
function cookieFor(key: string): string {
  return encodeBase64url(sha256(`cookie for ${key}`));
}

function sha256(text: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(text, 'utf8').digest());
}
