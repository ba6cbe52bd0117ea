/** More wait only where nothing can be written for long; memory is not the place to keep them. */
const MOST_WAITING = 10_000;

/** Entries on their way: those that come while others are being written are written together. */
export class BatchQueue<Entry> {
  readonly #write: (entries: readonly Entry[]) => Promise<void> | void;
  readonly #what: string;
  readonly #onFailure: (reason: string) => void;
  #waiting: Entry[] = [];
  #writing: Promise<void> | undefined;
  #warned = false;

  /** `onFailure` is told once why entries of `what` are lost. A `write` that is done when it returns makes nobody wait for the next one. */
  constructor(write: (entries: readonly Entry[]) => Promise<void> | void, what: string, onFailure: (reason: string) => void) {
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
    // Those of changes that were saved together go together, and before anything that waits for those changes goes on.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const entries = this.#waiting;
      this.#waiting = [];
      try {
        const written = this.#write(entries);
        if (written !== undefined) await written;
      } catch (error) {
        this.failed(error);
      }
    }
    this.#writing = undefined;
  }

  /** For what is done on the side of writing. */
  failed(error: unknown): void {
    this.#warn(error instanceof Error ? error.message : String(error));
  }

  #warn(reason: string): void {
    if (this.#warned) return;
    this.#warned = true;
    this.#onFailure(`Some entries of ${this.#what} are lost; nothing else is affected. ${reason}`);
  }
}
