import { resolve } from 'node:path';
import { Low } from 'lowdb';
import { PasskeyError } from '../errors.js';
import { CeremonyMemory } from './ceremony-memory.js';
import { emptyContents } from './file-codec.js';
import { StoreFull } from './file-size.js';
import type { State } from './state.js';
import { createStateStore, type Store } from './store.js';
import { StoreFileAdapter, type StoreFileOptions } from './store-file.js';

export interface JsonFileStoreOptions extends StoreFileOptions {
  /** Whether to make the file, and its folder, when there is none. Default false. */
  readonly create?: boolean;
  /**
   * Ceremonies remembered at most, spent and expired ones included. Default 200,000. One with more than 512 bytes of text, as with a
   * long list of credentials in its options, counts for several.
   */
  readonly ceremonyLimit?: number;
}

/** A change that waits for its turn. `apply` runs it on a state and returns what settles the caller once the state is saved. */
interface Change {
  apply(state: State): () => void;
  fail(error: unknown): void;
}

/**
 * A store in one JSON file that any number of processes may use at once. Each change locks, reads what is on the disk, and
 * replaces the file; changes that wait in this process share one write. Reads see what other processes have written.
 *
 * @throws PasskeyError `store_absent` when there is no file and `create` is not given · `store_damaged` naming the place ·
 * `store_unavailable` when it cannot be read, created or locked, or is of a newer schema.
 */
export async function openJsonFileStore(path: string, options: JsonFileStoreOptions = {}): Promise<Store> {
  const location = resolve(path);
  const file = new StoreFileAdapter(location, options);
  const open = (): Promise<unknown> => file.current();
  await open().catch(async (error: unknown) => {
    if (!(error instanceof PasskeyError && error.code === 'store_absent' && options.create === true)) throw error;
    await file.create();
    await open();
  });
  const queue = new ChangeQueue(file);
  let closed = false;
  const refuseIfClosed = (): void => {
    if (closed) throw new PasskeyError('store_unavailable', `The store ${location} has been closed. Open it again.`);
  };
  return createStateStore(
    {
      location,
      async read(operation) {
        refuseIfClosed();
        return operation((await file.current()).state);
      },
      async change(operation) {
        refuseIfClosed();
        return queue.add(operation);
      },
      async check() {
        refuseIfClosed();
        await file.current();
      },
      async close() {
        closed = true;
        await queue.idle();
        await file.close();
      },
    },
    new CeremonyMemory(options.ceremonyLimit),
  );
}

/** Changes of this process, in order. All that arrive during one write go into the next. */
class ChangeQueue {
  readonly #file: StoreFileAdapter;
  readonly #db: Low<ReturnType<typeof emptyContents>>;
  readonly #waiting: Change[] = [];
  #running: Promise<void> | undefined;

  constructor(file: StoreFileAdapter) {
    this.#file = file;
    this.#db = new Low(file, emptyContents());
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
      await this.#save(this.#waiting.splice(0));
    }
    this.#running = undefined;
  }

  async #save(batch: readonly Change[]): Promise<void> {
    try {
      for (const settle of await this.#file.exclusively(() => this.#apply(batch))) settle();
    } catch (error) {
      if (error instanceof StoreFull && batch.length > 1) {
        // Those that there is room for do not fail with those that there is none for.
        const half = batch.length >> 1;
        await this.#save(batch.slice(0, half));
        await this.#save(batch.slice(half));
      } else {
        for (const change of batch) change.fail(error);
      }
    }
  }

  async #apply(batch: readonly Change[]): Promise<(() => void)[]> {
    await this.#db.read();
    const { state } = this.#db.data;
    const { revision } = state;
    const settles = batch.map((change) => change.apply(state));
    if (state.revision !== revision) await this.#db.write();
    return settles;
  }
}
