import { setImmediate } from 'node:timers/promises';
import type { LoadClock } from '../../../src/simulate/load/schedule.js';

/** Goes on by `step` milliseconds whenever it is read, and by what is slept: how long a run lasts depends on what it does alone. */
export function countingClock(step = 1): LoadClock {
  let now = 0;
  return {
    now: () => {
      now += step;
      return now;
    },
    async sleep(milliseconds) {
      now += milliseconds;
      await setImmediate();
    },
  };
}

export interface VirtualClock extends LoadClock {
  /** Resolves when the clock has gone on so far. */
  wait(milliseconds: number): Promise<void>;
  /** Lets time pass, from one moment at which something happens to the next, until the work is done. */
  run<T>(work: Promise<T>): Promise<T>;
}

/** Stands still until everything waits. */
export function virtualClock(): VirtualClock {
  let now = 0;
  let waiting: { readonly at: number; wake(): void }[] = [];
  const wait = (milliseconds: number) =>
    new Promise<void>((resolve) => {
      waiting.push({ at: now + milliseconds, wake: resolve });
    });
  return {
    now: () => now,
    wait,
    sleep: wait,
    async run(work) {
      let done = false;
      const ended = work.finally(() => {
        done = true;
      });
      while (!done) {
        await setImmediate();
        const next = Math.min(...waiting.map(({ at }) => at));
        if (next === Number.POSITIVE_INFINITY) continue;
        now = next;
        const due = waiting.filter(({ at }) => at === next);
        waiting = waiting.filter(({ at }) => at !== next);
        for (const { wake } of due) wake();
      }
      return ended;
    },
  };
}
