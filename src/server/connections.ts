import type { Server } from 'node:http';
import type { FastifyHttpOptions } from 'fastify';
import { PasskeyError } from '../errors.js';
import { limitConnections } from './connection-limits.js';
import { answerUnreadable, REQUEST_TIMEOUT } from './malformed-request.js';
import type { App } from './options.js';
import type { ProblemStyle } from './problem.js';
import type { ServerSettings } from './settings.js';

/** Milliseconds between two checks whether requests arrive in time. */
const CHECK_INTERVAL = 1_000;
/** Milliseconds without traffic in either direction after which a connection is closed, whatever its state. */
const SILENCE_TIMEOUT = 120_000;
/** How long open requests may take to finish when the server closes, in milliseconds. */
const GRACE = 1_000;

/**
 * Options for Fastify that close a connection on which no request, or only part of a request, arrives in time. Such a connection does not
 * delay the closing of the server.
 */
export const connectionOptions: Pick<
  FastifyHttpOptions<Server>,
  'http' | 'requestTimeout' | 'connectionTimeout' | 'forceCloseConnections' | 'return503OnClosing' | 'clientErrorHandler'
> = {
  requestTimeout: REQUEST_TIMEOUT,
  connectionTimeout: SILENCE_TIMEOUT,
  http: {
    connectionsCheckingInterval: CHECK_INTERVAL,
    // Node swaps the two timeouts when the one for the header is longer, as it is by default.
    headersTimeout: REQUEST_TIMEOUT,
    // Node's own answer to a missing Host is no problem document.
    requireHostHeader: false,
  },
  forceCloseConnections: true,
  // Nor are Fastify's answers to requests that come while it closes, and to what is not HTTP.
  return503OnClosing: false,
  clientErrorHandler: () => {},
};

/**
 * Watches the connections of the server. A request that Node itself would reject gets a problem document. A request that arrives while the
 * server closes is refused.
 *
 * @returns a hook for `preClose` that gives open requests a moment to finish before Fastify closes every connection. Add this hook last,
 * after the hooks that end event streams.
 */
export function watchConnections(app: App, settings: Pick<ServerSettings, 'maxConnections'>, style: ProblemStyle): () => Promise<void> {
  const limits = limitConnections(app, settings);
  answerUnreadable(app, limits, style);

  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.addHook('onRequest', (_request, _reply, done) => {
    if (closing) throw new PasskeyError('shutting_down', 'The server is shutting down. Send the request again when it is back.');
    done();
  });
  return async () => {
    await Promise.race([
      limits.drained(),
      new Promise<void>((resolve) => {
        setTimeout(resolve, GRACE).unref();
      }),
    ]);
  };
}
