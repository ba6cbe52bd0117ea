import { setImmediate, setTimeout } from 'node:timers/promises';

/** A clock that measures time and waits. */
export interface LoadClock {
  /** Returns the time in fractional milliseconds. It never goes backwards. */
  now(): number;
  /** Waits for some milliseconds while other work goes on. Resolves at once when the signal is aborted. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: LoadClock = {
  now: () => performance.now(),
  async sleep(milliseconds, signal) {
    if (milliseconds < 1) await setImmediate();
    else await setTimeout(milliseconds, undefined, { signal }).catch(ignoreAbort);
  },
};

function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
}

/** Performs ceremony number `index`, which was due at the time `due`, and resolves when it has ended. Never rejects. */
export type Start = (index: number, due: number) => Promise<void>;

interface Schedule {
  readonly clock: LoadClock;
  /** Milliseconds during which ceremonies begin. */
  readonly duration: number;
  /** Stops further ceremonies from beginning when it is aborted. */
  readonly signal: AbortSignal;
  readonly start: Start;
}

/**
 * Runs a closed loop: begins a new ceremony whenever another ends, so that `concurrency` ceremonies always run. A slow target therefore
 * receives fewer ceremonies.
 */
export async function keepConcurrent({ clock, duration, signal, start }: Schedule, concurrency: number): Promise<void> {
  const end = clock.now() + duration;
  let next = 0;
  async function work(): Promise<void> {
    for (let now = clock.now(); now < end && !signal.aborted; now = clock.now()) await start(next++, now);
  }
  await Promise.all(Array.from({ length: concurrency }, work));
}

/**
 * Milliseconds after the end of the load in which a ceremony may still begin, so that a late timer does not lose a ceremony that was due
 * before the end.
 */
const GRACE_MS = 1000;

/**
 * Runs an open loop: a ceremony is due every `1000 / perSecond` milliseconds, even if earlier ones have not ended, so a target that stalls
 * gets no relief. At most `most` ceremonies run at a time. Further ceremonies wait, and this wait counts as part of their time.
 *
 * @returns the number of ceremonies that were due but could not begin in time
 */
export async function keepRate({ clock, duration, signal, start }: Schedule, perSecond: number, most: number): Promise<number> {
  const began = clock.now();
  const total = Math.ceil((duration * perSecond) / 1000);
  const underWay = new Set<Promise<void>>();
  let free = (): void => {};
  let index = 0;
  for (; index < total; index += 1) {
    // A product, not a sum: steps of 1000 / 3 ms would drift.
    const due = began + (index * 1000) / perSecond;
    // At least once, also when it is late: answers must be read meanwhile.
    do await clock.sleep(Math.max(0, due - clock.now()), signal);
    while (clock.now() < due && !signal.aborted);
    if (underWay.size >= most) {
      await new Promise<void>((resolve) => {
        free = resolve;
      });
    }
    if (signal.aborted || clock.now() >= began + duration + GRACE_MS) break;
    const ceremony = start(index, due).finally(() => {
      underWay.delete(ceremony);
      free();
    });
    underWay.add(ceremony);
  }
  await Promise.all(underWay);
  return signal.aborted ? 0 : total - index;
}

/** Calls `work` for all items, `atOnce` at a time. After the first error it begins no more items, and rejects with that error. */
export async function forEachAtOnce<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  let failed = false;
  async function take(): Promise<void> {
    while (next < items.length && !failed) {
      const [item] = items.slice(next, ++next);
      if (item === undefined) continue;
      await work(item).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: atOnce }, take));
  const rejected = ended.find((each) => each.status === 'rejected');
  if (rejected !== undefined) throw rejected.reason;
}
