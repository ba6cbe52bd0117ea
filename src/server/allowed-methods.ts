import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { PasskeyError } from '../errors.js';

/** Handles requests for paths that are not endpoints of this server. */
export interface FrontEnd {
  readonly answer: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
  /** Accepts WebSockets on all paths except those for which `isOwn` is true. */
  readonly takeWebSockets?: (isOwn: (path: string) => boolean) => void;
}

/** Matches paths whose requests are never passed to a front end, so that a misspelled endpoint gets a 404. */
const OWN_PATHS = /^\/(api\/passkeys|dev)\//;

/**
 * Records the methods of each path. A request with a wrong method then gets a 405 with `Allow`, and OPTIONS gets a response. Call this
 * function before adding any route. Add the returned hook after the hooks that may refuse a request for any path. The returned hook runs
 * before the body is read.
 *
 * @param frontEnd handles requests for all other paths.
 */
export function answerUnknownRoutes(app: FastifyInstance, frontEnd?: FrontEnd): onRequestHookHandler {
  const methodsByPattern = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByPattern.get(url) ?? new Set(['OPTIONS']);
    for (const each of [method].flat()) {
      methods.add(each);
    }
    if (url !== '*') {
      methodsByPattern.set(url, methods);
    }
  });

  function methodsOf(path: string): string[] {
    const exact = methodsByPattern.get(path);
    if (exact !== undefined) {
      return [...exact].sort();
    }
    const segments = path.split('/');
    const patterns = [...methodsByPattern].filter(([pattern]) => fits(segments, pattern.split('/')));
    return [...new Set(patterns.flatMap(([, methods]) => [...methods]))].sort();
  }

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const [path = ''] = request.url.split('?');
    const methods = methodsOf(path);
    if (methods.length === 0) {
      if (frontEnd !== undefined && !OWN_PATHS.test(path)) return await frontEnd.answer(request, reply);
      throw new PasskeyError('route_not_found', `There is nothing at ${path.slice(0, 200)}. GET /openapi.json lists the endpoints.`);
    }
    reply.header('allow', methods.join(', '));
    if (request.method === 'OPTIONS') {
      return reply.code(204).send();
    }
    throw new PasskeyError('method_not_allowed', `${path.slice(0, 200)} takes ${methods.join(', ')}, not ${request.method}.`);
  }

  frontEnd?.takeWebSockets?.((path) => methodsOf(path).length > 0 || OWN_PATHS.test(path));
  app.setNotFoundHandler(answer);
  return (request, reply, done) => {
    if (request.is404) void answer(request, reply).catch(done);
    else done();
  };
}

function fits(segments: readonly string[], pattern: readonly string[]): boolean {
  return (
    segments.length === pattern.length &&
    pattern.every((part, index) => (part.startsWith(':') ? segments[index] !== '' : part === segments[index]))
  );
}
