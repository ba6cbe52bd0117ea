import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PasskeyError } from '../errors.js';
import { DEVELOPMENT_HOSTS, isDevelopmentHostHeader, isLoopbackAddress } from '../webauthn/loopback.js';
import { parseUrl } from '../webauthn/rp-id.js';
import type { ServerSettings } from './settings.js';

/** Host name of a `Host` header, without port and in lower case; undefined when it is none. */
function hostName(host: string): string | undefined {
  return /^[^\s/?#@\\]+$/.test(host) ? parseUrl(`http://${host}`)?.hostname : undefined;
}

/** As `--allowed-host` takes it: an IPv6 address may come without brackets. */
function allowedHostName(host: string): string {
  return hostName(/^[^[].*:.*:/.test(host) ? `[${host}]` : host) ?? host;
}

/**
 * Answers only requests for a host of ours. Otherwise a page of any site could have its own name resolve to this machine and read
 * the answers (DNS rebinding). In production the check is made when `--allowed-host` is given.
 */
export function checkHosts(app: FastifyInstance, settings: Pick<ServerSettings, 'mode' | 'origin' | 'allowedHosts'>): void {
  if (settings.mode === 'production' && settings.allowedHosts.length === 0) {
    return;
  }
  const local = settings.mode === 'development' ? DEVELOPMENT_HOSTS : [];
  const allowed = new Set([new URL(settings.origin).hostname, ...local, ...settings.allowedHosts.map(allowedHostName)]);
  app.addHook('onRequest', async (request) => {
    const host = hostName(request.host ?? '');
    if (host === undefined || !allowed.has(host)) {
      throw new PasskeyError(
        'host_not_allowed',
        `The request is for the host "${(request.host ?? '').slice(0, 200)}"; this server answers ${[...allowed].join(', ')}. Add another with --allowed-host.`,
      );
    }
  });
}

/** The `Host` field names this machine, literally: a name that only resolves to it may be somebody else's. */
export function isLocalHost({ headers: { host = '' } }: FastifyRequest): boolean {
  return isDevelopmentHostHeader(host);
}

/** By the socket, whatever a header says. */
export function isLoopbackPeer({ socket: { remoteAddress = '' } }: FastifyRequest): boolean {
  return isLoopbackAddress(remoteAddress);
}
