import { objectOf } from '../../kernel/json-value.js';
import type { Mutations, SoftwareAnswers } from '../software-answers.js';
import { challengeNamed } from './software-notes.js';
import type { Stream } from './stream.js';

/** The persona of a software authenticator that imitates none. */
const PLAIN = 'plain';

/** The same answers, each noted in the stream: who answered, and what was broken on purpose. */
export function watchSoftware(software: SoftwareAnswers, stream: Stream): SoftwareAnswers {
  return {
    ...software,
    async answer(request) {
      const document = await software.answer(request);
      const { response } = objectOf(document);
      const challenge = challengeOfOptions(request.options) ?? challengeNamed(response);
      const { persona = PLAIN, tamper = null } = request;
      if (challenge !== undefined) stream.noteSoftware(challenge, response, { persona, tamper });
      return document;
    },
  };
}

/** The same mutations; what they break is noted in the stream as well. */
export function watchMutations(mutations: Mutations, stream: Stream): Mutations {
  return {
    ...mutations,
    async tamper(request) {
      const document = await mutations.tamper(request);
      const { response } = objectOf(document);
      const challenge = challengeOfOptions(request.options) ?? challengeNamed(request.response);
      const persona = stream.softwareOf(request.response)?.persona ?? null;
      if (challenge !== undefined) stream.noteSoftware(challenge, response, { persona, tamper: request.id });
      return document;
    },
  };
}

/** Of creation or request options, by themselves or as `publicKey`; undefined where they are wrapped otherwise. */
function challengeOfOptions(options: unknown): string | undefined {
  const found = [objectOf(options), objectOf(objectOf(options)['publicKey'])].find(({ challenge }) => typeof challenge === 'string');
  return found === undefined ? undefined : String(found['challenge']);
}
