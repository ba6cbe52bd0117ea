import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { PasskeyError } from '../../errors.js';
import type { App } from '../../server/options.js';
import { answerOf, type HttpAnswer, type HttpRequest, type HttpTarget } from './http.js';

/** What can be handed over without a connection. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/**
 * Hands requests to an application in this process as its server would, but without a connection, which costs more than the rest of most
 * requests. What cannot be handed over so goes through `server`.
 */
export function createInjectedTarget(app: App, server: HttpTarget): HttpTarget {
  const { origin } = server.url;

  async function send(request: HttpRequest): Promise<HttpAnswer> {
    const { path, headers, body } = request;
    const method = METHODS.find((known) => known === request.method);
    const url = path.startsWith('/') ? `${origin}${path}` : path;
    if (method === undefined || !url.startsWith(`${origin}/`)) return server.send(request);
    const sent = { accept: 'application/json', ...headers };
    try {
      // Its check of what it is given takes longer than some requests.
      const answer = await app.inject({
        method,
        url,
        headers: sent,
        ...(body !== undefined && { payload: body }),
        validate: false,
      });
      return answerOf({ status: answer.statusCode, headers: asReceived(answer.headers), text: answer.payload });
    } catch (cause) {
      const message = `Expected an answer from ${origin}, got none. Please report it.`;
      throw new PasskeyError('target_unreachable', message, { cause });
    }
  }

  return { url: server.url, send, close() {} };
}

/** Header fields as Node gives them to whoever receives them: texts, and a list of cookies. */
function asReceived(fields: OutgoingHttpHeaders): IncomingHttpHeaders {
  const texts = Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const values = [value].flat().map(String);
    return [[name, name === 'set-cookie' ? values : values.join(', ')] as const];
  });
  return Object.fromEntries(texts);
}
