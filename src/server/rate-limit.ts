import rateLimit from '@fastify/rate-limit';
import type { onRequestHookHandler } from 'fastify';
import { PasskeyError } from '../errors.js';
import type { App, ServerSettings } from './options.js';
import { isLoopbackPeer } from './origins.js';

/** What every public route has in common. */
export interface PublicRoute {
  readonly onRequest: onRequestHookHandler[];
}

/**
 * Counts the requests of each address per minute over all public routes; an IPv6 /64 is one address. In development mode, clients on
 * this machine are not limited.
 */
export async function limitPublicRoutes(
  app: App,
  { mode, rateLimit: max }: Pick<ServerSettings, 'mode' | 'rateLimit'>,
): Promise<PublicRoute> {
  if (max === undefined) {
    return { onRequest: [] };
  }
  await app.register(rateLimit, {
    global: false,
    max,
    timeWindow: 60_000,
    enableDraftSpec: true,
    allowList: (request) => mode === 'development' && isLoopbackPeer(request),
    errorResponseBuilder: (_request, { after }) =>
      new PasskeyError('rate_limited', `More than ${max} requests came from this address within a minute. Try again in ${after}.`),
  });
  return { onRequest: [app.rateLimit()] };
}
