import { USER_FAILURES } from '../../authenticator/failure.js';
import type { AuthenticatorFailure } from '../../authenticator/ports.js';
import { knownValue, listNames } from '../../webauthn/enumerations.js';

/** Ways in which an authenticator can fail `create()` but not `get()`, for which browsers have no such exceptions. */
const CREATION_FAILURES = {
  /** The page receives an InvalidStateError. */
  'already-registered': {
    status: 'CTAP2_ERR_CREDENTIAL_EXCLUDED',
    message: 'The authenticator already holds one of the excluded credentials.',
  },
  /** The page receives a NotSupportedError. */
  unsupported: { status: 'CTAP2_ERR_UNSUPPORTED_ALGORITHM', message: 'The authenticator supports none of the requested algorithms.' },
  /** The page receives a ConstraintError. */
  constrained: { status: 'CTAP2_ERR_UNSUPPORTED_OPTION', message: 'The authenticator cannot do what the options require.' },
} as const satisfies Record<string, Omit<AuthenticatorFailure, 'ok'>>;

const OUTCOMES = { ...USER_FAILURES, ...CREATION_FAILURES };

/**
 * How a test can make a ceremony end. The user can end it (`NotAllowedError`, as in browsers). For `create()`, the authenticator can also
 * hold one of `excludeCredentials` (`InvalidStateError`), support none of `pubKeyCredParams` (`NotSupportedError`), or be unable to meet a
 * requirement (`ConstraintError`).
 */
export type CeremonyOutcome = keyof typeof OUTCOMES;

/**
 * Checks the name of an outcome.
 *
 * @throws TypeError for a name that is not an outcome.
 */
export function checkOutcome(name: string): CeremonyOutcome {
  const known = knownValue(name, listNames(OUTCOMES));
  if (known !== undefined) return known;
  throw new TypeError(`Expected the outcome to be one of ${listNames(OUTCOMES).join(', ')}; got ${JSON.stringify(name)}.`);
}

/**
 * Makes the authenticator's error for an outcome.
 *
 * @throws TypeError for an outcome that only a `create()` can have.
 */
export function makeFailure(outcome: CeremonyOutcome, operation: 'create' | 'get'): AuthenticatorFailure {
  if (operation === 'get' && outcome in CREATION_FAILURES) {
    throw new TypeError(`Expected a create() to end with "${outcome}"; the page called get(), which has no such exception.`);
  }
  return { ok: false, ...OUTCOMES[outcome] };
}
