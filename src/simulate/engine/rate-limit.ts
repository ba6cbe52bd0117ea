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

/**
 * Repeats a request that was answered 429 with `Retry-After`, after the pause that the server asks for. Other requests wait meanwhile, and those
 * that were limited as well are repeated one after another.
 */
export function retryRateLimited(target: HttpTarget, { onPause, signal }: RetryOptions): HttpTarget {
  /** Requests that are being repeated, or wait for it. */
  let limited = 0;
  let turn: Promise<unknown> = Promise.resolve();

  async function send(request: HttpRequest): Promise<HttpAnswer> {
    await turn;
    const answer = await target.send(request);
    if (retryAfter(answer) === undefined) return answer;
    // After the pause of another request this one need not wait for its own.
    const isFirst = limited === 0;
    limited += 1;
    const repeated = turn.then(() => repeat(request, isFirst ? answer : undefined));
    turn = repeated
      .catch(() => undefined)
      .finally(() => {
        limited -= 1;
      });
    return repeated;
  }

  async function repeat(request: HttpRequest, first: HttpAnswer | undefined): Promise<HttpAnswer> {
    let answer = first ?? (await target.send(request));
    for (let attempt = 1; attempt < ATTEMPTS; attempt += 1) {
      const seconds = retryAfter(answer);
      if (seconds === undefined) return answer;
      onPause?.(seconds * 1000);
      await pause(seconds * 1000, undefined, { signal }).catch((cause: unknown) => {
        throw interrupted(cause);
      });
      answer = await target.send(request);
    }
    return answer;
  }

  return { ...target, send };
}

function retryAfter({ status, headers }: HttpAnswer): number | undefined {
  const seconds = Number(headers['retry-after']);
  return status === 429 && Number.isInteger(seconds) && seconds >= 0 && seconds <= MAX_PAUSE_SECONDS ? seconds : undefined;
}
