import { upTime } from '../../store/process-identity.js';

const DEFAULT_QUIET = 300;
/**
 * Minimum length in bytes of a long journal. The file is updated at once, without waiting for a quiet time, if the journal is longer than
 * both this and the file.
 */
const LONG_JOURNAL = 8 * 1024 * 1024;
/** Milliseconds between a failed update of the file and the next try. */
const RETRY = 30_000;

/** How far the file is behind its journal. */
export interface Progress {
  /** Number of changes that are in the journal but not in the file yet. */
  readonly pending: number;
  readonly journalBytes: number;
  readonly fileBytes: number;
}

interface SnapshotScheduleOptions {
  /** Milliseconds without a change after which the file is updated from the journal. Default: 300. */
  readonly quiet?: number | undefined;
  readonly write: () => Promise<void>;
  readonly onFailure: (reason: string) => void;
}

/** Decides when a store's file is updated from its journal: soon after the changes stop, and at the end. */
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

  /** Call this after every change of the store. */
  changed({ pending, journalBytes, fileBytes }: Progress): void {
    if (pending === 0) return;
    this.#due = true;
    if (this.#running || upTime() < this.#retryAt) return;
    if (journalBytes > Math.max(LONG_JOURNAL, fileBytes)) void this.#begin();
    else this.#wait(this.#quiet);
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
