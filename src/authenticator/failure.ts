import { MAX_USER_HANDLE_BYTES, SHA256_BYTES } from '../webauthn/limits.js';
import type { AuthenticatorFailure, AuthenticatorStatus, MakeCredentialRequest } from './ports.js';
import type { UserOutcome, UserPrompt, UserVerifier } from './user-verifier.js';

export function failure(status: AuthenticatorStatus, message: string): AuthenticatorFailure {
  return { ok: false, status, message };
}

/**
 * Finds the failure for malformed parameters, which an authenticator refuses before it asks the user (§6.3.2 step 1); undefined if they are
 * valid.
 */
export function malformedMakeCredential({ clientDataHash, rp, user }: MakeCredentialRequest): AuthenticatorFailure | undefined {
  if (rp.id === '') return malformed('Expected an RP ID; got an empty string.');
  const { length } = user.id;
  if (length < 1 || length > MAX_USER_HANDLE_BYTES) {
    return malformed(`Expected a user handle of 1 to ${MAX_USER_HANDLE_BYTES} bytes; got ${length}.`);
  }
  return malformedHash(clientDataHash);
}

/** Finds the failure for a client data hash of the wrong length (§6.3.3 step 1); undefined if the length is right. */
export function malformedHash({ length }: Uint8Array): AuthenticatorFailure | undefined {
  return length === SHA256_BYTES ? undefined : malformed(`Expected a client data hash of ${SHA256_BYTES} bytes; got ${length}.`);
}

function malformed(message: string): AuthenticatorFailure {
  return failure('CTAP1_ERR_INVALID_PARAMETER', message);
}

/** Builds the failure of an authenticator that cannot perform the required user verification now. */
export function unverifiable({ pinNotSet }: UserVerifier): AuthenticatorFailure {
  return pinNotSet
    ? failure('CTAP2_ERR_PIN_NOT_SET', 'User verification was required; this authenticator has no PIN yet.')
    : failure('CTAP2_ERR_UNSUPPORTED_OPTION', 'User verification was required; this authenticator cannot verify its user.');
}

/** Result of the authorization gesture. Both members are false if the user was not prompted. */
export interface Gesture {
  readonly ok: true;
  readonly present: boolean;
  readonly verified: boolean;
}

/** Prompts the user for the authorization gesture that the client requires (§6.3.2 step 6, §6.3.3 step 7). */
export async function collectGesture(
  userVerifier: UserVerifier,
  { requireUserPresence, ...prompt }: UserPrompt & { readonly requireUserPresence: boolean },
): Promise<Gesture | AuthenticatorFailure> {
  if (!requireUserPresence && !prompt.userVerification) return { ok: true, present: false, verified: false };
  const outcome = await userVerifier.verify(prompt);
  if (prompt.signal?.aborted) return failure('CTAP2_ERR_KEEPALIVE_CANCEL', 'The client cancelled the operation.');
  return judge(outcome, prompt.userVerification);
}

/** Failures that the authenticator returns if the user did not do what the prompt requested, by the user's response. */
export const USER_FAILURES = {
  denied: { status: 'CTAP2_ERR_OPERATION_DENIED', message: 'The user denied the operation.' },
  cancelled: { status: 'CTAP2_ERR_KEEPALIVE_CANCEL', message: 'The user cancelled the operation.' },
  timeout: { status: 'CTAP2_ERR_USER_ACTION_TIMEOUT', message: 'The user did not act in time.' },
  'pin-invalid': { status: 'CTAP2_ERR_PIN_INVALID', message: 'The user entered a wrong PIN.' },
  'pin-blocked': { status: 'CTAP2_ERR_PIN_BLOCKED', message: 'The user entered a wrong PIN too often; the authenticator is locked.' },
  'uv-invalid': { status: 'CTAP2_ERR_UV_INVALID', message: 'The authenticator did not recognise the user.' },
  'uv-blocked': { status: 'CTAP2_ERR_UV_BLOCKED', message: 'The authenticator failed to recognise the user too often; it is locked.' },
} as const satisfies Record<Exclude<UserOutcome, 'present' | 'verified'>, Omit<AuthenticatorFailure, 'ok'>>;

function judge(outcome: UserOutcome, userVerification: boolean): Gesture | AuthenticatorFailure {
  switch (outcome) {
    case 'verified':
      return { ok: true, present: true, verified: true };
    case 'present':
      return userVerification
        ? failure('CTAP2_ERR_OPERATION_DENIED', 'User verification was required; the user was present but did not verify.')
        : { ok: true, present: true, verified: false };
    default:
      return { ok: false, ...USER_FAILURES[outcome] };
  }
}
