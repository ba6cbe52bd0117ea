import { TOKEN_PREFIX } from '../../accounts/access.js';

/** Matches the names of this server's cookies, and the names of the same cookies of other servers on this host; see `cookieName`. */
const OWN_COOKIE = /^(?:__Host-)?passkey_(?:session|dev|fido_user)(?:_\d+)?$/;

const nameOf = (cookie: string): string => (cookie.split('=')[0] ?? '').trim();

/**
 * Removes the cookies of this server from a `Cookie` field before it is passed on, since no other program needs them. Undefined if no
 * cookies remain.
 */
export function withoutOwnCookies(field: string): string | undefined {
  const others = field.split(';').filter((pair) => !OWN_COOKIE.test(nameOf(pair)));
  return others.length === 0 ? undefined : others.join(';').trim();
}

/** Checks whether a `Set-Cookie` field would set a cookie of this server. */
export const setsOwnCookie = (field: string): boolean => OWN_COOKIE.test(nameOf(field.split(';')[0] ?? ''));

/** Checks whether an `Authorization` field contains a bearer token of this server. */
export function hasOwnToken(field: string): boolean {
  const [scheme = '', token = ''] = field.trim().split(/\s+/);
  return scheme.toLowerCase() === 'bearer' && token.startsWith(TOKEN_PREFIX);
}
