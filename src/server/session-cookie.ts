import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServerSettings } from './options.js';

/**
 * The name of a cookie of this server. Browsers share cookies among the ports of a host, so in development mode, where several
 * servers run on localhost, the name contains the port; otherwise signing in at one would end the session at the other.
 */
export function cookieName(name: string, { mode, origin }: Pick<ServerSettings, 'mode' | 'origin'>): string {
  const { port, protocol } = new URL(origin);
  return mode === 'production' ? name : `${name}_${port || (protocol === 'https:' ? '443' : '80')}`;
}

export function sessionCookieName(settings: Pick<ServerSettings, 'mode' | 'origin'>): string {
  return cookieName('passkey_session', settings);
}

export function setSessionCookie(
  reply: FastifyReply,
  {
    secret,
    maxAge,
    settings,
  }: { readonly secret: string /** Milliseconds. */; readonly maxAge: number; readonly settings: Pick<ServerSettings, 'mode' | 'origin'> },
): void {
  reply.setCookie(sessionCookieName(settings), secret, { ...attributes(reply.request, settings), maxAge: Math.floor(maxAge / 1000) });
}

export function clearSessionCookie(reply: FastifyReply, settings: Pick<ServerSettings, 'mode' | 'origin'>): void {
  reply.clearCookie(sessionCookieName(settings), attributes(reply.request, settings));
}

function attributes(request: FastifyRequest, { origin }: Pick<ServerSettings, 'origin'>) {
  const secure = origin.startsWith('https:') || request.protocol === 'https' || isOnHttps(request);
  return { path: '/', httpOnly: true, sameSite: 'lax', secure } as const;
}

/** The browser says so: an untrusted proxy ends TLS in front of a page of this same host. */
function isOnHttps({ headers, host }: FastifyRequest): boolean {
  return headers.origin !== undefined && headers.origin === `https://${host.toLowerCase()}`;
}
