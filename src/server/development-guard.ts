import type { FastifyRequest } from 'fastify';
import { PasskeyError } from '../errors.js';
import { isLocalBrowser } from './hosts.js';
import { refuseForeignOrigin } from './origins.js';
import type { ServerSettings } from './settings.js';

type GuardSettings = Pick<ServerSettings, 'origin' | 'trustProxy'>;

/** Why a request may not use what needs no proof of who asks; undefined when it may. */
export function developmentRefusal(request: FastifyRequest, { trustProxy }: GuardSettings): string | undefined {
  if (trustProxy) {
    return 'The server runs with --trust-proxy, so it cannot tell who is local. Use a bearer token.';
  }
  if (!isLocalBrowser(request)) {
    return 'This needs a browser on the same machine, at http://localhost, 127.0.0.1 or [::1], without a proxy. Use a bearer token.';
  }
  return undefined;
}

/** For `onRequest` of the `/dev` routes. A page of another site must not reach them through the developer's browser. */
export function developmentGuard(settings: GuardSettings): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const refusal = developmentRefusal(request, settings);
    if (refusal !== undefined) {
      throw new PasskeyError('development_only', refusal);
    }
    refuseOtherPages(request, settings);
  };
}

/**
 * A browser sends no `Origin` with a GET that wants no answer to read (an image, a script), but it tells whose page asks in
 * `Sec-Fetch-Site` (Fetch Metadata); whoever is no browser sends neither.
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
