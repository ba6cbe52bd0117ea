import { createHash, timingSafeEqual } from 'node:crypto';
import { encodeBase64url } from '../webauthn/base64url.js';

/** The key of one start of the server (`--dev-sign-in key`). The server keeps only hashes of it. */
export interface SignInKey {
  /** Returns the cookie value for the key. Undefined for any other text. */
  exchange(key: string): string | undefined;
  /** Whether this is the cookie value for the key. */
  opens(cookie: string): boolean;
}

/** Makes the key from 32 random bytes. The result holds the only copy of `key`, the bytes in base64url. */
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

/** Hashes the key for the cookie. Servers on other ports of the host receive the cookie too, and must not learn the key. */
function cookieFor(key: string): string {
  return encodeBase64url(sha256(`cookie for ${key}`));
}

function sha256(text: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(text, 'utf8').digest());
}
