import { setImmediate } from 'node:timers/promises';
import type { AuditEntry } from './entry.js';

/** More wait only where nothing can be written for long; memory is not the place to keep them. */
const MOST_WAITING = 10_000;

/** Entries on their way: those that come while others are being written are written together. */
export class AuditQueue {
  readonly #write: (entries: readonly AuditEntry[]) => Promise<void>;
  readonly #onFailure: (reason: string) => void;
  #waiting: AuditEntry[] = [];
  #writing: Promise<void> | undefined;
  #warned = false;

  /** `onFailure` is told once why entries are lost. */
  constructor(write: (entries: readonly AuditEntry[]) => Promise<void>, onFailure: (reason: string) => void) {
    this.#write = write;
    this.#onFailure = onFailure;
  }

  append(entry: AuditEntry): void {
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
    this.#onFailure(`Some entries of the audit log are lost; nothing else is affected. ${reason}`);
  }
}
