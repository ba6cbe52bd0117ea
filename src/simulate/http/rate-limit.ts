import { setTimeout as pause } from 'node:timers/promises';
import { type HttpAnswer, type HttpRequest, type HttpTarget, interrupted } from './http.js';

/** Maximum pause in seconds. If a server requests a longer pause, the client does not wait. */
const MAX_PAUSE_SECONDS = 120;
const ATTEMPTS = 5;

/**
 * Response headers that say how long to wait, in seconds or until a date: those of RFC 9110, of better-auth, and of the rate-limit draft.
 */
const PAUSES = ['retry-after', 'x-retry-after', 'ratelimit-reset'];

export interface RetryOptions {
  /** Called before each pause with its length in milliseconds. */
  readonly onPause?: ((milliseconds: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Wraps a target so that a request that received a 429 is sent again: after the pause that the server requests, otherwise after 1, 2, 4 and
 * 8 seconds. A request marked `once` is sent again only if the server requests a pause, because its 429 may be a refusal. Meanwhile other
 * requests wait, and rate-limited requests are repeated one by one.
 */
export function retryRateLimited(target: HttpTarget, { onPause, signal }: RetryOptions): HttpTarget {
  /** Number of rate-limited requests that are being repeated or wait to be repeated. */
  let limited = 0;
  let turn: Promise<unknown> = Promise.resolve();

  async function send(request: HttpRequest): Promise<HttpAnswer> {
    await turn;
    const answer = await target.send(request);
    if (findPause(request, answer) === undefined) return answer;
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
      const seconds = findPause(request, answer, attempt);
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

/** Finds the number of seconds to wait before the request is sent again; undefined if it must not be sent again. */
function findPause({ once }: HttpRequest, { status, headers }: HttpAnswer, attempt = 1): number | undefined {
  if (status !== 429) return undefined;
  const asked = PAUSES.flatMap((name) => headers[name] ?? [])[0] ?? '';
  // By the server's own clock.
  const until = Math.ceil((Date.parse(asked) - Date.parse(headers.date ?? '')) / 1000);
  const seconds = /^\d+$/.test(asked) ? Number(asked) : Math.max(0, until);
  if (Number.isNaN(seconds)) return once === true ? undefined : 2 ** (attempt - 1);
  return seconds <= MAX_PAUSE_SECONDS ? seconds : undefined;
}
