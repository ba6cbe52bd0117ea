import type { JsonObject } from '../webauthn/json-value.js';
import type { HttpLeg } from './run.js';

export interface Api {
  /** Never throws: a failure is in the leg. `withToken` replaces the tab's bearer token. */
  call(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: JsonObject, withToken?: string): Promise<HttpLeg>;
}

export interface ApiParts {
  readonly fetch: (path: string, init: RequestInit) => Promise<Response>;
  /** The bearer token of this tab; sent with every request if there is one. */
  readonly token: () => string | undefined;
  /** Sent to the server, which repeats it in problems, log and timeline. */
  readonly requestId: () => string;
  /** Milliseconds, monotonic. */
  readonly clock: () => number;
}

export function createApi({ fetch, token, requestId, clock }: ApiParts): Api {
  return {
    async call(method, path, body, withToken) {
      const bearer = withToken ?? token();
      const start = clock();
      const leg = (rest: Pick<HttpLeg, 'status' | 'answer' | 'failure'>): HttpLeg => ({
        kind: 'http',
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
          cache: 'no-store',
          headers: {
            accept: 'application/json',
            'x-request-id': requestId(),
            // Tells the audit log that it was the test page.
            'x-passkey-page': '1',
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const text = await response.text();
        return leg({ status: response.status, answer: parse(text), failure: undefined });
      } catch (error) {
        const failure = `The server at ${location.origin} did not answer (${error instanceof Error ? error.message : String(error)}). Is \`passkey serve\` still running?`;
        return leg({ status: undefined, answer: undefined, failure });
      }
    },
  };
}

function parse(text: string): unknown {
  if (text === '') {
    return undefined;
  }
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
