import { PERSONA_NAMES, type PersonaName } from '../../authenticator/personas/personas.js';
import type { Call, EndedCeremony, SoftwareAnswer } from '../../browse/ceremony.js';
import { PasskeyError } from '../../errors.js';
import { readRpId } from '../../explain/requested-options.js';
import { asObject } from '../../kernel/json-value.js';
import type { AnswerRequest } from '../../server/software-answers.js';
import type { NextAnswer, NextTamper } from '../../server/stream/outside-port.js';
import { findMutation, findOtherChallenge } from '../../simulate/mutations/mutation.js';
import { CEREMONIES } from '../../webauthn/enumerations.js';
import type { Keeper } from '../answer/keeper.js';
import { softwareAnswers } from '../serve/software.js';

interface Choice {
  readonly persona: PersonaName | undefined;
  /** ID of a mutation, or the part of the ID after its first dot. */
  readonly tamper: string | undefined;
}

interface Answerer {
  readonly answer: (call: Call) => Promise<SoftwareAnswer>;
  /** Returns the name of the persona that currently responds, or `plain`. */
  readonly persona: () => string;
  /** Returns the mutation that breaks the next response of its kind of ceremony. Null if no mutation is chosen. */
  readonly tamper: () => NextTamper | null;
  /** Chooses which persona responds from now on, and how to break the next response. */
  readonly choose: (next: NextAnswer) => void;
  /** Remembers the challenge of a ceremony, for mutations that answer another challenge. */
  readonly ended: (ceremony: EndedCeremony) => void;
}

/**
 * Answers the calls of pages with a software authenticator.
 *
 * @throws PasskeyError `usage` for an unknown mutation.
 */
export function createAnswerer(keeper: Keeper, given: Choice): Answerer {
  const software = softwareAnswers(keeper);
  const always = readTamper(given.tamper);
  let { persona } = given;
  let once: typeof always;
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
      const tamper = [once, always].find((each) => each?.kind === kind)?.id;
      if (once?.kind === kind) once = undefined;
      const chosen = { persona, tamper, findChallenge, rpIdChecked: true as const };
      const asked = { options, origin, topOrigin, crossOrigin, mediation: undefined, userVerification: undefined, credentialId: undefined };
      const { response } = asObject(await software.answer({ ...asked, ...chosen }));
      return { persona: chosen.persona ?? PLAIN, tamper: tamper ?? null, response: asObject(response) };
    },
    persona: () => persona ?? PLAIN,
    tamper: () => once ?? always ?? null,
    choose(next) {
      const named = PERSONA_NAMES.find((name) => name === next.persona);
      if (next.persona !== undefined && next.persona !== PLAIN && named === undefined) {
        throw new PasskeyError('validation_failed', `Expected a persona of GET /dev/personas, or ${PLAIN}; got ${next.persona}.`);
      }
      if (next.persona !== undefined) persona = named;
      once = next.tamper === null ? undefined : (readTamper(next.tamper) ?? once);
    },
    ended(ceremony) {
      past.push(ceremony);
      if (past.length > MAX_PAST) past.shift();
    },
  };
}

const MAX_PAST = 100;

/** Name for the software authenticator that imitates no persona. */
const PLAIN = 'plain';

/** Finds the mutation with this ID. @throws PasskeyError `usage` for an unknown mutation. */
export function readTamper(id: string | undefined): NextTamper | undefined {
  if (id === undefined) return undefined;
  const others = CEREMONIES.flatMap((kind) => findOtherChallenge(id, kind)?.mutation ?? []);
  const { title, ceremony: kind } = others[0] ?? findMutation(id);
  return { id, title, kind };
}
