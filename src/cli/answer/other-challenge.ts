import { PasskeyError } from '../../errors.js';
import type { Challenges, WantedChallenge } from '../../server/software-answers.js';
import type { findOtherChallenge, OtherChallenge } from '../../simulate/mutations/mutation.js';
import { parseUrl } from '../../webauthn/rp-id.js';
import type { FoundOptions } from './options.js';

const WHAT = { registration: 'registration', authentication: 'login' } as const;

const ADVICE: Readonly<Record<OtherChallenge['state'], (what: string) => string>> = {
  used: (what) => `Finish a ${what} first.`,
  expired: (what) =>
    `Request options of a ${what} with "timeout": 1000, leave them unanswered for two seconds, and try again within two minutes.`,
  any: (what) => `Request options of a ${what} first.`,
};

interface AnsweredOptions {
  /** The options that the response is for. */
  readonly found: FoundOptions;
  /** The origin of the page that made the call. */
  readonly origin: string;
}

function readScope({ found, origin }: AnsweredOptions): Pick<WantedChallenge, 'rpId' | 'userHandle'> {
  const host = parseUrl(origin)?.hostname;
  return found.ceremony === 'registration'
    ? { rpId: found.options.rp.id ?? host, userHandle: found.options.user.id }
    : { rpId: found.options.rpId ?? host };
}

/**
 * Finds the challenge that a mutation answers instead of the challenge in the options. The result is in base64url.
 *
 * @throws PasskeyError `not_applicable` if the server knows no such challenge.
 */
export function otherChallenge(
  { mutation, challenge: { of, state } }: NonNullable<ReturnType<typeof findOtherChallenge>>,
  { findChallenge, ...about }: Challenges & AnsweredOptions & { readonly credentialId: string },
): string {
  const found = findChallenge({ of, state, ...readScope(about), credentialId: about.credentialId });
  if (found !== undefined) return found;
  const which = state === 'used' ? 'been answered' : state === 'expired' ? 'expired unanswered' : 'been begun';
  throw new PasskeyError(
    'not_applicable',
    `The mutation ${mutation.id} does not apply here: it needs a ${WHAT[of]} that has ${which}, and this server remembers none. ${ADVICE[state](WHAT[of])}`,
  );
}
