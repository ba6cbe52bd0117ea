import { type JsonObject, parseJson } from '../kernel/json-value.js';
import type { HttpLeg } from './run.js';

export interface Api {
  /** Sends a request. Never throws: a failure is described in the returned leg. */
  call(method: Method, path: string, body?: JsonObject, options?: CallOptions): Promise<HttpLeg>;
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

interface CallOptions {
  /** Bearer token to send instead of this tab's. */
  readonly token?: string;
  readonly signal?: AbortSignal;
  /** Called with the id of the request before it is sent. */
  readonly onSend?: (requestId: string) => void;
}

interface ApiParts {
  readonly fetch: (path: string, init: RequestInit) => Promise<Response>;
  /** Reads the bearer token of this tab; undefined if it has none. Every request sends the token. */
  readonly token: () => string | undefined;
  /** Creates the id of a request. The server repeats the id in problems, log and timeline. */
  readonly requestId: () => string;
  /** Origin of the server, for messages. */
  readonly origin: string;
  /** Reads a monotonic clock, in milliseconds. */
  readonly clock: () => number;
}

export function createApi({ fetch, token, requestId, origin, clock }: ApiParts): Api {
  return {
    async call(method, path, body, options = {}) {
      const bearer = options.token ?? token();
      const id = requestId();
      options.onSend?.(id);
      const start = clock();
      const leg = (rest: Pick<HttpLeg, 'status' | 'answer' | 'failure'>): HttpLeg => ({
        kind: 'http',
        requestId: id,
        method,
        path,
        body,
        bearer: bearer !== undefined,
        ...rest,
        milliseconds: clock() - start,
      });
      try {
        const response = await fetch(path, {
          method,
          headers: {
            accept: 'application/json',
            'x-request-id': id,
            // Tells the audit log that it was the test page.
            'x-passkey-page': '1',
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          signal: options.signal ?? null,
        });
        const text = await response.text();
        return leg({ status: response.status, answer: text === '' ? undefined : (parseJson(text) ?? text), failure: undefined });
      } catch (error) {
        if (options.signal?.aborted === true) {
          return leg({ status: undefined, answer: undefined, failure: 'Cancelled before the server answered.' });
        }
        const failure = `The server at ${origin} did not answer (${error instanceof Error ? error.message : String(error)}). Is \`passkey serve\` still running?`;
        return leg({ status: undefined, answer: undefined, failure });
      }
    },
  };
}
