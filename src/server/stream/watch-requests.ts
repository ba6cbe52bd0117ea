import type { FastifyRequest } from 'fastify';
import { operationContext } from '../ceremony-input.js';
import type { App } from '../options.js';
import type { Problem, ProblemListener } from '../problem.js';
import type { Stream } from './stream.js';

export interface RequestWatch {
  /** For the routes of the API; of others, such as those of the page, only what is about a ceremony counts. */
  readonly onProblem: ProblemListener;
  /** For routes all of which belong to an API. */
  readonly onFidoProblem: ProblemListener;
}

/** Tells a stream what requests are answered with. Call {@link watchAnswers} too. */
export function watchProblems(stream: Stream): RequestWatch {
  return {
    onProblem(request, problem) {
      const isApi = request.url.startsWith('/api/') && !isPageAsking(request, problem);
      if (isApi || stream.knows(request)) stream.refused(request, problem);
    },
    onFidoProblem: (request, problem) => stream.refused(request, problem),
  };
}

/** The status of what is about a ceremony, when the answer is sent. */
export function watchAnswers(app: App, stream: Stream): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    stream.answered(request, reply.statusCode);
    done(null, payload);
  });
}

/** The test page asks whether somebody is signed in. That nobody is, is no refusal. */
function isPageAsking(request: FastifyRequest, { status }: Problem): boolean {
  return (
    status === 401 && request.routeOptions.url === '/api/session' && request.method === 'GET' && operationContext(request).page === true
  );
}
