import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServerSettings } from './settings.js';

export type CookieSettings = Pick<ServerSettings, 'mode' | 'origin' | 'origins'>;

/** A kind of cookie that this server sets. It holds the session, the key of development sign-in, or the user of the FIDO server API. */
export interface CookieKind {
  readonly name: string;
  readonly sameSite: 'Lax' | 'Strict';
  /** Path of the cookie when the server does not use https. */
  readonly path: string;
}

export const SESSION_COOKIE: CookieKind = { name: 'passkey_session', sameSite: 'Lax', path: '/' };

/**
 * Name prefix of cookies on https. Browsers accept a cookie with this prefix only over https and from this very host, so no other host can
 * set such a cookie (RFC 6265bis §4.1.3.2).
 */
const HOST_PREFIX = '__Host-';

/**
 * Determines the name of a cookie. In development mode the name contains the port. Browsers share cookies among all ports of a host, so
 * without the port in the name, signing in at one server on localhost would end the session at another server.
 */
export function cookieName({ name }: CookieKind, settings: CookieSettings, secure = isAlwaysSecure(settings)): string {
  const { mode, origin } = settings;
  const ofPort = mode === 'production' ? name : `${name}_${/:(\d+)$/.exec(origin)?.[1] ?? (isHttps(origin) ? '443' : '80')}`;
  return secure ? `${HOST_PREFIX}${ofPort}` : ofPort;
}

/**
 * Reads all values of a cookie in a request. There may be several: another host of the domain, or another server on this host, may have set
 * a cookie of the same name, and the browser may send that cookie first. On https, only values with the `__Host-` prefix count. If a proxy
 * may hide that https is used, values with the prefix come first.
 */
export function cookieValues(request: FastifyRequest, kind: CookieKind, settings: CookieSettings): string[] {
  const cookies = readCookies(request);
  if (cookies.length === 0) return [];
  const named = (secure: boolean) => cookies.filter(({ name }) => name === cookieName(kind, settings, secure)).map(({ value }) => value);
  return [...named(true), ...(isSecure(request, settings) ? [] : named(false))];
}

function readCookies({ headers: { cookie } }: FastifyRequest): { readonly name: string; readonly value: string }[] {
  if (cookie === undefined) return [];
  return cookie.split(';').map((pair) => {
    const [name = '', ...value] = pair.split('=');
    return { name: name.trim(), value: value.join('=').trim() };
  });
}

/** Sets a cookie. `maxAge` is in milliseconds; without it, the cookie ends with the browser session. `value` must not need encoding. */
export function setCookie(
  reply: FastifyReply,
  kind: CookieKind,
  { value, maxAge, settings }: { readonly value: string; readonly maxAge?: number; readonly settings: CookieSettings },
): void {
  const secure = isSecure(reply.request, settings);
  const age = maxAge === undefined ? '' : `; Max-Age=${Math.floor(maxAge / 1000)}`;
  reply.header('set-cookie', `${cookieName(kind, settings, secure)}=${value}${age}${attributes(kind, secure)}`);
}

/** Clears a cookie under every name that it may have in the request. */
export function clearCookie(reply: FastifyReply, kind: CookieKind, settings: CookieSettings): void {
  const { request } = reply;
  const own = isSecure(request, settings);
  const sent = readCookies(request);
  for (const secure of [true, false]) {
    const name = cookieName(kind, settings, secure);
    if (secure === own || sent.some((cookie) => cookie.name === name)) {
      reply.header('set-cookie', `${name}=; Max-Age=0${attributes(kind, secure)}`);
    }
  }
}

function attributes({ sameSite, path }: CookieKind, secure: boolean): string {
  return `; Path=${secure ? '/' : path}; HttpOnly${secure ? '; Secure' : ''}; SameSite=${sameSite}`;
}

function isHttps(origin: string): boolean {
  return origin.startsWith('https:');
}

/**
 * Checks whether every page uses https, whatever proxies there are. In production, this depends on all origins of `--origin`; in
 * development, on the server's own origin.
 */
function isAlwaysSecure({ mode, origin, origins }: CookieSettings): boolean {
  return isHttps(origin) || (mode === 'production' && origins.length > 0 && origins.every(isHttps));
}

function isSecure(request: FastifyRequest, settings: CookieSettings): boolean {
  return isAlwaysSecure(settings) || request.protocol === 'https' || isOnHttps(request);
}

/**
 * Checks whether the browser uses https, judged by the request headers. A proxy that is not trusted may end TLS in front of a page of this
 * host.
 */
function isOnHttps({ headers, host }: FastifyRequest): boolean {
  return headers.origin !== undefined && headers.origin === `https://${host.toLowerCase()}`;
}
