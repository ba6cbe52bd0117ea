import type { FastifyRequest } from 'fastify';
import { PasskeyError } from '../errors.js';
import { isLoopbackAddress } from '../webauthn/loopback.js';
import { isIpAddress, parseUrl, rpIdFromUrl } from '../webauthn/rp-id.js';
import type { ServerSettings } from './settings.js';
import { fieldErrors } from './validation.js';

/** The relying party of one ceremony as its URL tells it. */
export interface CeremonyScope {
  readonly rpId: string;
  readonly origin: string;
}

type OriginSettings = Pick<ServerSettings, 'mode' | 'origin' | 'origins'>;

/**
 * RP ID and expected origin of a ceremony for the application at `appUrl`.
 *
 * @throws PasskeyError `validation_failed` when the host is an IP address that cannot be used, `origin_not_allowed` when
 * `--origin` is given and names another.
 */
export function scopeOfAppUrl(appUrl: string, settings: OriginSettings, log: FastifyRequest['log'], furtherOrigin?: string): CeremonyScope {
  const rpId = rpIdFromUrl(appUrl);
  const { origin, port } = new URL(appUrl);
  if (isIpAddress(rpId)) {
    if (settings.mode === 'production' || !isLoopbackAddress(rpId)) {
      throw fieldErrors([
        { pointer: '/app_url', detail: `has the IP address ${rpId} as host; browsers refuse IP addresses as RP ID, use a domain name` },
      ]);
    }
    const localhost = `${new URL(appUrl).protocol}//localhost${port === '' ? '' : `:${port}`}`;
    log.warn(`app_url ${origin} has an IP address as host, which browsers refuse as RP ID: open the application at ${localhost} instead`);
  }
  if (settings.origins.length > 0 && !settings.origins.includes(origin) && origin !== furtherOrigin) {
    throw originNotAllowed(`app_url has the origin ${origin}; this server takes ${settings.origins.join(', ')} (--origin).`);
  }
  return { rpId, origin };
}

/**
 * Scope of a login without `app_url`: of the page that asks, if it is the server's own or in `--origin`; else of the one `--origin`
 * where exactly one is given, else of the server.
 */
export function scopeOfRequest(request: FastifyRequest, settings: OriginSettings): CeremonyScope {
  const own = [settings.origin, ...settings.origins].find((each) => each === request.headers.origin);
  const [only = settings.origin, ...others] = settings.origins;
  const origin = own ?? (others.length === 0 ? only : settings.origin);
  return { rpId: rpIdFromUrl(origin), origin };
}

/**
 * A browser tells where a request comes from. One from a page of another site must not act with the cookie that the browser adds.
 *
 * @throws PasskeyError `origin_not_allowed`
 */
export function refuseForeignOrigin(request: FastifyRequest, allowed: readonly string[]): void {
  const { origin } = request.headers;
  if (origin !== undefined && !allowed.includes(origin) && !isSameHost(origin, request.host)) {
    throw originNotAllowed(`The request comes from the origin ${origin.slice(0, 200)}. Send it from ${allowed.join(' or ')}.`);
  }
}

/** Same host and port; the scheme may differ behind a proxy that ends TLS. */
function isSameHost(origin: string, host: string): boolean {
  const url = parseUrl(origin);
  return url !== undefined && url.host !== '' && url.host === host.toLowerCase();
}

function originNotAllowed(message: string): PasskeyError {
  return new PasskeyError('origin_not_allowed', message);
}
