import rateLimit, { type FastifyRateLimitStore } from '@fastify/rate-limit';
import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import { PasskeyError } from '../errors.js';
import { callerOf } from './access.js';
import { clientOf } from './client-address.js';
import type { App, AppOptions } from './options.js';
import { isLoopbackPeer } from './origins.js';
import { createRequestCounts } from './request-counts.js';

const WINDOW = 60_000;
/** Requests per minute and user to each of the two endpoints of a registration, in production mode. */
const MAX_REGISTRATIONS = 30;

/** What every public route has in common. */
export interface PublicRoute {
  readonly onRequest: onRequestHookHandler[];
}

export interface RateLimits {
  /** Shared by all public routes. */
  readonly publicRoute: PublicRoute;
  /** For `onRequest` of one route, after the guard that finds the user. */
  registration(): onRequestHookHandler[];
}

/**
 * Counts the requests of each client per minute over all public routes, and in production mode the registrations of each user. In
 * development mode, clients on this machine are not limited.
 */
export async function limitRates(app: App, { settings, now }: Pick<AppOptions, 'settings' | 'now'>): Promise<RateLimits> {
  const { mode, rateLimit: max } = settings;
  if (max === undefined) {
    return { publicRoute: { onRequest: [] }, registration: () => [] };
  }
  const refusal =
    (what: string) =>
    (_request: FastifyRequest, { after }: { readonly after: string }) =>
      new PasskeyError('rate_limited', `More than ${what} within a minute. Try again in ${after}.`);

  // The store of the library forgets counts after 5,000 addresses.
  class Counts implements FastifyRateLimitStore {
    readonly #counts = createRequestCounts(now);
    incr(client: string, done: Parameters<FastifyRateLimitStore['incr']>[1], window: number): void {
      done(null, this.#counts.add(client, window));
    }
    child(): FastifyRateLimitStore {
      return new Counts();
    }
  }

  await app.register(rateLimit, {
    global: false,
    store: Counts,
    max,
    timeWindow: WINDOW,
    enableDraftSpec: true,
    keyGenerator: clientOf,
    allowList: (request) => mode === 'development' && isLoopbackPeer(request),
    errorResponseBuilder: refusal(`${max} requests came from this address`),
  });
  const ofUser = {
    max: MAX_REGISTRATIONS,
    keyGenerator: (request: FastifyRequest) => {
      const { type, id } = callerOf(request).owner;
      return `${type}:${id}`;
    },
    errorResponseBuilder: refusal(`${MAX_REGISTRATIONS} registrations of this user came`),
  };
  return {
    publicRoute: { onRequest: [app.rateLimit()] },
    registration: () => (mode === 'production' ? [app.rateLimit(ofUser)] : []),
  };
}
