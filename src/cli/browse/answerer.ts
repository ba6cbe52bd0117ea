import type { PersonaName } from '../../authenticator/personas/personas.js';
import type { Call, EndedCeremony, SoftwareAnswer } from '../../browse/ceremony.js';
import { readRpId } from '../../explain/requested-options.js';
import { asObject } from '../../kernel/json-value.js';
import type { AnswerRequest } from '../../server/software-answers.js';
import { findMutation, findOtherChallenge } from '../../simulate/mutations/mutation.js';
import { CEREMONIES, type CeremonyKind } from '../../webauthn/enumerations.js';
import type { Keeper } from '../answer/keeper.js';
import { softwareAnswers } from '../serve/software.js';

interface Choice {
  readonly persona: PersonaName | undefined;
  /** ID of a mutation, or the part behind its first dot. */
  readonly tamper: string | undefined;
}

interface Answerer {
  readonly answer: (call: Call) => Promise<SoftwareAnswer>;
  /** Remembers its challenge, for mutations that answer another one. */
  readonly ended: (ceremony: EndedCeremony) => void;
}

/**
 * Answers calls of pages with the software authenticator.
 *
 * @throws PasskeyError `usage` for an unknown mutation.
 */
export function createAnswerer(keeper: Keeper, { persona, tamper }: Choice): Answerer {
  const software = softwareAnswers(keeper);
  const broken = tamper === undefined ? undefined : kindOfMutation(tamper);
  const past: EndedCeremony[] = [];
  const findChallenge: AnswerRequest['findChallenge'] = ({ of, state, rpId }) => {
    const found = past.findLast(({ kind, options, exchange }) => {
      const isAnswered = exchange !== undefined;
      return kind === of && readRpId(options) === rpId && (state === 'any' || isAnswered === (state === 'used'));
    });
    const challenge = found?.options['challenge'];
    return typeof challenge === 'string' ? challenge : undefined;
  };
  return {
    async answer({ kind, options, origin, topOrigin, crossOrigin }) {
      const chosen = { persona, tamper: kind === broken ? tamper : undefined, findChallenge };
      const asked = { options, origin, topOrigin, crossOrigin, mediation: undefined, userVerification: undefined, credentialId: undefined };
      const { response } = asObject(await software.answer({ ...asked, ...chosen }));
      return { persona: persona ?? 'plain', tamper: chosen.tamper ?? null, response: asObject(response) };
    },
    ended: (ceremony) => void past.push(ceremony),
  };
}

function kindOfMutation(id: string): CeremonyKind {
  return CEREMONIES.find((kind) => findOtherChallenge(id, kind) !== undefined) ?? findMutation(id).ceremony;
}
