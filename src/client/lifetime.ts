import type { RequirementLevel } from '../webauthn/enumerations.js';
import { domException } from './members.js';

/** Resolves after `milliseconds`, or rejects when `signal` aborts. Pass `setTimeout` of `node:timers/promises`, or your own clock. */
export type Timer = (milliseconds: number, signal: AbortSignal) => Promise<unknown>;

/** Shortest, longest and default lifetime of a ceremony in milliseconds, as recommended in §5.1.3 step 4 and §5.1.4 step 4. */
const RANGE = { least: 30_000, most: 600_000, usual: 300_000 } as const;
const DISCOURAGED_RANGE = { least: 30_000, most: 180_000, usual: 120_000 } as const;

/**
 * Computes the lifetime of a ceremony in milliseconds: `timeout` limited to the recommended range, or the default if there is no `timeout`.
 */
export function lifetime(timeout: number | undefined, userVerification: RequirementLevel): number {
  const { least, most, usual } = userVerification === 'discouraged' ? DISCOURAGED_RANGE : RANGE;
  return timeout === undefined ? usual : Math.min(Math.max(timeout, least), most);
}

interface Limits {
  readonly signal: AbortSignal | undefined;
  readonly timer: Timer | undefined;
  /** Lifetime of the ceremony in milliseconds; infinite for conditional mediation. */
  readonly lifetime: number;
}

/** Abort reason for the signal of a finished ceremony. A constant avoids creating a DOMException with a stack each time. */
const OVER = 'The ceremony is over.';

/**
 * Runs an authenticator operation until it ends, the caller aborts, or the lifetime is over, and then aborts the signal that the operation
 * received (authenticatorCancel). Passes no signal if nothing can end the ceremony early.
 *
 * @throws the caller's abort reason, or DOMException `NotAllowedError` when the lifetime is over.
 */
export async function withinLimits<T>(
  { signal, timer, lifetime }: Limits,
  run: (cancel: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  if (signal === undefined && timer === undefined) return await run(undefined);
  const done = new AbortController();
  const stopped = new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true, signal: done.signal });
    if (timer === undefined || lifetime === Number.POSITIVE_INFINITY) return;
    const expired = () => reject(domException('NotAllowedError', `The authenticator did not answer within ${lifetime} ms.`));
    // It rejects when aborted below, or when the timer fails, which ends the ceremony.
    timer(lifetime, done.signal).then(expired, reject);
  });
  try {
    return await Promise.race([run(done.signal), stopped]);
  } finally {
    done.abort(OVER);
  }
}
