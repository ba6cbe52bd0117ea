import { setTimeout as sleep } from 'node:timers/promises';
import { systemErrorCode } from './store-failure.js';

const TRIES = 50;
const PAUSE = 20;

/** Windows refuses to rename or remove a file that a reader, an indexer or a virus scanner holds open; they do so for a moment. */
export function isBusy(error: unknown): boolean {
  return process.platform === 'win32' && ['EPERM', 'EACCES', 'EBUSY'].includes(systemErrorCode(error) ?? '');
}

/** Tries again, for about a second, while the file is busy. */
export async function whileBusy(operation: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await operation();
    } catch (error) {
      if (!isBusy(error) || tries === TRIES) throw error;
      await sleep(PAUSE);
    }
  }
}
