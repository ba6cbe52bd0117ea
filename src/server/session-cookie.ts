import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServerSettings } from './settings.js';

export const SESSION_COOKIE = 'passkey_session';

export function setSessionCookie(
  reply: FastifyReply,
  {
    secret,
    maxAge,
    settings,
  }: { readonly secret: string /** Milliseconds. */; readonly maxAge: number; readonly settings: Pick<ServerSettings, 'origin'> },
): void {
  reply.setCookie(SESSION_COOKIE, secret, { ...attributes(reply.request, settings), maxAge: Math.floor(maxAge / 1000) });
}

export function clearSessionCookie(reply: FastifyReply, settings: Pick<ServerSettings, 'origin'>): void {
  reply.clearCookie(SESSION_COOKIE, attributes(reply.request, settings));
}

function attributes(request: FastifyRequest, { origin }: Pick<ServerSettings, 'origin'>) {
  const secure = origin.startsWith('https:') || request.protocol === 'https' || isOnHttps(request);
  return { path: '/', httpOnly: true, sameSite: 'lax', secure } as const;
}

/** By the browser's own word: a proxy that is not trusted ends TLS for a page of this very host. */
function isOnHttps({ headers, host }: FastifyRequest): boolean {
  return headers.origin !== undefined && headers.origin === `https://${host.toLowerCase()}`;
}
