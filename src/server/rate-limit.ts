import type { FastifyRateLimitStore } from '@fastify/rate-limit';
import rateLimit from '@fastify/rate-limit';
import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import { PasskeyError } from '../errors.js';
import { requireCaller } from './access.js';
import { nameClient } from './client-address.js';
import type { App, AppOptions } from './options.js';
import { isLoopbackPeer } from './origins.js';

const WINDOW = 60_000;
/** Maximum number of requests per minute that each user may send to each of the two registration endpoints, in production mode. */
const MAX_REGISTRATIONS = 30;

/** The route options of all public routes, which share one rate limit. */
export interface PublicRoute {
  readonly onRequest: onRequestHookHandler[];
}

export interface RateLimits {
  /** Route options to pass to every public route. */
  readonly publicRoute: PublicRoute;
  /** Makes the `onRequest` hooks for one registration route. Add them after the guard that finds the user. */
  registration(): onRequestHookHandler[];
}

/**
 * Limits the requests per minute of each client over all public routes. In production mode, also limits the registrations of each user. In
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
    keyGenerator: nameClient,
    allowList: (request) => mode === 'development' && isLoopbackPeer(request),
    errorResponseBuilder: refusal(`${max} requests came from this address`),
  });
  const ofUser = {
    max: MAX_REGISTRATIONS,
    keyGenerator: (request: FastifyRequest) => {
      const { type, id } = requireCaller(request).owner;
      return `${type}:${id}`;
    },
    errorResponseBuilder: refusal(`${MAX_REGISTRATIONS} registrations of this user came`),
  };
  return {
    publicRoute: { onRequest: [app.rateLimit()] },
    registration: () => (mode === 'production' ? [app.rateLimit(ofUser)] : []),
  };
}

/**
 * Maximum number of clients whose requests are counted. An attacker with more addresses could make the server forget a count, but would
 * gain nothing from that.
 */
const MAX_CLIENTS = 100_000;

/** Counts the requests of each client in a time window. The window of a client begins with its first request. */
interface RequestCounts {
  /**
   * Counts a request of `client`. `current` is the number of requests in the client's window, and `ttl` the rest of the window in
   * milliseconds.
   */
  add(client: string, window: number): { readonly current: number; readonly ttl: number };
}

/** Makes counters for a limited number of clients. If there are more clients, forgets the client whose last request is the oldest. */
export function createRequestCounts(now: () => number, maxClients = MAX_CLIENTS): RequestCounts {
  const counts = new Map<string, { readonly requests: number; readonly since: number }>();
  return {
    add(client, window) {
      const time = now();
      const known = counts.get(client);
      const { requests, since } = known !== undefined && time - known.since < window ? known : { requests: 0, since: time };
      counts.delete(client);
      counts.set(client, { requests: requests + 1, since });
      const [oldest = client] = counts.keys();
      if (counts.size > maxClients) counts.delete(oldest);
      return { current: requests + 1, ttl: since + window - time };
    },
  };
}
