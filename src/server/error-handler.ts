import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PasskeyError } from '../errors.js';
import { toPasskeyError } from './framework-error.js';
import { toProblem } from './problem.js';
import type { ServerSettings } from './settings.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Status of a failed check on this route: 401 where an assertion is verified. */
    failedCheckStatus?: number;
  }
}

/** Answers whatever a route, a hook or Fastify itself throws as a problem document (RFC 9457). */
export function answerErrorsAsProblems(app: FastifyInstance, { mode }: Pick<ServerSettings, 'mode'>): void {
  app.setErrorHandler((thrown, request, reply) => sendProblem(thrown, request, reply, mode === 'production'));
}

export function sendProblem(thrown: unknown, request: FastifyRequest, reply: FastifyReply, production: boolean): void {
  const error = toPasskeyError(thrown);
  const { failedCheckStatus } = request.routeOptions.config;
  const problem = toProblem(error, { requestId: request.id, production, failedCheckStatus });
  if (problem.status >= 500) {
    request.log.error({ err: error.code === 'internal_error' ? (error.cause ?? error) : error }, 'request failed');
  }
  if (problem.status === 401) {
    reply.header('www-authenticate', bearerChallenge(request, error));
  }
  const body = JSON.stringify(problem);
  reply.headers({ 'content-type': 'application/problem+json; charset=utf-8', 'content-length': Buffer.byteLength(body) });
  // Past the onSend hooks: one that throws would throw for this answer too, and Fastify's last resort is to show the message.
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  reply.raw.writeHead(problem.status).end(body);
}

/** What every 401 says in `WWW-Authenticate`. */
export const BEARER_CHALLENGE = 'Bearer realm="passkey"';

/** RFC 6750 §3: `error` only where a token was sent. */
function bearerChallenge(request: FastifyRequest, error: PasskeyError): string {
  const tokenRefused = error.code === 'unauthenticated' && request.headers.authorization !== undefined;
  return `${BEARER_CHALLENGE}${tokenRefused ? ', error="invalid_token"' : ''}`;
}

export function unauthenticated(message: string): PasskeyError {
  return new PasskeyError('unauthenticated', message);
}
