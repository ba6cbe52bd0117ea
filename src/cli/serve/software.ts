import { PasskeyError } from '../../errors.js';
import type { Mutations, SoftwareAnswers } from '../../server/software-answers.js';
import { knownValue } from '../../webauthn/enumerations.js';
import type { Keeper } from '../answer/keeper.js';

/** Implements `POST /dev/answer` with the credentials of a keeper. Its code is loaded at the first request. */
export function softwareAnswers(keeper: Keeper): SoftwareAnswers {
  return {
    async answer({ options, persona, userVerification, ...answering }) {
      const [{ answer, USER_VERIFICATIONS }, { findOptions }, { describeAnswer }, { PERSONA_NAMES }] = await Promise.all([
        import('../answer/answer.js'),
        import('../answer/options.js'),
        import('../answer/document.js'),
        import('../../authenticator/personas/personas.js'),
      ]);
      const chosen = {
        ...answering,
        // One server answers in many personas, of which each is another device.
        newDevice: true as const,
        persona: oneOf('persona', persona, PERSONA_NAMES),
        userVerification: oneOf('user_verification', userVerification, USER_VERIFICATIONS),
      };
      const found = findOptions(options, 'options');
      // A login before any registration finds an empty file, not none.
      const lasting: Keeper = { ...keeper, change: (_, work) => keeper.change({ create: true }, work) };
      return describeAnswer(found, chosen, await answer(lasting, found, chosen).catch(rethrow));
    },
    async personas() {
      const { personaRows } = await import('./personas.js');
      return personaRows();
    },
  };
}

/** Implements `GET /dev/mutations` and `POST /dev/tamper`. */
export const catalogue: Mutations = {
  async list(at) {
    const [{ listMutations, listOtherChallenges, listUnfit }, { mutationRow }] = await Promise.all([
      import('../../simulate/mutations/mutation.js'),
      import('../answer/document.js'),
    ]);
    const unfit = listUnfit(at);
    return [...listMutations(), ...listOtherChallenges()].map((each) => {
      const why = unfit.get(each.id);
      return { ...mutationRow(each), ...(why !== undefined && { unfit: why }) };
    });
  },
  async tamper(request) {
    const { tamperDocument } = await import('./tamper.js');
    return await tamperDocument(request).catch(rethrow);
  },
};

function oneOf<T extends string>(member: string, value: string | undefined, known: readonly T[]): T | undefined {
  const found = knownValue(value, known);
  if (value === undefined || found !== undefined) return found;
  const detail = `must be one of ${known.join(', ')}`;
  throw new PasskeyError('validation_failed', `/${member} ${detail}.`, { errors: [{ pointer: `/${member}`, detail }] });
}

/**
 * Converts a usage error of the command line to an error about a member of the request, and throws it. Throws any other error unchanged.
 */
function rethrow(cause: unknown): never {
  throw cause instanceof PasskeyError && cause.code === 'usage' ? new PasskeyError('validation_failed', cause.message, { cause }) : cause;
}
