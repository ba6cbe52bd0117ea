import { isSignCount, MAX_SIGN_COUNT } from '../webauthn/limits.js';

/** How an authenticator counts signatures (§6.1.1). */
export interface SignCounting {
  /** `zero`: not at all (synced passkeys). `global`: one counter for all credentials. `per-credential`: one each. */
  readonly kind: 'zero' | 'global' | 'per-credential';
  /** Value that a new credential starts at, or that the global counter stands at. Default 0. */
  readonly start?: number;
  /** What one operation adds. Default 1. */
  readonly step?: number;
}

/** The counting of one authenticator. Values are unsigned 32-bit integers and stop at the greatest. */
export interface SignCounter {
  /** The sign count of a new credential. */
  created(): number;
  /** The sign count of an assertion whose credential stands at `stored`. */
  asserted(stored: number): number;
}

/** @throws TypeError when `start` or `step` is not an unsigned 32-bit integer. */
export function createSignCounter({ kind, start = 0, step = 1 }: SignCounting): SignCounter {
  for (const [name, value] of Object.entries({ start, step })) {
    if (!isSignCount(value)) throw new TypeError(`Expected ${name} of the sign counter to be 0 to ${MAX_SIGN_COUNT}; got ${value}.`);
  }
  const grown = (value: number) => Math.min(value + step, MAX_SIGN_COUNT);
  let global = start;
  switch (kind) {
    case 'zero':
      return { created: () => 0, asserted: () => 0 };
    case 'per-credential':
      return { created: () => start, asserted: grown };
    case 'global': {
      // An imported credential may have a greater count: the counter never falls behind it.
      const next = (stored: number) => {
        global = grown(Math.max(global, stored));
        return global;
      };
      return { created: () => next(0), asserted: next };
    }
  }
}
