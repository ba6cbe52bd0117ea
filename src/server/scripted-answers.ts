import type { OutgoingHttpHeaders } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import type { App } from './options.js';

/** A response that a test has scripted. It replaces the API's own response. */
export interface ScriptedAnswer {
  /** The `operationId` of the API operation whose response is replaced. */
  readonly on: string;
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  /** Body of the response. A string is sent verbatim, and any other value as JSON. Undefined means no body. */
  readonly body: unknown;
  /** How long to wait before sending the response, in milliseconds. */
  readonly delay: number;
}

/** Responses that a test has scripted, in the order in which they are used. */
export interface ScriptedAnswers {
  /** Names of the operations whose responses can be scripted, in the order of their routes. */
  readonly operations: readonly string[];
  readonly waiting: ScriptedAnswer[];
}

/**
 * Makes the server send scripted responses before any other code handles the request, so no challenge is spent and no token is required.
 * Call this function before adding the routes of the API.
 */
export function answerAsScripted(app: App, onUse: (request: FastifyRequest) => void): ScriptedAnswers {
  const operations: string[] = [];
  const waiting: ScriptedAnswer[] = [];
  const closing = new AbortController();
  app.addHook('onRoute', ({ method, schema }) => {
    if (method !== 'HEAD' && schema?.operationId !== undefined) operations.push(schema.operationId);
  });
  // A server that closes waits for no delay.
  app.addHook('preClose', async () => closing.abort());
  app.addHook('onRequest', async (request, reply) => {
    const index = waiting.findIndex(({ on }) => on === request.routeOptions.schema?.operationId);
    const [answer] = index === -1 ? [] : waiting.splice(index, 1);
    if (answer === undefined) return;
    const { status, headers, body, delay } = answer;
    onUse(request);
    await wait(delay, undefined, { signal: closing.signal }).catch(() => {});
    if (body !== undefined && typeof body !== 'string') reply.type('application/json; charset=utf-8');
    return reply
      .code(status)
      .headers(headers)
      .send(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
  });
  return { operations, waiting };
}
