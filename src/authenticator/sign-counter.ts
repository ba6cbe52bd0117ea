import { isSignCount, MAX_SIGN_COUNT } from '../webauthn/limits.js';

/** Settings of an authenticator's signature counters (§6.1.1). */
export interface SignCounting {
  /**
   * Way of counting. `zero`: no counting (synced passkeys). `global`: one counter for all credentials. `per-credential`: one counter for
   * each. `as-before`: counts only for credentials with a count above 0, for a store with credentials of several authenticators.
   */
  readonly kind: 'zero' | 'global' | 'per-credential' | 'as-before';
  /** Sign count of a new credential, or the start of the global counter; default: 0. */
  readonly start?: number;
  /**
   * Increment per operation; default: 1. With 0, the counter is constant. With a negative number, it falls, like that of a restored or
   * cloned authenticator.
   */
  readonly step?: number;
  /** Value at which the counter stops increasing, like that of a worn-out device; default: the highest possible value. */
  readonly freezeAt?: number;
}

/** Signature counters of one authenticator. Values are unsigned 32-bit integers, and counting stops at either end of their range. */
export interface SignCounter {
  /** Returns the sign count of a new credential. */
  created(): number;
  /** Returns the sign count for an assertion by a credential whose stored count is `stored`. */
  asserted(stored: number): number;
}

/**
 * Creates the signature counters of an authenticator.
 *
 * @throws TypeError if `start` or `freezeAt` is not an unsigned 32-bit integer, or the absolute value of `step` is not.
 */
export function createSignCounter({ kind, start = 0, step = 1, freezeAt }: SignCounting): SignCounter {
  for (const [name, value] of Object.entries({ start, freezeAt: freezeAt ?? 0 })) {
    if (!isSignCount(value)) throw new TypeError(`Expected ${name} of the sign counter to be 0 to ${MAX_SIGN_COUNT}; got ${value}.`);
  }
  if (!isSignCount(Math.abs(step))) {
    throw new TypeError(`Expected step of the sign counter to be -${MAX_SIGN_COUNT} to ${MAX_SIGN_COUNT}; got ${step}.`);
  }
  const end = freezeAt ?? (step < 0 ? 0 : MAX_SIGN_COUNT);
  // One that is past the end already does not move.
  const moved = (value: number) => (step < 0 ? Math.max(value + step, Math.min(value, end)) : Math.min(value + step, Math.max(value, end)));
  let global = start;
  switch (kind) {
    case 'zero':
      return { created: () => 0, asserted: () => 0 };
    case 'per-credential':
      return { created: () => start, asserted: moved };
    case 'as-before':
      return { created: () => start, asserted: (stored) => (stored === 0 ? 0 : moved(stored)) };
    case 'global': {
      // An imported credential may have a greater count: a counter that rises never falls behind it.
      const next = (stored: number) => {
        global = moved(step < 0 ? global : Math.max(global, stored));
        return global;
      };
      return { created: () => next(0), asserted: next };
    }
  }
}
