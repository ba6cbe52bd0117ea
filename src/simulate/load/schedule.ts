import { setImmediate, setTimeout } from 'node:timers/promises';

/** Source of the time. */
export interface LoadClock {
  /** Milliseconds, with fractions, of a clock that never goes back. */
  now(): number;
  /** Lets other work go on for some milliseconds; returns at once when the signal is aborted. */
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

/** Begins ceremony `index`, which was due at `due`, and resolves when it has ended. Never rejects. */
export type Start = (index: number, due: number) => Promise<void>;

interface Schedule {
  readonly clock: LoadClock;
  /** Milliseconds during which ceremonies begin. */
  readonly duration: number;
  /** Aborting it stops further ceremonies from beginning. */
  readonly signal: AbortSignal;
  readonly start: Start;
}

/**
 * Closed loop: keeps `concurrency` ceremonies under way; one begins when another ends. A slow target gets fewer of them.
 */
export async function keepConcurrent({ clock, duration, signal, start }: Schedule, concurrency: number): Promise<void> {
  const end = clock.now() + duration;
  let next = 0;
  async function work(): Promise<void> {
    for (let now = clock.now(); now < end && !signal.aborted; now = clock.now()) await start(next++, now);
  }
  await Promise.all(Array.from({ length: concurrency }, work));
}

/** A ceremony that is due in time may begin so long after the end, so that a late timer costs none. */
const GRACE_MS = 1000;

/**
 * Open loop: one ceremony is due every `1000 / perSecond` milliseconds, whether others have ended or not, so that a target which stalls is
 * not spared. At most `most` are under way; others wait, and are still due when they were.
 *
 * @returns how many were due and could not begin in time.
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

/** Works on all items, a certain number at once. Rejects with the first error, and then begins no more. */
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
