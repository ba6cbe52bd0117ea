import { setImmediate } from 'node:timers/promises';

/** More wait only where nothing can be written for long; memory is not the place to keep them. */
const MOST_WAITING = 10_000;

/** Entries on their way: those that come while others are being written are written together. */
export class BatchQueue<Entry> {
  readonly #write: (entries: readonly Entry[]) => Promise<void>;
  readonly #what: string;
  readonly #onFailure: (reason: string) => void;
  #waiting: Entry[] = [];
  #writing: Promise<void> | undefined;
  #warned = false;

  /** `onFailure` is told once why entries of `what` are lost. */
  constructor(write: (entries: readonly Entry[]) => Promise<void>, what: string, onFailure: (reason: string) => void) {
    this.#write = write;
    this.#what = what;
    this.#onFailure = onFailure;
  }

  append(entry: Entry): void {
    if (this.#waiting.length >= MOST_WAITING) {
      this.#warn(`${MOST_WAITING} entries are waiting already.`);
      return;
    }
    this.#waiting.push(entry);
    this.#writing ??= this.#run();
  }

  async settled(): Promise<void> {
    await this.#writing;
  }

  async #run(): Promise<void> {
    // Those of one turn of the event loop go together.
    await setImmediate();
    while (this.#waiting.length > 0) {
      const entries = this.#waiting;
      this.#waiting = [];
      try {
        await this.#write(entries);
      } catch (error) {
        this.#warn(error instanceof Error ? error.message : String(error));
      }
    }
    this.#writing = undefined;
  }

  #warn(reason: string): void {
    if (this.#warned) return;
    this.#warned = true;
    this.#onFailure(`Some entries of ${this.#what} are lost; nothing else is affected. ${reason}`);
  }
}
