import type { FastifyRequest } from 'fastify';
import { asObject } from '../../kernel/json-value.js';
import { operationContext } from '../ceremony-input.js';
import type { App } from '../options.js';
import type { Problem, ProblemListener } from '../problem.js';
import type { Mutations, SoftwareAnswers } from '../software-answers.js';
import { challengeNamed } from './software-notes.js';
import type { Stream } from './stream.js';

interface RequestWatch {
  /**
   * Handles problem documents of the server's routes. Those of other routes than the API's, such as the test page, count only if they are
   * about a ceremony.
   */
  readonly onProblem: ProblemListener;
  /** Handles problem documents of the FIDO server API, whose routes all count. */
  readonly onFidoProblem: ProblemListener;
}

/** Makes listeners that report problem documents to a stream. Call {@link watchAnswers} too. */
export function watchProblems(stream: Stream): RequestWatch {
  return {
    onProblem(request, problem) {
      const isApi = request.url.startsWith('/api/') && !isPageAsking(request, problem);
      if (isApi || stream.knows(request)) stream.refused(request, problem);
    },
    onFidoProblem: (request, problem) => stream.refused(request, problem),
  };
}

/** Records in the stream the HTTP status of each response about a ceremony, when the response is sent. */
export function watchAnswers(app: App, stream: Stream): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    stream.answered(request, reply.statusCode);
    done(null, payload);
  });
}

/** Checks whether the test page asked if a user is signed in, and none is. Such a response does not count as a refusal. */
function isPageAsking(request: FastifyRequest, { status }: Problem): boolean {
  return (
    status === 401 && request.routeOptions.url === '/api/session' && request.method === 'GET' && operationContext(request).page === true
  );
}

/** Name for a software authenticator that imitates no persona. */
const PLAIN = 'plain';

/** Wraps a software authenticator, so that the stream records which persona responded and which mutation broke the response. */
export function watchSoftware(software: SoftwareAnswers, stream: Stream): SoftwareAnswers {
  return {
    ...software,
    async answer(request) {
      const document = await software.answer(request);
      const { response } = asObject(document);
      const challenge = challengeOfOptions(request.options) ?? challengeNamed(response);
      const { persona = PLAIN, tamper = null } = request;
      if (challenge !== undefined) stream.noteSoftware(challenge, response, { persona, tamper, ...readTitle(document) });
      return document;
    },
  };
}

/** Wraps the mutations, so that the stream records which responses they break. */
export function watchMutations(mutations: Mutations, stream: Stream): Mutations {
  return {
    ...mutations,
    async tamper(request) {
      const document = await mutations.tamper(request);
      const { response } = asObject(document);
      const challenge = challengeOfOptions(request.options) ?? challengeNamed(request.response);
      const persona = stream.softwareOf(request.response)?.persona ?? null;
      if (challenge !== undefined) stream.noteSoftware(challenge, response, { persona, tamper: request.id, ...readTitle(document) });
      return document;
    },
  };
}

/** Reads the title of the mutation from the document that {@link SoftwareAnswers} or {@link Mutations} returned. */
function readTitle(document: object): { readonly title?: string } {
  const { title } = asObject(asObject(document)['tamper']);
  return typeof title === 'string' ? { title } : {};
}

/** Reads the challenge of creation or request options. The options may be bare or in `publicKey`; otherwise returns undefined. */
function challengeOfOptions(options: unknown): string | undefined {
  const found = [asObject(options), asObject(asObject(options)['publicKey'])].find(({ challenge }) => typeof challenge === 'string');
  return found === undefined ? undefined : String(found['challenge']);
}
