import type { Server } from 'node:http';
import type { FastifyHttpOptions } from 'fastify';
import { PasskeyError } from '../errors.js';
import { limitConnections } from './connection-limits.js';
import { answerUnreadable, REQUEST_TIMEOUT } from './malformed-request.js';
import type { App } from './options.js';
import type { ProblemStyle } from './problem.js';
import type { ServerSettings } from './settings.js';

/** Milliseconds between two checks of the requests that are arriving. */
const CHECK_INTERVAL = 1_000;
/** Milliseconds without traffic in both directions after which a connection is closed, in whatever state it is. */
const SILENCE_TIMEOUT = 120_000;
/** How long open requests may take to finish when the server closes, in milliseconds. */
const GRACE = 1_000;

/**
 * Options for Fastify that close connections which send nothing or half a request. Such connections do not keep the server from closing.
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
 * Watches the connections of the server. Requests that Node itself would reject get problem documents, and requests that arrive while the
 * server closes are refused.
 *
 * @returns a hook for `preClose` that gives open requests a moment to finish before Fastify closes every connection. Add it last, after the
 * hooks that end event streams.
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
