import { isSignCount, MAX_SIGN_COUNT } from '../webauthn/limits.js';

/** Settings of an authenticator's signature counters (§6.1.1). */
export interface SignCounting {
  /**
   * `zero`: no counting (synced passkeys). `global`: one counter for all credentials. `per-credential`: one counter each. `as-before`:
   * counts only credentials with a count above 0, for a store with credentials of several authenticators.
   */
  readonly kind: 'zero' | 'global' | 'per-credential' | 'as-before';
  /** Sign count of a new credential, or the start of the global counter. Default 0. */
  readonly start?: number;
  /**
   * Increment per operation. Default 1. With 0 the counter is constant; below 0 it falls, like that of a restored or cloned authenticator.
   */
  readonly step?: number;
  /** Value at which the counter stops increasing, like that of a worn-out device. Default: the end of the range. */
  readonly freezeAt?: number;
}

/** Signature counters of one authenticator. Values are unsigned 32-bit integers and stop at either end. */
export interface SignCounter {
  /** Returns the sign count of a new credential. */
  created(): number;
  /** Returns the sign count of an assertion by a credential with the stored count `stored`. */
  asserted(stored: number): number;
}

/**
 * Creates the counters of an authenticator.
 *
 * @throws TypeError when `start` or `freezeAt` is not an unsigned 32-bit integer, or `step` is not one with either sign.
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
