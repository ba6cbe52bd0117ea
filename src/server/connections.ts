import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { FastifyServerOptions } from 'fastify';
import { type ErrorCode, PasskeyError } from '../errors.js';
import type { App } from './options.js';
import { toProblem } from './problem.js';

/** Milliseconds that a request may take to arrive. */
const REQUEST_TIMEOUT = 30_000;
/** Milliseconds that open requests get to finish when the server closes. */
const GRACE = 1_000;

/** For Fastify: connections that send nothing, or half a request, neither stay open nor keep the server from closing. */
export const connectionOptions = (
  production: boolean,
): Pick<FastifyServerOptions, 'requestTimeout' | 'forceCloseConnections' | 'clientErrorHandler'> => ({
  requestTimeout: REQUEST_TIMEOUT,
  forceCloseConnections: true,
  clientErrorHandler: (error, socket) => answerMalformed(error, socket, production),
});

/**
 * Counts open requests.
 *
 * @returns a hook for `preClose` that gives them a moment to finish before Fastify closes every connection. It must come last, after
 * the hooks that end endless answers.
 */
export function countRequests(app: App): () => Promise<void> {
  let underWay = 0;
  let drained: (() => void) | undefined;
  app.addHook('onRequest', async (_request, reply) => {
    underWay++;
    reply.raw.once('close', () => {
      underWay--;
      if (underWay === 0) drained?.();
    });
  });
  return async () => {
    if (underWay === 0) return;
    await new Promise<void>((resolve) => {
      drained = resolve;
      setTimeout(resolve, GRACE).unref();
    });
  };
}

const BY_NODE_CODE: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The header fields are larger than this server takes. Send fewer cookies or shorter fields.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', `The request did not arrive within ${REQUEST_TIMEOUT / 1000} seconds. Send it again.`],
};

/** Malformed requests reach no route; they are answered here, in the same form as every other error. */
function answerMalformed(error: Error & { readonly code?: string }, socket: Socket, production: boolean): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [code, message] = BY_NODE_CODE[error.code ?? ''] ?? [
    'malformed_request',
    'Expected an HTTP/1.1 request; got something else. Check the client.',
  ];
  const problem = toProblem(new PasskeyError(code, message, { cause: error }), { requestId: randomUUID(), production });
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${problem.status} ${problem.title}`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
