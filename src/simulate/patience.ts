import { setTimeout } from 'node:timers/promises';
import { PasskeyError } from '../errors.js';
import type { HttpAnswer, HttpRequest, HttpTarget } from './http.js';

/** Resolves after some milliseconds, or rejects when the signal aborts. */
export type Pause = (milliseconds: number, signal: AbortSignal | undefined) => Promise<unknown>;

export const realPause: Pause = (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal });

/** A server that asks for more has another trouble than too many requests. */
const LONGEST_SECONDS = 120;
const ATTEMPTS = 3;

export interface Patience {
  readonly pause: Pause;
  /** Told before each pause, in milliseconds. */
  readonly onPause?: ((milliseconds: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The target as a client sees it that waits when it is told to: after a 429 with `Retry-After` it sends the request again. */
export function patient(target: HttpTarget, { pause, onPause, signal }: Patience): HttpTarget {
  async function send(request: HttpRequest): Promise<HttpAnswer> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await target.send(request);
      const seconds = retryAfter(answer);
      if (seconds === undefined || attempt === ATTEMPTS) return answer;
      onPause?.(seconds * 1000);
      await pause(seconds * 1000, signal).catch((cause: unknown) => {
        throw signal?.aborted ? new PasskeyError('interrupted', 'The run was interrupted.', { cause }) : cause;
      });
    }
  }
  return { ...target, send };
}

function retryAfter({ status, headers }: HttpAnswer): number | undefined {
  const seconds = Number(headers['retry-after']);
  return status === 429 && Number.isInteger(seconds) && seconds >= 0 && seconds <= LONGEST_SECONDS ? seconds : undefined;
}
