import type { FastifyRequest } from 'fastify';
import { type Authenticated, isSessionSecret } from '../accounts/access.js';
import type { OperationContext } from '../kernel/events.js';
import { cookieValues, SESSION_COOKIE } from './cookies.js';
import type { AppOptions } from './options.js';
import { refuseForeignOrigin } from './origins.js';
import { unauthenticated } from './problem.js';

/**
 * Maximum number of session cookies that are looked up for one request. Browsers send fewer, even if several cookies of the same name
 * differ in path and domain.
 */
const MAX_SESSIONS = 20;

/** Label of the tokens that development sign-in gives to the test page. */
export const TEST_PAGE = 'test page';

/** Hooks that require a user for a route. They run as `onRequest` hooks, so that a 401 is sent before the body is checked. */
export interface AccessGuard {
  readonly bearer: (request: FastifyRequest) => Promise<void>;
  /** Requires a bearer token or a session. If both are sent, the bearer token counts. */
  readonly bearerOrSession: (request: FastifyRequest) => Promise<void>;
  readonly session: (request: FastifyRequest) => Promise<void>;
  /**
   * Finds the user of a valid bearer token or session in the request. Refuses no request: without a valid token or session, resolves to
   * undefined.
   */
  readonly identify: (request: FastifyRequest) => Promise<Authenticated | undefined>;
  /**
   * Ends the access that a new login replaces: the session in the request's cookie, and the bearer token of the test page in the request.
   */
  readonly endReplaced: (request: FastifyRequest, context: OperationContext) => Promise<void>;
}

const callers = new WeakMap<FastifyRequest, Authenticated>();

/** Gets the user for whom a guarded route runs. */
export function requireCaller(request: FastifyRequest): Authenticated {
  const caller = knownCaller(request);
  if (caller === undefined) {
    throw new Error(`The route ${request.routeOptions.url} reads its caller, so it needs a guard.`);
  }
  return caller;
}

/** Finds the user whose token or session a guard accepted. Undefined if no guard required a user. */
export function knownCaller(request: FastifyRequest): Authenticated | undefined {
  return callers.get(request);
}

/**
 * Reads the bearer token of an `Authorization` header (RFC 6750 §2.1). Undefined for any other scheme, and for a value that cannot be a
 * token.
 */
function bearerToken(authorization: string): string | undefined {
  return /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(authorization)?.[1];
}

/**
 * Names the scheme of an `Authorization` header that is not a bearer token. It names only a short first word, since anything else may be a
 * secret.
 */
function notBearer(authorization: string): string {
  const scheme = /^([A-Za-z][A-Za-z0-9-]{0,19}) +\S/.exec(authorization)?.[1];
  const received =
    scheme === undefined
      ? 'no scheme with a token'
      : scheme.toLowerCase() === 'bearer'
        ? 'something that is not a token'
        : `the scheme ${scheme}`;
  return `Expected "Bearer <token>" in the Authorization header; got ${received}. \`passkey token create\` creates a token.`;
}

export function createAccessGuard({ accounts, settings }: Pick<AppOptions, 'accounts' | 'settings'>): AccessGuard {
  async function byToken(request: FastifyRequest): Promise<Authenticated> {
    const { authorization } = request.headers;
    if (authorization === undefined) {
      throw unauthenticated(
        'Expected a bearer token. Send the header "Authorization: Bearer <token>"; `passkey token create` creates a token.',
      );
    }
    const token = bearerToken(authorization);
    if (token === undefined) throw unauthenticated(notBearer(authorization));
    const caller = await accounts.authenticate('token', token);
    if (caller === undefined) {
      throw unauthenticated(
        'The bearer token is unknown, expired or revoked. Create another with `passkey token create`, or log in again.',
      );
    }
    return caller;
  }

  /** Finds the first valid session among the cookies. A browser may send invalid cookies with the same name before the valid one. */
  async function sessionOf(request: FastifyRequest): Promise<Authenticated | undefined> {
    const secrets = new Set(cookieValues(request, SESSION_COOKIE, settings).filter(isSessionSecret));
    for (const secret of [...secrets].slice(0, MAX_SESSIONS)) {
      const caller = await accounts.authenticate('session', secret);
      if (caller !== undefined) return caller;
    }
    return undefined;
  }

  async function bySession(request: FastifyRequest): Promise<Authenticated> {
    const caller = await sessionOf(request);
    if (caller === undefined) {
      throw unauthenticated('Expected a bearer token or the cookie of an open session. Log in again.');
    }
    if (!['GET', 'HEAD'].includes(request.method)) {
      refuseForeignOrigin(request, [settings.origin, ...settings.origins]);
    }
    return caller;
  }

  const byEither = (request: FastifyRequest) => (request.headers.authorization === undefined ? bySession(request) : byToken(request));
  const guard = (find: (request: FastifyRequest) => Promise<Authenticated>) => async (request: FastifyRequest) => {
    callers.set(request, await find(request));
  };

  return {
    bearer: guard(byToken),
    session: guard(bySession),
    bearerOrSession: guard(byEither),
    async identify(request) {
      const token = bearerToken(request.headers.authorization ?? '');
      return (token && (await accounts.authenticate('token', token))) || (await sessionOf(request));
    },
    async endReplaced(request, context) {
      const token = bearerToken(request.headers.authorization ?? '');
      const bearer = token === undefined ? undefined : await accounts.authenticate('token', token);
      for (const replaced of [await sessionOf(request), bearer?.access.label === TEST_PAGE ? bearer : undefined]) {
        if (replaced !== undefined) await accounts.endAccess(replaced.access.id, context);
      }
    },
  };
}
