import { type BigIntStats, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Adapter } from 'lowdb';
import { PasskeyError } from '../errors.js';
import { clause } from '../webauthn/wording.js';
import { type Contents, decodeFile, emptyContents, encodeFile, NewerVersion } from './file-codec.js';
import { acquireFileLock, type FileLock, type FileLockOptions } from './file-lock.js';
import { FileDamage } from './file-rows.js';
import { FILE_VERSION } from './file-schema.js';
import { type ChangeKind, FileSizeLimit } from './file-size.js';
import { makeStoreFolder, resolveTarget, storeFailure, systemErrorCode } from './file-system.js';
import { removeTemporaries, replaceFile } from './replace-file.js';
import { forkState, type State } from './state.js';

/** What was last read or written. */
interface Snapshot {
  readonly contents: Contents;
  readonly stats: BigIntStats;
  /** The file, kept open so that no other file gets its inode number: `stats` then shows reliably whether it was replaced. */
  readonly file: FileHandle | undefined;
}

export interface StoreFileOptions {
  readonly lock?: FileLockOptions;
  /** Bytes that the file may have. Default: as many as this process has memory for. */
  readonly maxBytes?: number;
  /** Called when the file comes near that. */
  readonly onWarning?: (message: string) => void;
}

interface Held {
  readonly lock: FileLock;
  readonly target: string;
}

/** The file behind a store, as an adapter for lowdb: a `read` gives a copy to change, a `write` inside `exclusively` replaces the file. */
export class StoreFileAdapter implements Adapter<Contents> {
  readonly #path: string;
  readonly #lockOptions: FileLockOptions;
  readonly #limit: FileSizeLimit;
  #snapshot: Snapshot | undefined;
  #loading: Promise<Contents> | undefined;
  #held: Held | undefined;
  #swept = false;

  constructor(path: string, { lock = {}, maxBytes, onWarning }: StoreFileOptions) {
    this.#path = path;
    this.#lockOptions = lock;
    this.#limit = new FileSizeLimit(path, { ...(maxBytes !== undefined && { bytes: maxBytes }), ...(onWarning && { onWarning }) });
  }

  /** What is on the disk at the time of the call; do not change it. Reads the file only if it has changed. */
  async current(): Promise<Contents> {
    const known = this.#ifUnchanged();
    if (known) return known;
    // A load that began earlier may have missed a change that this caller must see.
    await this.#loading?.catch(() => {});
    const loaded = this.#ifUnchanged();
    if (loaded) return loaded;
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async read(): Promise<Contents> {
    const { state, extra } = await this.current();
    return { state: forkState(state), extra };
  }

  async write(contents: Contents): Promise<void> {
    if (!this.#held) throw new Error('The store file is written under its lock only.');
    const { lock, target } = this.#held;
    try {
      const { pieces, bytes } = encodeFile(contents);
      this.#limit.requireWritable(bytes, kindOfChange(contents.state, this.#snapshot?.contents.state));
      const file = await replaceFile(target, pieces.join(''), () => lock.assertHeld());
      await this.#keep({ contents, file, stats: file ? await file.stat({ bigint: true }) : statSync(target, { bigint: true }) });
    } catch (cause) {
      throw storeFailure('write', this.#path, cause);
    }
  }

  /** Runs `work` while no other process changes the file. */
  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    const target = await resolveTarget(this.#path).catch((cause: unknown) => {
      throw storeFailure('write', this.#path, cause);
    });
    const lock = await acquireFileLock(`${target}.lock`, this.#lockOptions);
    this.#held = { lock, target };
    try {
      if (lock.broken || !this.#swept) await removeTemporaries(target).catch(() => {});
      this.#swept = true;
      return await work();
    } finally {
      this.#held = undefined;
      await lock.release();
    }
  }

  /** Makes the file, and its folder, unless another process is faster. */
  async create(): Promise<void> {
    try {
      await makeStoreFolder(await resolveTarget(this.#path));
    } catch (cause) {
      throw storeFailure('write', this.#path, cause);
    }
    await this.exclusively(async () => {
      if (!this.#stat()) await this.write(emptyContents());
    });
  }

  async close(): Promise<void> {
    await this.#loading?.catch(() => {});
    const file = this.#snapshot?.file;
    this.#snapshot = undefined;
    await file?.close();
  }

  /** Undefined when there is no such file. Synchronous: it takes microseconds, and nothing can happen between it and its use. */
  #stat(): BigIntStats | undefined {
    try {
      return statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    } catch (cause) {
      throw storeFailure('read', this.#path, cause);
    }
  }

  /** Reading a FIFO or a device might never end, and writing would replace it by a file. */
  #refuseOtherThanFile(): void {
    const stats = this.#stat();
    if (stats === undefined || stats.isFile()) return;
    throw new PasskeyError(
      'store_unavailable',
      `Expected the store ${this.#path} to be a file; it is a ${kindOf(stats)}. Name a file with --store.`,
    );
  }

  #ifUnchanged(): Contents | undefined {
    const then = this.#snapshot?.stats;
    const now = then && this.#stat();
    const same =
      now &&
      now.ino === then.ino &&
      now.dev === then.dev &&
      now.size === then.size &&
      now.mtimeNs === then.mtimeNs &&
      now.ctimeNs === then.ctimeNs;
    return same ? this.#snapshot?.contents : undefined;
  }

  async #load(): Promise<Contents> {
    let file: FileHandle | undefined;
    this.#refuseOtherThanFile();
    try {
      file = await open(this.#path, 'r');
      const stats = await file.stat({ bigint: true });
      this.#limit.requireReadable(Number(stats.size));
      const contents = decodeFile(await file.readFile());
      if (process.platform === 'win32') await file.close();
      await this.#keep({ contents, stats, file: process.platform === 'win32' ? undefined : file });
      return contents;
    } catch (cause) {
      await file?.close().catch(() => {});
      throw this.#readFailure(cause);
    }
  }

  async #keep(snapshot: Snapshot): Promise<void> {
    const previous = this.#snapshot?.file;
    this.#snapshot = snapshot;
    this.#limit.watch(Number(snapshot.stats.size));
    await previous?.close();
  }

  #readFailure(cause: unknown): unknown {
    const path = this.#path;
    if (cause instanceof FileDamage) {
      const place = cause.place.startsWith('/') ? ` at ${cause.place}` : cause.place && `:${cause.place}`;
      return new PasskeyError(
        'store_damaged',
        `The store ${path}${place} is damaged: ${clause(cause.message)}. Nothing was changed. Correct it, restore a copy, or move it away to start with an empty one.`,
        { cause },
      );
    }
    if (cause instanceof NewerVersion) {
      return new PasskeyError(
        'store_unavailable',
        `Expected schema version ${FILE_VERSION} in the store ${path}; got ${cause.version}. A newer passkey wrote it: use that version, or name another store with --store.`,
      );
    }
    if (systemErrorCode(cause) === 'ENOENT') return storeAbsent(path);
    return storeFailure('read', path, cause);
  }
}

function kindOfChange(now: State, before: State = emptyContents().state): ChangeKind {
  if (now.passkeys.size > before.passkeys.size || now.owners.size > before.owners.size) return 'adds';
  return now.owners.size < before.owners.size || live(now) < live(before) ? 'ends' : 'keeps';
}

/** How many passkeys, sessions and tokens are not revoked. */
function live({ passkeys, accesses }: State): number {
  let count = 0;
  for (const rows of [passkeys, accesses]) {
    for (const { revokedAt } of rows.values()) if (revokedAt === undefined) count += 1;
  }
  return count;
}

function kindOf(stats: BigIntStats): string {
  if (stats.isDirectory()) return 'folder';
  if (stats.isFIFO()) return 'FIFO (a named pipe)';
  return stats.isSocket() ? 'socket' : 'device';
}

export function storeAbsent(path: string): PasskeyError {
  return new PasskeyError(
    'store_absent',
    `There is no store at ${path}. Create one with "passkey serve" or "passkey user add", or name another with --store or PASSKEY_STORE.`,
  );
}
