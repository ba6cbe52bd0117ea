import { upTime } from '../../store/process-identity.js';

const DEFAULT_QUIET = 300;
/** A journal this long, or as long as the file, does not wait for that. */
const LONG_JOURNAL = 8 * 1024 * 1024;
/** Milliseconds between a failure and the next try. */
const RETRY = 30_000;

/** The position of the journal. */
export interface Progress {
  /** Changes that are not in the file yet. */
  readonly pending: number;
  readonly journalBytes: number;
  readonly fileBytes: number;
}

interface SnapshotScheduleOptions {
  /** Milliseconds without a change after which the file is brought up to date. Default 300. */
  readonly quiet?: number | undefined;
  readonly write: () => Promise<void>;
  readonly onFailure: (reason: string) => void;
}

/** When the file of a store is brought up to date with its journal: within a second of quiet, and at the end. */
export class SnapshotSchedule {
  readonly #quiet: number;
  readonly #write: () => Promise<void>;
  readonly #onFailure: (reason: string) => void;
  #due = false;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #retryAt = 0;
  #failed = false;

  constructor({ quiet = DEFAULT_QUIET, write, onFailure }: SnapshotScheduleOptions) {
    this.#quiet = quiet;
    this.#write = write;
    this.#onFailure = onFailure;
  }

  /** After every change. */
  changed({ pending, journalBytes, fileBytes }: Progress): void {
    if (pending === 0) return;
    this.#due = true;
    if (this.#running || upTime() < this.#retryAt) return;
    if (journalBytes > Math.max(LONG_JOURNAL, fileBytes)) void this.#begin();
    else this.#wait(this.#quiet);
  }

  /** Resolves when the file is up to date, or cannot be brought there. */
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
      if (this.#due) this.#wait(this.#failed ? RETRY : this.#quiet);
    });
    return this.#running;
  }

  async #run(): Promise<void> {
    this.#due = false;
    try {
      await this.#write();
      this.#failed = false;
      this.#retryAt = 0;
    } catch (error) {
      this.#due = true;
      this.#retryAt = upTime() + RETRY;
      if (!this.#failed) this.#onFailure(error instanceof Error ? error.message : String(error));
      this.#failed = true;
    }
  }
}
