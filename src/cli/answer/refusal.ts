import type { CredentialSource } from '../../authenticator/credential-source.js';
import { PasskeyError } from '../../errors.js';
import { clause, WOULD_REFUSE_WITH } from '../../kernel/wording.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import type { PublicKeyCredentialRequestOptionsJSON } from '../../webauthn/json.js';

/** Advice for each kind of DOMException. The key is the name of the DOMException. */
const ADVICE: Readonly<Record<string, string>> = {
  SecurityError: 'Correct the RP ID in the options, or the origin.',
  NotSupportedError: 'Offer an algorithm that the persona supports, or choose another persona.',
  ConstraintError: 'Request less, or choose a persona that supports it.',
  InvalidStateError:
    'Browsers do so when a user registers the same authenticator twice. Register another user, remove the credential, or use other credentials.',
};

/**
 * Converts the exception that a page would get to a PasskeyError. Returns any other error unchanged.
 *
 * @returns PasskeyError `options_refused`, or `validation_failed` for a member that no browser can read.
 */
export function toRefusal(cause: unknown): unknown {
  if (cause instanceof DOMException) {
    const advice = ADVICE[cause.name];
    return refused(`${cause.name}: ${cause.message}${advice === undefined ? '' : ` ${advice}`}`, cause);
  }
  if (cause instanceof TypeError || cause instanceof RangeError) {
    return new PasskeyError(
      'validation_failed',
      `A browser would not read these options: ${clause(cause.message)}. Correct them in your server.`,
      {
        cause,
      },
    );
  }
  return cause;
}

const refused = (what: string, cause: unknown): PasskeyError =>
  new PasskeyError('options_refused', `${WOULD_REFUSE_WITH}${what}`, { cause });

/** Maximum number of credentials that one message names. */
const SHOWN = 5;

/**
 * Converts an exception like {@link toRefusal}. If the exception may mean that no credential fits, the message also names the existing
 * credentials.
 *
 * @param held all existing credentials, which are stored at `place`.
 */
export function toLoginRefusal(
  cause: unknown,
  o: {
    readonly options: PublicKeyCredentialRequestOptionsJSON;
    readonly rpId: string;
    readonly held: readonly CredentialSource[];
    readonly place: string;
  },
): unknown {
  const { options, rpId, held, place } = o;
  if (!(cause instanceof DOMException) || cause.name !== 'NotAllowedError') return toRefusal(cause);
  const wanted = new Set((options.allowCredentials ?? []).map(({ id }) => id));
  const here = held.filter((source) => source.rpId === rpId && !source.hidden);
  const fits = (source: CredentialSource) => (wanted.size === 0 ? source.discoverable : wanted.has(encodeBase64url(source.id)));
  if (here.some(fits)) return toRefusal(cause);
  const listed = wanted.size === 1 ? 'the credential' : `one of the ${wanted.size} credentials`;
  const sought = wanted.size === 0 ? 'a discoverable credential' : `${listed} in allowCredentials`;
  const advice =
    wanted.size === 0 && here.length > 0
      ? 'Name it in allowCredentials, or register with residentKey "required".'
      : 'Answer creation options first, or use the credentials file that has it.';
  return refused(`NotAllowedError: Expected ${sought} for ${rpId}; ${place} ${describeHeld(here, held)}. ${advice}`, cause);
}

/** Maximum number of characters of a name that a message shows. */
const SHOWN_OF_NAME = 64;

const shortened = (name: string): string => (name.length > SHOWN_OF_NAME ? `${name.slice(0, SHOWN_OF_NAME)}…` : name);

function describeHeld(here: readonly CredentialSource[], held: readonly CredentialSource[]): string {
  const list = (all: readonly string[]) =>
    `${all.slice(0, SHOWN).join(', ')}${all.length > SHOWN ? ` and ${all.length - SHOWN} more` : ''}`;
  if (here.length > 0) {
    const named = here.map(
      ({ id, user, discoverable }) => `${encodeBase64url(id)} (${shortened(user.name)}${discoverable ? '' : ', not discoverable'})`,
    );
    return `has ${list(named)}`;
  }
  const others = [...new Set(held.map(({ rpId }) => rpId))];
  return others.length === 0 ? 'has none' : `has none for it, only for ${list(others)}`;
}
