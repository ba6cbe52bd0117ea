import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Adapter } from 'lowdb';
import { type Contents, countRows, emptyContents, encodeDraft, measureGrowth, takeFileText } from './contents.js';
import { FileDamage } from './file-damage.js';
import { acquireFileLock, type FileLock, type FileLockOptions, removeGuards } from './file-lock.js';
import { FileSizeLimit, kindOfChange } from './file-size.js';
import { makeStoreFolder, refuseBrokenLink, resolveTarget, storeFailure, systemErrorCode } from './file-system.js';
import { fileSystemType, networkWarning, requireLocks } from './file-system-check.js';
import { LogFile, NotFlushed, UnreleasedFormat } from './log-file.js';
import { joinChange } from './log-lines.js';
import { putInPlace, removeTemporaries, removeTemporary, replaceFile, writeTemporary } from './replace-file.js';
import { createDraft, type State } from './state.js';
import { readFailure, unreleasedFormat } from './store-failures.js';

export interface StoreFileOptions {
  readonly lock?: FileLockOptions;
  /** Maximum size of all rows together, in bytes. Default: as many as this process has memory for. */
  readonly maxBytes?: number;
  /** Called when the size of the rows approaches `maxBytes`, when the file is on a network file system, and when it cannot be rewritten. */
  readonly onWarning?: (message: string) => void;
  /** Finds the type of the file system that contains a folder, as statfs(2) gives it on Linux. Default: asks the system. */
  readonly fileSystemType?: (folder: string) => Promise<number | undefined>;
}

/** Changes a state. Returns a function that reports the result to the caller, to be called once the state is saved. */
export type Operation = (state: State) => () => void;

/** Number of superseded lines above which a file is rewritten, if they also outnumber the rows. */
const MOST_SUPERSEDED = 1_000;
/** Maximum size in bytes of a file that is rewritten when a store is closed, so that a program stops quickly. */
const QUICKLY_REWRITTEN = 1_000_000;

/** Error: another process has replaced the file meanwhile. */
class Replaced extends Error {}

/**
 * The file of a store, as an adapter for lowdb. `read` returns the rows of the file, and `write` rewrites the file without superseded
 * lines. Changes are added at the end of the file, under the lock.
 */
export class StoreFile implements Adapter<Contents> {
  readonly #path: string;
  readonly #options: StoreFileOptions;
  readonly #limit: FileSizeLimit;
  #opened: LogFile | undefined;
  /**
   * True while this process writes under the lock. The file may then have lines that are not acknowledged, so reads use the state in
   * memory.
   */
  #writing = false;
  /** True after a failed flush. Data that the system dropped may be missing from the file, so the whole file must be rewritten. */
  #unsure = false;
  #checked = false;
  #swept = false;

  constructor(path: string, options: StoreFileOptions) {
    this.#path = path;
    this.#options = options;
    const { maxBytes, onWarning } = options;
    this.#limit = new FileSizeLimit(path, { ...(maxBytes !== undefined && { bytes: maxBytes }), ...(onWarning && { onWarning }) });
  }

  /** Returns the rows of the file at the time of the call, which the caller must not change. Reads only the lines that are new. */
  async read(): Promise<Contents> {
    return this.#current().contents;
  }

  /** Number of superseded lines, if there are so many that the file should be rewritten; otherwise 0. */
  get overdue(): number {
    const superseded = this.#opened?.superseded ?? 0;
    return this.#opened !== undefined && superseded > Math.max(MOST_SUPERSEDED, countRows(this.#opened.contents.state)) ? superseded : 0;
  }

  /** True if the file has changes since the last rewrite, and is short enough to be rewritten without delay. */
  get isQuicklyRewritten(): boolean {
    return this.#opened !== undefined && this.#opened.added > 0 && this.#opened.offset < QUICKLY_REWRITTEN;
  }

  /** Runs `work` while other processes are locked out. */
  async exclusively<T>(work: (lock: FileLock) => Promise<T>): Promise<T> {
    await this.checkFileSystem();
    const target = await resolveTarget(this.#path).catch((cause: unknown) => {
      throw storeFailure('write', this.#path, cause);
    });
    const lock = await acquireFileLock(`${target}.lock`, this.#options.lock);
    try {
      if (lock.broken || !this.#swept) {
        await removeGuards(`${target}.lock`).catch(() => {});
        for (const file of [target, `${target}.lock`]) await removeTemporaries(file).catch(() => {});
      }
      this.#swept = true;
      return await work(lock);
    } finally {
      await lock.release();
    }
  }

  /** Applies operations one after the other, and saves their changes. Resolves to functions that report the results to the callers. */
  async commit(lock: FileLock, operations: readonly Operation[]): Promise<(() => void)[]> {
    const opened = this.#current();
    const { contents } = opened;
    const draft = createDraft(contents.state);
    const { revision } = contents.state;
    const settles = operations.map((operation) => operation(draft.state));
    if (draft.state.revision === revision) return settles;
    const lines = encodeDraft(draft);
    const size = contents.bytes + measureGrowth(contents, draft);
    this.#limit.requireWritable(size, kindOfChange(draft));
    if (lines.length > 0) {
      const text = joinChange(lines);
      await this.#whileWriting(lock, async () => {
        if (this.#unsure || opened.id === undefined) await this.#rewrite(opened, lock);
        await opened.append(text, lock);
        // At once with the end of the change: a reader sees both or neither.
        opened.pass(text, lines.length);
        draft.commit();
        contents.bytes = size;
      });
    } else draft.commit();
    this.#limit.watch(size);
    return settles;
  }

  /** Rewrites the file without superseded lines, while changes continue. Does nothing if another process has already rewritten it. */
  async write(contents: Contents): Promise<void> {
    const opened = this.#opened;
    if (opened === undefined || opened.contents !== contents) return;
    try {
      await this.#rewrite(opened);
    } catch (cause) {
      if (!(cause instanceof Replaced)) throw storeFailure('write', this.#path, cause);
    }
  }

  /** Creates the file and its folder, unless another process creates them first. Returns whether it did. */
  async create(): Promise<boolean> {
    try {
      await makeStoreFolder(await resolveTarget(this.#path));
    } catch (cause) {
      throw storeFailure('write', this.#path, cause);
    }
    return this.exclusively(async (lock) => {
      const target = await resolveTarget(this.#path);
      if (statSync(target, { throwIfNoEntry: false })) return false;
      try {
        const text = [...takeFileText(emptyContents(), newId())].join('');
        this.#limit.requireWritable(0, 'adds');
        await replaceFile(target, text, { beforeRename: () => lock.assertHeld() });
        return true;
      } catch (cause) {
        throw storeFailure('write', this.#path, cause);
      }
    });
  }

  /**
   * Checks, only once, that the store can be written and that a lock works, and whether other hosts may use the file system.
   *
   * @throws PasskeyError `store_unavailable` if the store cannot be written, or if the lock can be held twice at the same time.
   */
  async checkFileSystem(): Promise<void> {
    if (this.#checked) return;
    this.#checked = true;
    const { fileSystemType: typeOf = fileSystemType, onWarning } = this.#options;
    try {
      const target = await resolveTarget(this.#path);
      const warning = networkWarning(this.#path, await typeOf(dirname(target)));
      if (warning !== undefined) onWarning?.(warning);
      await requireLocks(`${target}.lock`);
      if (existsSync(target)) accessSync(target, constants.W_OK);
    } catch (cause) {
      this.#checked = false;
      throw storeFailure('write', this.#path, cause);
    }
  }

  close(): void {
    this.#drop();
  }

  #current(): LogFile {
    const opened = this.#opened;
    if (opened !== undefined && (this.#writing || this.#hasCaughtUp(opened))) return opened;
    this.#drop();
    try {
      this.#opened = LogFile.open(this.#path, this.#limit);
    } catch (cause) {
      if (systemErrorCode(cause) === 'ENOENT') refuseOthers(this.#path);
      throw readFailure(this.#path, cause);
    }
    this.#limit.watch(this.#opened.contents.bytes);
    return this.#opened;
  }

  #hasCaughtUp(opened: LogFile): boolean {
    try {
      return opened.catchUp();
    } catch (cause) {
      // The damage may be that of a line which another process has taken back meanwhile: that shows when all is read anew.
      if (cause instanceof FileDamage) return false;
      throw readFailure(this.#path, cause);
    }
  }

  /**
   * Writes the rows into a new file, adds the changes that are made meanwhile, and replaces the old file.
   *
   * @param lock the lock, if the caller already holds it.
   * @throws Replaced if another process has replaced the file meanwhile; otherwise the error of the system.
   */
  async #rewrite(opened: LogFile, lock?: FileLock): Promise<void> {
    const { id, offset, added } = opened;
    const temporary = await writeTemporary(await resolveTarget(this.#path), takeFileText(opened.contents, newId()));
    const putNow = async (held: FileLock): Promise<void> => {
      if (this.#opened !== opened || opened.id !== id) throw new Replaced();
      await appendTo(temporary.path, opened.textFrom(offset));
      held.assertHeld();
      await putInPlace(temporary, await resolveTarget(this.#path));
      opened.follow(opened.added - added);
      this.#unsure = false;
    };
    try {
      if (lock) await putNow(lock);
      else {
        await this.exclusively((taken) => {
          this.#current();
          return this.#whileWriting(taken, () => putNow(taken));
        });
      }
    } finally {
      await removeTemporary(temporary);
    }
  }

  /** Runs `work` while this process writes under the lock. @throws PasskeyError instead of an error of the system. */
  async #whileWriting<T>(lock: FileLock, work: () => Promise<T>): Promise<T> {
    this.#writing = true;
    try {
      return await work();
    } catch (cause) {
      if (cause instanceof NotFlushed) this.#unsure = true;
      // The file may have lines of this change, and others behind them.
      if (!lock.isHeld()) this.#drop();
      throw storeFailure('write', this.#path, cause instanceof NotFlushed ? cause.cause : cause);
    } finally {
      this.#writing = false;
    }
  }

  #drop(): void {
    this.#opened?.close();
    this.#opened = undefined;
  }
}

/**
 * Refuses to treat a store as absent if its link is broken, or if its rows are in the default store of a build from before the first
 * release.
 *
 * @throws PasskeyError `store_unavailable` in these cases.
 */
function refuseOthers(path: string): void {
  refuseBrokenLink(path);
  const earlier = join(dirname(path), 'passkeys.json');
  if (basename(path) !== 'passkeys.jsonl' || !existsSync(earlier)) return;
  try {
    LogFile.open(earlier, new FileSizeLimit(earlier, {})).close();
  } catch (error) {
    if (error instanceof UnreleasedFormat) throw unreleasedFormat(earlier);
  }
}

async function appendTo(path: string, text: string): Promise<void> {
  if (text === '') return;
  const file = await open(path, 'a');
  try {
    await file.writeFile(text);
    await file.datasync();
  } finally {
    await file.close();
  }
}

function newId(): string {
  return randomBytes(16).toString('hex');
}
