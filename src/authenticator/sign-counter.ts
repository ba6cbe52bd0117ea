import { type Expectation, firstWrong, oneOf, optional } from './input/expect.js';

/** How an authenticator counts signatures (§6.1.1). */
export interface SignCounting {
  /** `zero`: not at all (synced passkeys). `global`: one counter for all credentials. `per-credential`: one each. */
  readonly kind: 'zero' | 'global' | 'per-credential';
  /** Value that a new credential starts at, or that the global counter stands at. Default 0. */
  readonly start?: number;
  /** What one operation adds. Default 1. */
  readonly step?: number;
}

/** The counting of one authenticator. Values are unsigned 32-bit integers and stay at the greatest. */
export interface SignCounter {
  /** The sign count of a new credential. */
  created(): number;
  /** The sign count of an assertion whose credential stands at `stored`. */
  asserted(stored: number): number;
}

const MAX = 0xffffffff;
const UINT32: Expectation = {
  expected: `an integer from 0 to ${MAX}`,
  holds: (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX,
};
const MEMBERS: Readonly<Record<keyof SignCounting, Expectation>> = {
  kind: oneOf('zero', 'global', 'per-credential'),
  start: optional(UINT32),
  step: optional(UINT32),
};

/** @throws TypeError when `kind` is unknown or a value is no unsigned 32-bit integer. */
export function createSignCounter(counting: SignCounting): SignCounter {
  const wrong = firstWrong(counting, '* of the sign counter', MEMBERS);
  if (wrong !== undefined) throw new TypeError(wrong);
  const { kind, start = 0, step = 1 } = counting;
  const grown = (value: number) => Math.min(value + step, MAX);
  let global = start;
  switch (kind) {
    case 'zero':
      return { created: () => 0, asserted: () => 0 };
    case 'per-credential':
      return { created: () => start, asserted: grown };
    case 'global': {
      // An imported credential may have seen a greater value: the counter never falls behind it.
      const next = (stored: number) => {
        global = grown(Math.max(global, stored));
        return global;
      };
      return { created: () => next(0), asserted: next };
    }
  }
}
