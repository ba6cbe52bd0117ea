import { closeSync, fdatasyncSync, ftruncateSync, readFileSync, statSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import {
  type CredentialSource,
  type CredentialSourceJSON,
  credentialSourceFromJson,
  credentialSourceToJson,
} from '../authenticator/credential-source.js';
import { type CredentialSourceStore, createCredentialSourceStore } from '../authenticator/credential-store.js';
import { exportCredentials, importCredentials } from '../authenticator/interchange/interchange.js';
import { PasskeyError } from '../errors.js';
import { clause } from '../kernel/wording.js';
import { appendLines, keepOwner, openAppendedFile } from '../store/appended-file.js';
import { acquireFileLock, removeGuards } from '../store/file-lock.js';
import {
  type FileNames,
  makeStoreFolder,
  openRegularFile,
  resolveTarget,
  storeFailure,
  systemErrorCode,
  whileBusy,
} from '../store/file-system.js';
import { removeTemporaries, replaceFile } from '../store/replace-file.js';
import { decodeBase64url, encodeBase64url } from '../webauthn/base64url.js';
import type { Progress } from './answer/snapshot-schedule.js';

// The private side of credentials on disk: the shape `json` of the interchange, kept as the store is (0600, locked, replaced whole). A
// server adds its changes to a journal beside the file, so that an answer costs the same however many credentials there are.

const NAMES: FileNames = { noun: 'credentials file', flag: '--credentials' };

/** One line of the journal. It describes a change of one credential. */
interface Change {
  readonly put?: CredentialSourceJSON;
  readonly remove?: { readonly rpId: string; readonly id: string };
}

/** The credentials in the file and its journal, in the state in which they were last read. */
interface Loaded {
  readonly store: CredentialSourceStore;
  /**
   * Inode, size and modification time of the file and of its journal when they were read. A comparison shows whether they have changed
   * since.
   */
  mark: string;
  /** Offset in bytes after the last complete line of the journal. */
  end: number;
  /** Size of the file in bytes. */
  readonly bytes: number;
}

/**
 * Reads all credentials from the file. @throws PasskeyError `store_absent`, `store_damaged` naming the damaged member, or
 * `store_unavailable`.
 */
export async function readCredentials(path: string): Promise<readonly CredentialSource[]> {
  return new CredentialsFile(path).read();
}

/**
 * Changes the credentials file in one step, while the file is locked. If `change` throws, the file stays unchanged.
 *
 * @param create whether to create the file if it does not exist; `onCreated` is then called.
 * @throws PasskeyError with the same codes as {@link readCredentials}.
 */
export async function changeCredentials<T>(
  path: string,
  { create, onCreated }: { readonly create: boolean; readonly onCreated?: ((path: string) => void) | undefined },
  change: (store: CredentialSourceStore) => Promise<T>,
): Promise<T> {
  const file = new CredentialsFile(path);
  // Before the folder is made for the lock.
  if (!create) await file.read();
  return file.change(change, { onCreated });
}

interface ChangeOptions {
  /**
   * Maximum number of credentials. If it is set, the oldest credentials are removed, and changes are appended to the journal. Otherwise
   * changes are written to the file at once.
   */
  readonly max?: number;
  /** Called if the file did not exist and was created. */
  readonly onCreated?: ((path: string) => void) | undefined;
}

/** Identifies a credential that was changed. */
export interface Touched {
  readonly rpId: string;
  readonly id: Uint8Array;
}

export class CredentialsFile {
  readonly #path: string;
  #loaded: Loaded | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  async read(): Promise<readonly CredentialSource[]> {
    const loaded = await this.#load(await resolveTarget(this.#path, NAMES).catch((cause: unknown) => this.#fail('read', cause)));
    if (loaded === undefined) throw absent(this.#path);
    return loaded.store.list();
  }

  /**
   * Runs `work` and saves the changes that it makes, while other processes are locked out. If `work` throws, the file and its journal stay
   * unchanged. Creates the file and its folder if they do not exist.
   */
  async change<T>(work: (store: CredentialSourceStore) => Promise<T>, { max, onCreated }: ChangeOptions = {}): Promise<T> {
    const target = await resolveTarget(this.#path, NAMES)
      .then(async (found) => {
        await makeStoreFolder(found);
        return found;
      })
      .catch((cause: unknown) => this.#fail('write', cause));
    const lock = await acquireFileLock(`${target}.lock`, { names: NAMES });
    try {
      if (lock.broken) {
        await removeGuards(`${target}.lock`).catch(() => {});
        await removeTemporaries(target).catch(() => {});
      }
      const loaded = await this.#load(target);
      const store = loaded?.store ?? createCredentialSourceStore();
      const touched: Touched[] = [];
      // Unless it is put back below, what is in memory is not what is on the disk.
      this.#loaded = undefined;
      const result = await work(noteChanges(store, touched)).catch((error: unknown) => {
        if (touched.length === 0) this.#loaded = loaded;
        throw error;
      });
      if (max !== undefined) await limit(store, { max, touched });
      if (loaded === undefined || max === undefined) {
        const { text } = await exportCredentials('json', await store.list());
        await replaceFile(target, `${text}\n`, { beforeRename: () => lock.assertHeld() });
        await whileBusy(() => unlink(journalPath(target))).catch(ignoreAbsent);
        this.#loaded = { store, mark: readMark(target), end: 0, bytes: text.length };
        if (loaded === undefined) onCreated?.(this.#path);
      } else {
        if (touched.length > 0) {
          const lines = await Promise.all(touched.map(async (each) => JSON.stringify(await findChange(store, each))));
          lock.assertHeld();
          loaded.end = append(target, loaded.end, lines);
          loaded.mark = readMark(target);
        }
        this.#loaded = loaded;
      }
      return result;
    } catch (cause) {
      return this.#fail('write', cause);
    } finally {
      await lock.release();
    }
  }

  get progress(): Progress {
    const journalBytes = this.#loaded?.end ?? 0;
    return { journalBytes, fileBytes: this.#loaded?.bytes ?? 0 };
  }

  /** Writes all changes that are in the journal to the file. */
  async fold(): Promise<void> {
    if (bytesAt(journalPath(await resolveTarget(this.#path, NAMES))) === undefined) return;
    await this.change(async () => undefined);
  }

  /** Reads the file and its journal, unless both are unchanged since the last time. Undefined if the file does not exist. */
  async #load(target: string): Promise<Loaded | undefined> {
    try {
      const mark = readMark(target);
      if (this.#loaded?.mark === mark) return this.#loaded;
      // The journal first: its changes are in the file before it is removed.
      const journal = bytesAt(journalPath(target)) ?? Buffer.alloc(0);
      const text = bytesAt(target);
      if (text === undefined) return undefined;
      const store = createCredentialSourceStore(await decode(this.#path, new TextDecoder('utf-8', { ignoreBOM: true }).decode(text)));
      // What a killed process left of a line was never acknowledged.
      const end = journal.lastIndexOf(0x0a) + 1;
      for (const [index, line] of journal.toString('utf8', 0, end).split('\n').slice(0, -1).entries()) {
        await replay(store, line).catch((cause: unknown) => {
          throw damaged(`${journalPath(target)}:${index + 1}`, 'expected a change of a credential', cause);
        });
      }
      this.#loaded = { store, mark, end, bytes: text.length };
      return this.#loaded;
    } catch (cause) {
      return this.#fail('read', cause);
    }
  }

  #fail(doing: 'read' | 'write', cause: unknown): never {
    throw storeFailure(doing, this.#path, cause, NAMES);
  }
}

const journalPath = (target: string): string => `${target}.journal`;

function readMark(target: string): string {
  return [target, journalPath(target)]
    .map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }))
    .map((stats) => stats && `${stats.ino} ${stats.size} ${stats.mtimeNs}`)
    .join('\n');
}

function bytesAt(path: string): Buffer | undefined {
  let fd: number;
  try {
    fd = openRegularFile(path, 'read', NAMES);
  } catch (error) {
    return ignoreAbsent(error);
  }
  try {
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

function ignoreAbsent(error: unknown): undefined {
  if (systemErrorCode(error) !== 'ENOENT') throw error;
}

/** Appends lines to the journal and flushes them to disk. @param end offset at which to append. @returns the offset after the last line. */
function append(target: string, end: number, lines: readonly string[]): number {
  const fd = openAppendedFile(journalPath(target), 'append', 'journal of the credentials');
  try {
    keepOwner(fd, target);
    ftruncateSync(fd, end);
    const size = appendLines(fd, lines);
    fdatasyncSync(fd);
    return size;
  } finally {
    closeSync(fd);
  }
}

async function findChange(store: CredentialSourceStore, { rpId, id }: Touched): Promise<Change> {
  const source = await store.find(rpId, id);
  return source ? { put: credentialSourceToJson(source) } : { remove: { rpId, id: encodeBase64url(id) } };
}

/** Applies one change from the journal. After a crash, the change may already be in the file; applying it again has no effect. */
async function replay(store: CredentialSourceStore, line: string): Promise<void> {
  const { put, remove }: Change = JSON.parse(line);
  if (put !== undefined) {
    const source = credentialSourceFromJson(put);
    if (!(await store.update(source.rpId, source.id, () => source))) await store.put(source);
  } else if (remove !== undefined) await store.remove(remove.rpId, decodeBase64url(remove.id));
  else throw new TypeError('Expected put or remove.');
}

/**
 * Removes the oldest credentials beyond `max`, but no more credentials than the server has added. It must not remove credentials that a
 * command added.
 */
export async function limit(
  store: CredentialSourceStore,
  { max, touched }: { readonly max: number; readonly touched: Touched[] },
): Promise<void> {
  if (touched.length === 0) return;
  const all = await store.list();
  for (const source of all.slice(0, Math.min(touched.length, Math.max(0, all.length - max)))) {
    await store.remove(source.rpId, source.id);
    touched.push(source);
  }
}

/** Wraps a store so that every changed credential is appended to `touched`. */
export function noteChanges(store: CredentialSourceStore, touched: Touched[]): CredentialSourceStore {
  return {
    ...store,
    put(source) {
      touched.push(source);
      return store.put(source);
    },
    update(rpId, id, change) {
      touched.push({ rpId, id });
      return store.update(rpId, id, (source) => {
        const changed = change(source);
        touched.push(changed);
        return changed;
      });
    },
    remove(rpId, id) {
      touched.push({ rpId, id });
      return store.remove(rpId, id);
    },
  };
}

async function decode(path: string, text: string): Promise<readonly CredentialSource[]> {
  try {
    return (await importCredentials('json', text)).credentials;
  } catch (cause) {
    if (!(cause instanceof PasskeyError)) throw cause;
    throw damaged(path, clause(cause.message), cause);
  }
}

function damaged(path: string, reason: string, cause: unknown): PasskeyError {
  const advice = 'Nothing was changed. Correct the file, restore a copy, or name another file with --credentials.';
  return new PasskeyError('store_damaged', `The credentials file ${path} is damaged: ${reason}. ${advice}`, { cause });
}

function absent(path: string): PasskeyError {
  return new PasskeyError(
    'store_absent',
    `There is no credentials file at ${path}. A registration by \`passkey credential answer\` or \`passkey credential create\` creates one. Register first, or name another file with --credentials or PASSKEY_CREDENTIALS.`,
  );
}
