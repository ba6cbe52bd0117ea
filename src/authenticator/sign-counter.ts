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
const KINDS: readonly string[] = ['zero', 'global', 'per-credential'] satisfies readonly SignCounting['kind'][];

/** @throws TypeError when `kind` is unknown or a value is no unsigned 32-bit integer. */
export function createSignCounter({ kind, start = 0, step = 1 }: SignCounting): SignCounter {
  if (!KINDS.includes(kind)) {
    const got = JSON.stringify(kind) ?? 'nothing';
    throw new TypeError(`Expected kind of the sign counter to be one of ${KINDS.join(', ')}; got ${got}.`);
  }
  for (const [member, value] of Object.entries({ start, step })) {
    if (!Number.isInteger(value) || value < 0 || value > MAX) {
      throw new TypeError(`Expected ${member} of the sign counter to be an integer from 0 to ${MAX}; got ${value}.`);
    }
  }
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
