import type { FastifyRequest } from 'fastify';
import { asObject } from '../../kernel/json-value.js';
import { operationContext } from '../ceremony-input.js';
import type { App } from '../options.js';
import type { Problem, ProblemListener } from '../problem.js';
import type { Mutations, SoftwareAnswers } from '../software-answers.js';
import { challengeNamed } from './software-notes.js';
import type { Stream } from './stream.js';

interface RequestWatch {
  /** Takes problems of the API's routes. Problems of other routes, such as those of the page, count only if they are about a ceremony. */
  readonly onProblem: ProblemListener;
  /** Takes problems of the FIDO routes, all of which belong to an API. */
  readonly onFidoProblem: ProblemListener;
}

/** Makes listeners that report problem documents to a stream. Also call {@link watchAnswers}. */
export function watchProblems(stream: Stream): RequestWatch {
  return {
    onProblem(request, problem) {
      const isApi = request.url.startsWith('/api/') && !isPageAsking(request, problem);
      if (isApi || stream.knows(request)) stream.refused(request, problem);
    },
    onFidoProblem: (request, problem) => stream.refused(request, problem),
  };
}

/** Notes the HTTP status of each response about a ceremony when it is sent. */
export function watchAnswers(app: App, stream: Stream): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    stream.answered(request, reply.statusCode);
    done(null, payload);
  });
}

/** Whether the test page asks if a user is signed in. The response that none is does not count as a refusal. */
function isPageAsking(request: FastifyRequest, { status }: Problem): boolean {
  return (
    status === 401 && request.routeOptions.url === '/api/session' && request.method === 'GET' && operationContext(request).page === true
  );
}

/** Name for a software authenticator that imitates no persona. */
const PLAIN = 'plain';

/** Wraps a software authenticator so that the stream notes who responded, and what was broken on purpose. */
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

/** Wraps the mutations so that the stream notes what they break. */
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

/** Reads the title of the mutation from a document of the software authenticator or of the mutations. */
function readTitle(document: object): { readonly title?: string } {
  const { title } = asObject(asObject(document)['tamper']);
  return typeof title === 'string' ? { title } : {};
}

/** Reads the challenge of creation or request options, either bare or in `publicKey`. Undefined for any other wrapping. */
function challengeOfOptions(options: unknown): string | undefined {
  const found = [asObject(options), asObject(asObject(options)['publicKey'])].find(({ challenge }) => typeof challenge === 'string');
  return found === undefined ? undefined : String(found['challenge']);
}
