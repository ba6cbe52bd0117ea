const USER_OUTCOMES = [
  'present',
  'verified',
  'denied',
  'cancelled',
  'timeout',
  'pin-invalid',
  'pin-blocked',
  'uv-invalid',
  'uv-blocked',
] as const;
/**
 * The user's response to a prompt: touched the authenticator, verified, refused, closed the dialog, or did nothing in time; entered a wrong PIN or
 * showed the wrong finger, once or until the authenticator stopped asking.
 */
export type UserOutcome = (typeof USER_OUTCOMES)[number];

export interface UserPrompt {
  readonly operation: 'create' | 'get';
  readonly rpId: string;
  /** Whether the client asks for user verification; otherwise a touch is enough. */
  readonly userVerification: boolean;
  /** Aborted when the client gives up. */
  readonly signal?: AbortSignal;
}

/** The user in front of the authenticator (test of user presence and user verification, §6.2.3). */
export interface UserVerifier {
  /** Whether user verification is possible at all: a PIN is set, a finger enrolled. */
  readonly canVerify: boolean;
  /** Whether it would be possible if the user set a PIN. A browser offers to; this one does not. Default false. */
  readonly pinNotSet?: boolean;
  verify(prompt: UserPrompt): UserOutcome | Promise<UserOutcome>;
}

/** A user who does what is asked: verifies when asked to, touches otherwise. `pinNotSet` makes `canVerify` false. */
export function cooperativeUser(options: { readonly canVerify?: boolean; readonly pinNotSet?: boolean } = {}): UserVerifier {
  const pinNotSet = options.pinNotSet ?? false;
  const canVerify = options.canVerify ?? !pinNotSet;
  return { canVerify, pinNotSet, verify: ({ userVerification }) => (userVerification && canVerify ? 'verified' : 'present') };
}

/**
 * A user who follows a script: one outcome per prompt, then the last one for every further prompt. While the next outcome is
 * `present`, the authenticator says that it cannot verify its user, so that a ceremony with preferred verification goes on without.
 *
 * @throws TypeError for an empty script.
 */
export function scriptedUser(...outcomes: readonly UserOutcome[]): UserVerifier {
  if (outcomes.length === 0) {
    throw new TypeError(`Expected at least one outcome (${USER_OUTCOMES.join(', ')}); got none.`);
  }
  let prompts = 0;
  const next = (): UserOutcome => outcomes[Math.min(prompts, outcomes.length - 1)] ?? 'timeout';
  return {
    get canVerify() {
      return next() !== 'present';
    },
    verify() {
      const outcome = next();
      prompts += 1;
      return outcome;
    },
  };
}
