import { resolve } from 'node:path';
import { Low } from 'lowdb';
import { PasskeyError } from '../errors.js';
import { createFileAudit } from './audit/file-log.js';
import { CeremonyMemory } from './ceremony-memory.js';
import { type Contents, emptyContents } from './contents.js';
import type { FileLock } from './file-lock.js';
import { StoreFull } from './file-size.js';
import type { MemoryStoreOptions } from './memory.js';
import { upTime } from './process-identity.js';
import type { State } from './state.js';
import { createStateStore, type Store } from './store.js';
import { type Operation, StoreFile, type StoreFileOptions } from './store-file.js';

/** A change that is waiting to be written. */
interface Change {
  readonly apply: Operation;
  fail(error: unknown): void;
}

/** Maximum number of milliseconds to keep the lock while more changes arrive. Afterwards, other processes have their turn. */
const LONGEST_HOLD = 20;

/** Changes of this process, in order. All changes that arrive during one write share the next write. */
class ChangeQueue {
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

/**
 * Rewriting of a store's file when most of its lines are superseded. There is only one rewrite at a time, and changes continue meanwhile.
 */
class Rewriting {
  readonly #db: Low<Contents>;
  readonly #file: StoreFile;
  readonly #onFailure: (reason: string) => void;
  #running: Promise<void> | undefined;
  /** Number of superseded lines at the time when the last rewrite failed. */
  #failedAt = 0;

  constructor(db: Low<Contents>, file: StoreFile, onFailure: (reason: string) => void) {
    this.#db = db;
    this.#file = file;
    this.#onFailure = onFailure;
  }

  /** Starts a rewrite if it is due. Call this after every change. */
  changed(): void {
    // A full disk is tried again when the file has doubled its superseded lines.
    if (this.#running === undefined && this.#file.overdue > 2 * this.#failedAt) this.#running = this.#run();
  }

  /** Resolves when the file is in the state in which a stopped program should leave it. */
  async finish(): Promise<void> {
    await this.#running;
    if (this.#file.isQuicklyRewritten) await this.#run();
  }

  async #run(): Promise<void> {
    const superseded = this.#file.overdue;
    try {
      await this.#db.read();
      await this.#db.write();
      this.#failedAt = 0;
    } catch (error) {
      if (this.#failedAt === 0) this.#onFailure(error instanceof Error ? error.message : String(error));
      this.#failedAt = superseded;
    } finally {
      this.#running = undefined;
    }
  }
}

export interface JsonFileStoreOptions extends StoreFileOptions, MemoryStoreOptions {
  /** If true, an absent file and its folder are created; default: false. */
  readonly create?: boolean;
  /** Called with the path of a file that was created because it was absent. */
  readonly onCreated?: ((location: string) => void) | undefined;
}

/**
 * Opens a store in one file of JSON Lines. Any number of processes may use it at once. A change is added at the end of the file under a
 * lock. Changes that wait in this process share one write and one flush. Reads include the changes of other processes. The file is
 * rewritten without superseded lines when most lines are superseded, and when the store is closed after a change.
 *
 * @throws PasskeyError `store_absent` if there is no file and `create` is not given; `store_damaged` naming the damaged line;
 * `store_unavailable` if the file cannot be read, created or locked, or has another format.
 */
export async function openJsonFileStore(path: string, options: JsonFileStoreOptions = {}): Promise<Store> {
  const location = resolve(path);
  const file = new StoreFile(location, options);
  const db = new Low(file, emptyContents());
  await db.read().catch(async (error: unknown) => {
    if (!(error instanceof PasskeyError && error.code === 'store_absent' && options.create === true)) throw error;
    const created = await file.create();
    await db.read();
    if (created) options.onCreated?.(location);
  });
  if (options.create === true) await file.checkFileSystem();
  const rewriting = new Rewriting(db, file, (reason) =>
    options.onWarning?.(`the store ${location} could not be rewritten without superseded lines, so it takes more room. ${reason}`),
  );
  let changed = false;
  const queue = new ChangeQueue(file, () => {
    changed = true;
    rewriting.changed();
  });
  let closed: Promise<void> | undefined;
  const refuseIfClosed = (): void => {
    if (closed) throw new PasskeyError('store_unavailable', `The store ${location} has been closed. Open it again.`);
  };
  const audit = createFileAudit(location, options.onWarning && { onFailure: options.onWarning });
  const close = async (): Promise<void> => {
    await audit.settled();
    await queue.idle();
    if (changed) await rewriting.finish();
    file.close();
  };
  return createStateStore(
    {
      location,
      audit,
      async read(operation) {
        refuseIfClosed();
        return operation((await file.read()).state);
      },
      async change(operation) {
        refuseIfClosed();
        return queue.add(operation);
      },
      async check() {
        refuseIfClosed();
        await file.read();
      },
      close() {
        closed ??= close();
        return closed;
      },
    },
    new CeremonyMemory(options.ceremonyLimit),
  );
}
