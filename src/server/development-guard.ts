import type { FastifyRequest } from 'fastify';
import { PasskeyError } from '../errors.js';
import type { OwnerRef } from '../kernel/owner.js';
import { isDevelopmentHostHeader } from '../webauthn/loopback.js';
import { type AccessGuard, requireCaller } from './access.js';
import { type CookieKind, type CookieSettings, cookieValues } from './cookies.js';
import { isLoopbackPeer, refuseForeignOrigin } from './origins.js';
import { signOfProxy } from './proxy-fields.js';
import type { ServerSettings } from './settings.js';

/** Cookie that proves that the browser knows the sign-in key of the running server. A new key is made at each start of the server. */
export const KEY_COOKIE: CookieKind = { name: 'passkey_dev', sameSite: 'Strict', path: '/dev' };

type GuardSettings = CookieSettings & Pick<ServerSettings, 'trustProxy' | 'devSignIn'>;

/**
 * Hooks for `onRequest` that restrict the `/dev` routes. A page of another site must not reach these routes through the developer's
 * browser.
 */
export interface DevelopmentGuard extends AccessGuard {
  /** Requires a browser on this machine, but not the sign-in key of this start of the server. */
  readonly localWithoutKey: (request: FastifyRequest) => Promise<void>;
  /** Requires a browser on this machine that may sign in (`--dev-sign-in`). Such a browser may act as any user. */
  readonly local: (request: FastifyRequest) => Promise<void>;
  /**
   * Requires a browser on this machine, or a bearer token. A token gives access only to the ceremonies and passkeys of the token's user:
   * see {@link maySee}.
   */
  readonly localOrBearer: (request: FastifyRequest) => Promise<void>;
}

const confined = new WeakMap<FastifyRequest, OwnerRef>();

/**
 * Finds the only user whose ceremonies and passkeys a request may see. Undefined for a browser on this machine, which may see those of all
 * users.
 */
export function confinedTo(request: FastifyRequest): OwnerRef | undefined {
  return confined.get(request);
}

export function maySee(request: FastifyRequest, owner: OwnerRef | undefined): boolean {
  const own = confinedTo(request);
  return own === undefined || (owner !== undefined && own.type === owner.type && own.id === owner.id);
}

/** Tells why a request may not use the routes that require no proof of identity. Undefined if it may. */
export function developmentRefusal(request: FastifyRequest, settings: GuardSettings): string | undefined {
  const refusal = refusalWithoutKey(request, settings);
  const { devSignIn } = settings;
  if (refusal !== undefined || typeof devSignIn === 'string') {
    return refusal;
  }
  return cookieValues(request, KEY_COOKIE, settings).some((value) => devSignIn.opens(value))
    ? undefined
    : 'Development sign-in needs the key of this start. Open the URL that `passkey serve` printed, or use a bearer token.';
}

function refusalWithoutKey(request: FastifyRequest, { trustProxy, devSignIn, origin }: GuardSettings): string | undefined {
  if (devSignIn === 'off') {
    return 'Development sign-in is off (--dev-sign-in off). Use a bearer token.';
  }
  if (trustProxy) {
    return 'The server runs with --trust-proxy, so it cannot tell which browsers are local. Use a bearer token.';
  }
  const sign = signOfProxy(request);
  if (sign !== undefined) {
    return `The request came through a proxy: it ${sign}. Open ${origin} on the server's machine, or use a bearer token.`;
  }
  if (!isLoopbackPeer(request) || !isDevelopmentHostHeader(request.headers.host ?? '')) {
    return 'This requires a browser on the same machine, at http://localhost, 127.0.0.1 or [::1], without a proxy. Otherwise use a bearer token.';
  }
  return undefined;
}

export function createDevelopmentGuard(settings: GuardSettings, guard: AccessGuard): DevelopmentGuard {
  const allow = (refusalOf: typeof developmentRefusal) => async (request: FastifyRequest) => {
    const refusal = refusalOf(request, settings);
    if (refusal !== undefined) {
      logProxy(request, settings);
      throw new PasskeyError('development_only', refusal);
    }
    refuseOtherPages(request, settings);
  };
  const local = allow(developmentRefusal);

  return {
    ...guard,
    localWithoutKey: allow(refusalWithoutKey),
    local,
    async localOrBearer(request) {
      if (request.headers.authorization === undefined || isLocalPage(request, settings)) {
        await local(request);
        return;
      }
      await guard.bearer(request);
      confined.set(request, requireCaller(request).owner);
    },
  };
}

function isLocalPage(request: FastifyRequest, settings: GuardSettings): boolean {
  if (developmentRefusal(request, settings) !== undefined) return false;
  try {
    refuseOtherPages(request, settings);
    return true;
  } catch {
    return false;
  }
}

/**
 * Logs a warning if a request came through a proxy, for developers who share the port without knowing it. With `--trust-proxy`, a proxy is
 * expected, so nothing is logged.
 */
function logProxy(request: FastifyRequest, { trustProxy, devSignIn }: GuardSettings): void {
  const sign = signOfProxy(request);
  if (sign !== undefined && !trustProxy && devSignIn !== 'off') {
    request.log.warn(
      `Development sign-in refused ${request.method} ${request.routeOptions.url}: the request came through a proxy, since it ${sign}. ` +
        'Others may reach this server through it; --dev-sign-in off or --production turns development sign-in off.',
    );
  }
}

/**
 * Refuses requests that pages of other origins cause. If an image or a script causes a GET request, the browser sends no `Origin`, but
 * `Sec-Fetch-Site` (Fetch Metadata) tells which site caused it. Clients that are not browsers send neither header.
 *
 * @throws PasskeyError `origin_not_allowed`
 */
export function refuseOtherPages(request: FastifyRequest, { origin }: Pick<ServerSettings, 'origin'>): void {
  refuseForeignOrigin(request, [origin]);
  const site = request.headers['sec-fetch-site'];
  if (request.headers.origin === undefined && (site === 'cross-site' || site === 'same-site')) {
    throw new PasskeyError(
      'origin_not_allowed',
      `The request comes from a page of another origin (Sec-Fetch-Site: ${site}). Send it from ${origin}.`,
    );
  }
}
