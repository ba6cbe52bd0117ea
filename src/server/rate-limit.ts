import type { FastifyRateLimitStore } from '@fastify/rate-limit';
import rateLimit from '@fastify/rate-limit';
import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import { PasskeyError } from '../errors.js';
import { requireCaller } from './access.js';
import { nameClient } from './client-address.js';
import type { App, AppOptions } from './options.js';
import { isLoopbackPeer } from './origins.js';

const WINDOW = 60_000;
/** Requests per minute and user to each of the two endpoints of a registration, in production mode. */
const MAX_REGISTRATIONS = 30;

/** The settings that all public routes share. */
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

/** Clients whose counts are kept. An attacker with this many addresses has no need to have a count forgotten. */
const MAX_CLIENTS = 100_000;

/** How often each client asked within its current window, which begins with its first request. */
interface RequestCounts {
  /** Counts another request of `client`. `ttl` is the rest of its window, in milliseconds. */
  add(client: string, window: number): { readonly current: number; readonly ttl: number };
}

/** Counts for a limited number of clients. When room runs out, it forgets the client whose last request is the oldest. */
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
