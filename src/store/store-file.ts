import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Adapter } from 'lowdb';
import { PasskeyError } from '../errors.js';
import { encodeFile } from './file-codec.js';
import { FileDamage } from './file-damage.js';
import { acquireFileLock, type FileLock, type FileLockOptions, removeGuards } from './file-lock.js';
import { type Contents, emptyContents, measureGrowth } from './file-rows.js';
import { FileSizeLimit, kindOfChange } from './file-size.js';
import { makeStoreFolder, resolveTarget, storeFailure } from './file-system.js';
import { fileSystemType, networkWarning, requireLocks } from './file-system-check.js';
import { Journal, journalPath, NotFlushed } from './journal-file.js';
import { draftLine, JOURNAL_VERSION, type JournalHeader, journalLine } from './journal-text.js';
import { catchUp, fileMark, type OpenedStore, readStore } from './opened-store.js';
import { putInPlace, removeTemporaries, removeTemporary, replaceFile, type Temporary, writeTemporary } from './replace-file.js';
import type { Progress } from './snapshot-schedule.js';
import { createDraft, type State } from './state.js';
import { readFailure } from './store-failures.js';

export interface StoreFileOptions {
  readonly lock?: FileLockOptions;
  /** Bytes that the file may have. Default: as many as this process has memory for. */
  readonly maxBytes?: number;
  /** Called when the file comes near that, when it is on a network file system, and when it could not be brought up to date. */
  readonly onWarning?: (message: string) => void;
  /** The type of a folder's file system, as statfs(2) names it on Linux. Default: asks the system. */
  readonly fileSystemType?: (folder: string) => Promise<number | undefined>;
}

/** A change of a state. Returns what settles its caller once the state is saved. */
export type Operation = (state: State) => () => void;

/**
 * The file of a store and its journal. As an adapter for lowdb, which keeps the file: a `read` gives what both hold, a `write` brings the
 * file up to date and shortens the journal. Changes go into the journal, under the lock.
 */
export class StoreFile implements Adapter<Contents> {
  readonly #path: string;
  readonly #options: StoreFileOptions;
  readonly #limit: FileSizeLimit;
  #opened: OpenedStore | undefined;
  #loading: Promise<OpenedStore> | undefined;
  /** True while this process writes under the lock: the file may be half written, so the state in memory counts. */
  #writing = false;
  #checked = false;
  #swept = false;

  constructor(path: string, options: StoreFileOptions) {
    this.#path = path;
    this.#options = options;
    const { maxBytes, onWarning } = options;
    this.#limit = new FileSizeLimit(path, { ...(maxBytes !== undefined && { bytes: maxBytes }), ...(onWarning && { onWarning }) });
  }

  /** Contents of the disk at the time of the call; do not change them. Reads only new data. */
  async read(): Promise<Contents> {
    return (await this.#current()).contents;
  }

  get progress(): Progress {
    const { contents, inFile = 0, journal, bytes = 0 } = this.#opened ?? {};
    return { pending: (contents?.sequence ?? 0) - inFile, journalBytes: journal?.offset ?? 0, fileBytes: bytes };
  }

  /** Runs `work` with other processes locked out. */
  async exclusively<T>(work: (lock: FileLock) => Promise<T>): Promise<T> {
    await this.checkFileSystem();
    const target = await resolveTarget(this.#path).catch((cause: unknown) => {
      throw storeFailure('write', this.#path, cause);
    });
    const lock = await acquireFileLock(`${target}.lock`, this.#options.lock);
    try {
      if (lock.broken || !this.#swept) {
        await removeGuards(`${target}.lock`).catch(() => {});
        for (const file of [target, journalPath(target)]) await removeTemporaries(file).catch(() => {});
      }
      this.#swept = true;
      return await work(lock);
    } finally {
      await lock.release();
    }
  }

  /** Applies operations, one after the other, and saves their changes. Resolves to functions that settle the callers. */
  async commit(lock: FileLock, operations: readonly Operation[]): Promise<(() => void)[]> {
    const opened = await this.#current();
    const { contents } = opened;
    const draft = createDraft(contents.state);
    const { revision } = contents.state;
    const settles = operations.map((operation) => operation(draft.state));
    if (draft.state.revision === revision) return settles;
    const line = draftLine(draft, contents.sequence + 1, contents.extra);
    const size = opened.bytes + measureGrowth(contents, draft);
    this.#limit.requireWritable(size, kindOfChange(draft));
    await this.#whileWriting(async () => {
      const journal = await prepareForChanges(opened, lock);
      lock.assertHeld();
      await journal.append(line);
      // In one go with the end of the line: a reader sees both or neither.
      journal.passLine(line);
      draft.commit();
      contents.sequence += 1;
      opened.bytes = size;
    });
    this.#limit.watch(size);
    return settles;
  }

  /** Brings the file up to date with the journal, while changes go on, and shortens the journal. */
  async write(contents: Contents): Promise<void> {
    const opened = this.#opened;
    if (opened?.toDo === 'branch') {
      await this.exclusively(async (lock) => {
        // Before the writing begins, which looks at nothing: other processes may have added changes since.
        const now = await this.#current();
        if (now.toDo === 'branch') await this.#whileWriting(() => prepareForChanges(now, lock));
      });
    }
    if (opened === undefined || opened.contents !== contents || opened.toDo !== undefined || opened.inFile === contents.sequence) return;
    const { target, journal } = opened;
    const { sequence } = contents;
    const from = journal?.offset ?? 0;
    const temporary = await writeTemporary(target, encodeFile(contents)).catch((cause: unknown) => {
      throw storeFailure('write', this.#path, cause);
    });
    let inPlace = false;
    try {
      await this.exclusively(async (lock) => {
        const now = await this.#current();
        // Another process was faster, or the file was edited.
        if (now !== opened || now.target !== target || now.journal !== journal || journal === undefined || now.inFile >= sequence) return;
        inPlace = true;
        await this.#whileWriting(() => putSnapshot(now, { temporary, sequence, from, journal }, lock));
      });
    } finally {
      if (!inPlace) await removeTemporary(temporary);
    }
  }

  /** Makes the file, and its folder, unless another process is faster; returns whether it did. */
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
        this.#refuseOrphan(target);
        const text = [...encodeFile(emptyContents(newId()))].join('');
        this.#limit.requireWritable(text.length, 'adds');
        await replaceFile(target, text, { beforeRename: () => lock.assertHeld() });
        return true;
      } catch (cause) {
        throw cause instanceof FileDamage ? readFailure(this.#path, cause) : storeFailure('write', this.#path, cause);
      }
    });
  }

  /**
   * Finds out whether the store can be written, whether a lock holds, and whether other hosts may be there; once.
   *
   * @throws PasskeyError `store_unavailable` when it cannot be written, or two can hold the lock at once.
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
      if (existsSync(journalPath(target))) accessSync(journalPath(target), constants.W_OK);
    } catch (cause) {
      this.#checked = false;
      throw readFailure(this.#path, storeFailure('write', this.#path, cause));
    }
  }

  async close(): Promise<void> {
    await this.#loading?.catch(() => {});
    this.#drop();
  }

  async #current(): Promise<OpenedStore> {
    const known = this.#caughtUp();
    if (known) return known;
    // A load that began earlier may have missed a change that this caller must see.
    await this.#loading?.catch(() => {});
    const loaded = this.#caughtUp();
    if (loaded) return loaded;
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  #caughtUp(): OpenedStore | undefined {
    const opened = this.#opened;
    if (opened === undefined || this.#writing) return opened;
    try {
      if (catchUp(opened)) return opened;
    } catch (cause) {
      // Damage may be that of a line which another process has taken back meanwhile: that shows when all is read anew.
      if (!(cause instanceof FileDamage)) throw readFailure(this.#path, cause);
    }
    this.#drop();
    return undefined;
  }

  async #load(): Promise<OpenedStore> {
    try {
      const opened = await readStore(this.#path, this.#limit);
      this.#drop();
      this.#opened = opened;
      this.#limit.watch(opened.bytes);
      return opened;
    } catch (cause) {
      throw readFailure(this.#path, cause);
    }
  }

  async #whileWriting<T>(work: () => Promise<T>): Promise<T> {
    this.#writing = true;
    try {
      return await work();
    } catch (cause) {
      if (cause instanceof NotFlushed && this.#opened) this.#opened.toDo = 'branch';
      throw storeFailure('write', this.#path, cause instanceof NotFlushed ? cause.cause : cause);
    } finally {
      this.#writing = false;
    }
  }

  #drop(): void {
    this.#opened?.journal?.close();
    this.#opened = undefined;
  }

  /** Refuses to treat a store as absent if its journal remains: after a crash, the file was moved away without it. */
  #refuseOrphan(target: string): void {
    const path = journalPath(target);
    const journal = Journal.open(path);
    if (journal === undefined) return;
    const entries = journal.readOn();
    journal.close();
    if (entries.length === 0) return;
    throw new PasskeyError(
      'store_damaged',
      `There is no store at ${this.#path}, but its journal ${path} holds changes. Put the file back that belongs to it, or move the journal away to start with an empty store.`,
    );
  }
}

// What is done to the file and the journal besides adding lines. Only under the lock, by a process that has read all there is.

/**
 * Does what has to be done before a change can be added.
 *
 * @returns the journal that takes it.
 * @throws the error of the system.
 */
async function prepareForChanges(opened: OpenedStore, lock: FileLock): Promise<Journal> {
  const { journal, toDo } = opened;
  if (journal !== undefined && toDo === undefined) return journal;
  const { store } = opened.contents;
  const kept = toDo === 'branch' ? journal : undefined;
  const header = { journal: JOURNAL_VERSION, store, branch: newId(), after: opened.inFile };
  const made = await replaceJournal(opened, { header, rest: kept?.bytes(kept.start, kept.offset) }, lock);
  opened.toDo = undefined;
  return made;
}

interface SnapshotToPut {
  readonly temporary: Temporary;
  /** Number of the last change that is in it. */
  readonly sequence: number;
  /** The start of the lines of the journal that are not in the file. */
  readonly from: number;
  readonly journal: Journal;
}

/**
 * Puts a new file in the place of the store's, and begins a new journal with the changes that are not in it. First a line in the old
 * journal says how the new file looks, so that other processes need not read it. A crash in between does no harm: changes of the
 * journal that the file has already are passed over.
 */
async function putSnapshot(opened: OpenedStore, { temporary, sequence, from, journal }: SnapshotToPut, lock: FileLock): Promise<void> {
  const { target, contents } = opened;
  const snapshot = fileMark(temporary.stats);
  const rest = journal.bytes(from, journal.offset);
  const note = journalLine({ snapshot });
  await journal.append(note, { flushed: false });
  journal.passLine(note);
  lock.assertHeld();
  await putInPlace(temporary, target);
  opened.mark = snapshot;
  opened.inFile = sequence;
  if (contents.sequence === sequence) opened.bytes = snapshot.size;
  const header = { ...journal.header, after: sequence, snapshot };
  await replaceJournal(opened, { header, rest }, lock);
}

async function replaceJournal(
  opened: OpenedStore,
  { header, rest = Buffer.alloc(0) }: { readonly header: JournalHeader; readonly rest?: Buffer | undefined },
  lock: FileLock,
): Promise<Journal> {
  const path = journalPath(opened.target);
  // Lines are ASCII or UTF-8, and end where they are cut here.
  await replaceFile(path, journalLine(header) + rest.toString('utf8'), { beforeRename: () => lock.assertHeld(), ownerOf: opened.target });
  const made = Journal.open(path);
  if (made === undefined) throw Object.assign(new Error(`${path} is gone`), { code: 'ENOENT' });
  made.readOn();
  opened.journal?.close();
  opened.journal = made;
  opened.superseded = undefined;
  return made;
}

function newId(): string {
  return randomBytes(16).toString('hex');
}
