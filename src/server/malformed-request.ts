import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ErrorCode, PasskeyError } from '../errors.js';
import type { ConnectionLimits } from './connection-limits.js';
import type { App } from './options.js';
import { type ProblemStyle, toProblem } from './problem.js';

/** How long a request may take to arrive, in milliseconds. */
export const REQUEST_TIMEOUT = 30_000;
/** How long a client may take to read the error before its connection is cut, in milliseconds. */
const LINGER = 5_000;

/** The error code and message for each request that Node's HTTP parser rejects, by Node's error code. */
const BY_NODE_CODE: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: [
    'headers_too_large',
    'The header fields are larger than this server accepts. Send fewer cookies or shorter fields.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', `The request did not arrive within ${REQUEST_TIMEOUT / 1000} seconds. Send it again.`],
};

/**
 * Sends a problem document for each request that Node itself would reject or ignore: malformed HTTP, a request that arrives too slowly, an
 * unknown expectation (`Expect`), or a tunnel (`CONNECT`).
 */
export function answerUnreadable(app: App, limits: Pick<ConnectionLimits, 'openAnswers'>, style: ProblemStyle): void {
  app.server.on('clientError', (error: Error & { readonly code?: string }, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const [code, message] = BY_NODE_CODE[error.code ?? ''] ?? [
      'malformed_request',
      'Expected an HTTP/1.1 request; got something else. Check the client.',
    ];
    answerAfterOthers(new PasskeyError(code, message, { cause: error }), socket);
  });

  app.server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    answerAfterOthers(
      new PasskeyError('malformed_request', 'Expected a request for this server; got CONNECT. This server is not a proxy.'),
      socket,
    );
  });

  // Takes the place of Node's bare 417: the hook below answers.
  app.server.on(
    'checkExpectation',
    (request: IncomingMessage, response: ServerResponse) => void app.server.emit('request', request, response),
  );
  app.addHook('onRequest', ({ raw: { headers, httpVersion } }, _reply, done) => {
    const { expect } = headers;
    if (expect !== undefined && httpVersion === '1.1' && expect.toLowerCase() !== '100-continue') {
      throw new PasskeyError(
        'expectation_failed',
        `Expected "Expect: 100-continue" or no Expect field; got "${expect.slice(0, 100)}". Leave it out.`,
      );
    }
    done();
  });

  /** Sends the error on the connection, but only after the responses to complete requests that arrived earlier on it. */
  function answerAfterOthers(error: PasskeyError, socket: Duplex): void {
    if (!(socket instanceof Socket)) {
      socket.destroy();
      return;
    }
    const answers = limits.openAnswers(socket);
    const own = answers.find(({ req }) => !req.complete);
    const before = answers.findLast(({ req }) => req.complete);
    const answer = () => (own?.headersSent === true || !socket.writable ? socket.destroy() : endWithProblem(error, socket, style));
    if (before === undefined) answer();
    else before.once('close', answer);
  }
}

function endWithProblem(error: PasskeyError, socket: Socket, style: ProblemStyle): void {
  const requestId = randomUUID();
  const problem = toProblem(error, { ...style, requestId });
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  socket.setTimeout(LINGER, () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
