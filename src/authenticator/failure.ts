import { describe } from './input/expect.js';
import type { AuthenticatorFailure, AuthenticatorStatus } from './ports.js';
import { USER_OUTCOMES, type UserOutcome, type UserPrompt, type UserVerifier } from './user-verifier.js';

export function failure(status: AuthenticatorStatus, message: string): AuthenticatorFailure {
  return { ok: false, status, message };
}

/** What the authorization gesture proved; no prompt leaves both false. */
export interface Gesture {
  readonly ok: true;
  readonly present: boolean;
  readonly verified: boolean;
}

/** Collects the authorization gesture (§6.3.2 step 6, §6.3.3 step 7) that the client requires. */
export async function collectGesture(
  userVerifier: UserVerifier,
  { requireUserPresence, ...prompt }: UserPrompt & { readonly requireUserPresence: boolean },
): Promise<Gesture | AuthenticatorFailure> {
  if (!requireUserPresence && !prompt.userVerification) return { ok: true, present: false, verified: false };
  const outcome = await userVerifier.verify(prompt);
  if (prompt.signal?.aborted) return failure('CTAP2_ERR_KEEPALIVE_CANCEL', 'The client cancelled the operation.');
  return judge(outcome, prompt.userVerification);
}

function judge(outcome: UserOutcome, userVerification: boolean): Gesture | AuthenticatorFailure {
  switch (outcome) {
    case 'verified':
      return { ok: true, present: true, verified: true };
    case 'present':
      return userVerification
        ? failure('CTAP2_ERR_OPERATION_DENIED', 'User verification was required; the user was present but did not verify.')
        : { ok: true, present: true, verified: false };
    case 'denied':
      return failure('CTAP2_ERR_OPERATION_DENIED', 'The user denied the operation.');
    case 'timeout':
      return failure('CTAP2_ERR_USER_ACTION_TIMEOUT', 'The user did not act in time.');
    default:
      // A verifier written in JavaScript.
      throw new TypeError(`Expected verify() of the user verifier to answer ${USER_OUTCOMES.join(', ')}; got ${describe(outcome)}.`);
  }
}
