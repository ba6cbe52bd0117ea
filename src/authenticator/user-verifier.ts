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
 * The user's response to a prompt. The user touched the authenticator, was verified, refused, closed the dialog, or did nothing in time. Or
 * the user entered a wrong PIN or used the wrong finger, either once or until the authenticator was blocked.
 */
export type UserOutcome = (typeof USER_OUTCOMES)[number];

export interface UserPrompt {
  readonly operation: 'create' | 'get';
  readonly rpId: string;
  /** True if the client requests user verification; otherwise a touch is enough. */
  readonly userVerification: boolean;
  /** Signal that is aborted when the client gives up. */
  readonly signal?: AbortSignal;
}

/** The user who responds to the authenticator's prompts (test of user presence and user verification, §6.2.3). */
export interface UserVerifier {
  /** True if user verification is possible, because a PIN is set or a finger is enrolled. */
  readonly canVerify: boolean;
  /**
   * True if verification would be possible after the user set a PIN; default: false. A browser offers to set a PIN; this client does not.
   */
  readonly pinNotSet?: boolean;
  verify(prompt: UserPrompt): UserOutcome | Promise<UserOutcome>;
}

/**
 * Creates a user who does what the prompt requests: passes verification if required, otherwise only touches. `pinNotSet` makes `canVerify`
 * false.
 */
export function cooperativeUser(options: { readonly canVerify?: boolean; readonly pinNotSet?: boolean } = {}): UserVerifier {
  const pinNotSet = options.pinNotSet ?? false;
  const canVerify = options.canVerify ?? !pinNotSet;
  return { canVerify, pinNotSet, verify: ({ userVerification }) => (userVerification && canVerify ? 'verified' : 'present') };
}

/**
 * Creates a user who follows a script: one outcome per prompt, and the last outcome for every further prompt. While the next outcome is
 * `present`, the authenticator reports that it cannot verify its user. A ceremony with preferred verification then continues without it.
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
