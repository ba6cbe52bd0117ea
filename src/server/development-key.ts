import { createHash, timingSafeEqual } from 'node:crypto';
import { encodeBase64url } from '../webauthn/base64url.js';

/** The key of one start of the server (`--dev-sign-in key`). Only hashes of it are kept. */
export interface SignInKey {
  /** The value of the cookie that is handed out for the key; undefined for any other text. */
  exchange(key: string): string | undefined;
  /** Whether this is the value of the cookie. */
  opens(cookie: string): boolean;
}

/** `bytes` are 32 random bytes; `key` is their base64url and is returned this once only. */
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

/** One way: servers on other ports of the host receive the cookie too, and must not learn the key. */
function cookieFor(key: string): string {
  return encodeBase64url(sha256(`cookie for ${key}`));
}

function sha256(text: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(text, 'utf8').digest());
}
