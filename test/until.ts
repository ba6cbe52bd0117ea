import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves once it holds, however long that takes: only the time of the test ends the wait. */
export async function until(holds: () => unknown): Promise<void> {
  while (!(await holds())) await sleep(5);
}
