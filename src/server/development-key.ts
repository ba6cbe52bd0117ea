import { createHash, timingSafeEqual } from 'node:crypto';
import { encodeBase64url } from '../webauthn/base64url.js';

/** The key of one start of the server (`--dev-sign-in key`). Only hashes of it are kept. */
export interface SignInKey {
  /** The value of the cookie that is given for the key; undefined when it is not the key. */
  exchange(key: string): string | undefined;
  /** Whether this is the value of that cookie. */
  opens(cookie: string): boolean;
}

/** `bytes` are random, 32 of them; `key` is their base64url and is told this once. */
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

/** One way: servers on other ports of the host get to see the cookie, and not the key. */
function cookieFor(key: string): string {
  return encodeBase64url(sha256(`cookie for ${key}`));
}

function sha256(text: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(text, 'utf8').digest());
}
