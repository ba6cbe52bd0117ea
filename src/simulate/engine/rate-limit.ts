import { setTimeout as pause } from 'node:timers/promises';
import { type HttpAnswer, type HttpRequest, type HttpTarget, interrupted } from './http.js';

/** Longer pauses than this are not worth waiting for. */
const MAX_PAUSE_SECONDS = 120;
const ATTEMPTS = 3;

export interface RetryOptions {
  /** Called before each pause, in milliseconds. */
  readonly onPause?: ((milliseconds: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Repeats a request that was answered 429 with `Retry-After`, after the pause that the server asks for. */
export function retryRateLimited(target: HttpTarget, { onPause, signal }: RetryOptions): HttpTarget {
  async function send(request: HttpRequest): Promise<HttpAnswer> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await target.send(request);
      const seconds = retryAfter(answer);
      if (seconds === undefined || attempt === ATTEMPTS) return answer;
      onPause?.(seconds * 1000);
      await pause(seconds * 1000, undefined, { signal }).catch((cause: unknown) => {
        throw interrupted(cause);
      });
    }
  }
  return { ...target, send };
}

function retryAfter({ status, headers }: HttpAnswer): number | undefined {
  const seconds = Number(headers['retry-after']);
  return status === 429 && Number.isInteger(seconds) && seconds >= 0 && seconds <= MAX_PAUSE_SECONDS ? seconds : undefined;
}
