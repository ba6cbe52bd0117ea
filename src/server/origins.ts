import type { IncomingMessage } from 'node:http';
import cors from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PasskeyError } from '../errors.js';
import { DEVELOPMENT_HOSTS, isLoopbackAddress } from '../webauthn/loopback.js';
import { parseUrl } from '../webauthn/rp-id.js';
import type { App } from './options.js';
import type { ServerSettings } from './settings.js';

/** Reads the host name of a `Host` header, in lower case and without the port. Undefined if it is malformed. */
function hostName(host: string): string | undefined {
  return /^[^\s/?#@\\]+$/.test(host) ? parseUrl(`http://${host}`)?.hostname : undefined;
}

/** Converts a host from `--allowed-host` to the form that a `Host` header has: an IPv6 address gets brackets if it has none. */
function allowedHostName(host: string): string {
  return hostName(/^[^[].*:.*:/.test(host) ? `[${host}]` : host) ?? host;
}

type HostSettings = Pick<ServerSettings, 'mode' | 'origin' | 'allowedHosts'>;

function findAllowedHosts({ mode, origin, allowedHosts }: HostSettings): ReadonlySet<string> {
  const local = mode === 'development' ? DEVELOPMENT_HOSTS : [];
  return new Set([new URL(origin).hostname, ...local, ...allowedHosts.map(allowedHostName)]);
}

/** Checks whether a `Host` field names a host of this server. */
export function isAllowedHost(field: string | undefined, settings: HostSettings): boolean {
  return findAllowedHosts(settings).has(hostName(field ?? '') ?? '');
}

/**
 * Refuses requests for other hosts. Otherwise the owner of any site could point a host name at this machine, and let a page of the site
 * read the responses (DNS rebinding). In production, hosts are checked only if `--allowed-host` is given.
 */
export function checkHosts(app: FastifyInstance, settings: HostSettings): void {
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    requireOneHost(raw);
    done();
  });
  if (settings.mode === 'production' && settings.allowedHosts.length === 0) {
    return;
  }
  const allowed = findAllowedHosts(settings);
  app.addHook('onRequest', (request, _reply, done) => {
    const host = request.host ?? '';
    if (!allowed.has(hostName(host) ?? '')) {
      throw new PasskeyError(
        'host_not_allowed',
        `The request is for the host "${host.slice(0, 200)}"; this server answers ${[...allowed].join(', ')}. Add another with --allowed-host.`,
      );
    }
    done();
  });
}

/**
 * Refuses a request that names no host or two hosts. If there are two, different programs may read different ones (RFC 9112 §3.2).
 *
 * @throws PasskeyError `malformed_request`
 */
function requireOneHost({ rawHeaders, headers: { host = '' }, url: target = '', httpVersion }: IncomingMessage): void {
  const fields = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  if (fields === 0 && httpVersion === '1.1') {
    throw new PasskeyError('malformed_request', 'Expected a Host field; got none. Send one.');
  }
  if (fields > 1) {
    throw new PasskeyError('malformed_request', `Expected one Host field; got ${fields}. Send one.`);
  }
  // Else it is in absolute form, which is for proxies.
  if (target.startsWith('/') || target === '*') return;
  const url = parseUrl(target);
  if (url === undefined || url.host !== parseUrl(`${url.protocol}//${host}`)?.host) {
    const got = `"${target.slice(0, 200)}" and "${host.slice(0, 200)}"`;
    throw new PasskeyError('malformed_request', `Expected the request target and the Host field to name the same host; got ${got}.`);
  }
}

/** Checks whether the request comes from this machine, judged by the socket and not by any header. */
export function isLoopbackPeer({ socket: { remoteAddress = '' } }: FastifyRequest): boolean {
  return isLoopbackAddress(remoteAddress);
}

/** Enables CORS for the origins of `--origin`: their pages, and no other pages, may call the API with the user's cookie or token. */
export async function allowCrossOriginCalls(app: App, { origins }: Pick<ServerSettings, 'origins'>): Promise<void> {
  if (origins.length === 0) {
    return;
  }
  const allowed = new Set(origins);
  await app.register(cors, {
    origin: (origin, done) => done(null, origin !== undefined && allowed.has(origin)),
    credentials: true,
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: ['Authorization', 'Content-Type', 'X-Request-Id'],
    exposedHeaders: ['X-Request-Id', 'Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'WWW-Authenticate'],
    maxAge: 600,
    hideOptionsRoute: true,
  });
}

/**
 * Refuses requests from pages of other sites. The browser adds the user's cookie to such a request, but the page must not act with it.
 *
 * @throws PasskeyError `origin_not_allowed`
 */
export function refuseForeignOrigin(request: FastifyRequest, allowed: readonly string[]): void {
  const { origin } = request.headers;
  if (origin !== undefined && !allowed.includes(origin) && !isSameHost(origin, request.host)) {
    throw originNotAllowed(`The request comes from the origin ${origin.slice(0, 200)}. Send it from ${allowed.join(' or ')}.`);
  }
}

/**
 * Finds the origin of the page that sent a request, if that origin is not in `own`. Undefined for our own pages, and for clients that are
 * not pages. `Sec-Fetch-Site` (Fetch Metadata) also counts, because a page behind its own proxy has another origin but is of the same site.
 */
export function foreignOrigin({ headers, host }: FastifyRequest, own: readonly string[]): string | undefined {
  const { origin, referer = '', 'sec-fetch-site': site } = headers;
  if (site === 'same-origin' || site === 'none') return undefined;
  if (origin !== undefined) return own.includes(origin) || isSameHost(origin, host) ? undefined : origin.slice(0, MAX_ORIGIN);
  // Without `Origin` comes the GET of an image or a script.
  return site === undefined ? undefined : (parseUrl(referer)?.origin ?? 'null').slice(0, MAX_ORIGIN);
}

/** Maximum number of characters of an origin that an entry of the stream shows. */
const MAX_ORIGIN = 300;

/** Checks whether an origin has this host and port. The scheme may differ, because a proxy may end TLS in front of the server. */
function isSameHost(origin: string, host: string): boolean {
  const url = parseUrl(origin);
  return url !== undefined && url.host !== '' && url.host === host.toLowerCase();
}

export function originNotAllowed(message: string): PasskeyError {
  return new PasskeyError('origin_not_allowed', message);
}
