import type { FileLock } from './file-lock.js';
import { StoreFull } from './file-size.js';
import { upTime } from './lock-ticket.js';
import type { State } from './state.js';
import type { Operation, StoreFile } from './store-file.js';

/** A change that waits for its turn. */
interface Change {
  readonly apply: Operation;
  fail(error: unknown): void;
}

/** Milliseconds for which the lock is kept while changes go on coming: then it is the turn of other processes. */
const LONGEST_HOLD = 20;

/** Changes of this process, in order. All that arrive during one write share the next. */
export class ChangeQueue {
  readonly #file: StoreFile;
  readonly #onSaved: () => void;
  #waiting: Change[] = [];
  #running: Promise<void> | undefined;

  constructor(file: StoreFile, onSaved: () => void) {
    this.#file = file;
    this.#onSaved = onSaved;
  }

  add<T>(operation: (state: State) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({
        apply(state) {
          try {
            const result = operation(state);
            return () => resolve(result);
          } catch (error) {
            return () => reject(error);
          }
        },
        fail: reject,
      });
      this.#running ??= this.#run();
    });
  }

  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      try {
        await this.#file.exclusively((lock) => this.#saveWaiting(lock));
      } catch (error) {
        // The lock could not be had; what has been saved has left the queue.
        for (const change of this.#take()) change.fail(error);
      }
    }
    this.#running = undefined;
  }

  async #saveWaiting(lock: FileLock): Promise<void> {
    const started = upTime();
    do await this.#save(lock, this.#take());
    while (this.#waiting.length > 0 && upTime() - started < LONGEST_HOLD);
  }

  async #save(lock: FileLock, batch: readonly Change[]): Promise<void> {
    try {
      const settles = await this.#file.commit(
        lock,
        batch.map(({ apply }) => apply),
      );
      for (const settle of settles) settle();
      this.#onSaved();
    } catch (error) {
      if (error instanceof StoreFull && batch.length > 1) {
        // Those that there is room for do not fail with those that there is none for.
        const half = batch.length >> 1;
        await this.#save(lock, batch.slice(0, half));
        await this.#save(lock, batch.slice(half));
      } else {
        for (const change of batch) change.fail(error);
      }
    }
  }

  #take(): readonly Change[] {
    const batch = this.#waiting;
    this.#waiting = [];
    return batch;
  }
}
