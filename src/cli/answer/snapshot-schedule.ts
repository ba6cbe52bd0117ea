import { upTime } from '../../store/process-identity.js';

/** Milliseconds without a change after which the file is updated from its journal. */
const QUIET = 300;
/**
 * Minimum length in bytes of a long journal. The file is updated at once, without waiting for a quiet time, if the journal is longer than
 * both this and the file.
 */
const LONG_JOURNAL = 8 * 1024 * 1024;
/** Milliseconds between a failed update of the file and the next try. */
const RETRY = 30_000;

/** How far the file is behind its journal. */
export interface Progress {
  readonly journalBytes: number;
  readonly fileBytes: number;
}

/** Decides when a file is updated from its journal: soon after the changes stop, and at the end. */
export class SnapshotSchedule {
  readonly #write: () => Promise<void>;
  #due = false;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #retryAt = 0;

  /** @param write updates the file. If it fails, the changes stay in the journal, and it is called again later. */
  constructor(write: () => Promise<void>) {
    this.#write = write;
  }

  /** Call this after every change. */
  changed({ journalBytes, fileBytes }: Progress): void {
    if (journalBytes === 0) return;
    this.#due = true;
    if (this.#running || upTime() < this.#retryAt) return;
    if (journalBytes > Math.max(LONG_JOURNAL, fileBytes)) void this.#begin();
    else this.#wait(QUIET);
  }

  /** Updates the file a last time. Resolves when the file is up to date, or when the update has failed. */
  async finish(): Promise<void> {
    await this.#running;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#due) await this.#begin();
    clearTimeout(this.#timer);
  }

  #wait(milliseconds: number): void {
    if (this.#timer) {
      this.#timer.refresh();
      return;
    }
    // A process that ends earlier leaves the changes in the journal.
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#begin();
    }, milliseconds).unref();
  }

  #begin(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#due) this.#wait(Math.max(QUIET, this.#retryAt - upTime()));
    });
    return this.#running;
  }

  async #run(): Promise<void> {
    this.#due = false;
    try {
      await this.#write();
    } catch {
      this.#due = true;
      this.#retryAt = upTime() + RETRY;
    }
  }
}
