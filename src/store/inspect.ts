import { createHash } from 'node:crypto';
import { closeSync } from 'node:fs';
import { isObject, parseJson } from '../kernel/json-value.js';
import { applyChange, type Contents, emptyContents, type ReadLine, takeFileText } from './contents.js';
import { FileDamage } from './file-damage.js';
import { decodeUtf8, eachLine } from './file-lines.js';
import { FileSizeLimit } from './file-size.js';
import { openRegularFile, resolveTarget } from './file-system.js';
import { isSpoilt, LogFile, OTHER_DIGEST, readFirstLine, SPOILT } from './log-file.js';
import { readLine } from './log-lines.js';
import { writeNewFile } from './replace-file.js';
import { raiseNextIds } from './state.js';
import { newFileFailure, readFailure } from './store-failures.js';

/** Report on a store: the numbers of its rows, as far as it can be read, and its damage. */
export interface StoreReport {
  /** Path of the store's file, with symbolic links resolved. */
  readonly path: string;
  readonly owners: number;
  readonly passkeys: number;
  /** Number of revoked passkeys. */
  readonly revoked: number;
  /** Number of sessions and tokens, including ended ones. */
  readonly accesses: number;
  readonly damages: readonly Damage[];
}

/**
 * Reads the file of a store without changing anything. Damage is part of the report.
 *
 * @throws PasskeyError `store_absent` if there is no file; `store_unavailable` if it cannot be read.
 */
export async function checkStore(path: string): Promise<StoreReport> {
  return (await inspect(path)).report;
}

/**
 * Writes the rows that can be read into a new file, and leaves the store unchanged.
 *
 * @throws PasskeyError `usage` if the new file exists; otherwise the errors of {@link checkStore}.
 */
export async function repairStore(path: string, out: string): Promise<StoreReport> {
  const { contents, report } = await inspect(path);
  try {
    const target = await resolveTarget(out, { noun: 'file' });
    await writeNewFile(target, takeFileText(contents), { ownerOf: report.path });
  } catch (cause) {
    throw newFileFailure(out, cause);
  }
  return report;
}

async function inspect(path: string): Promise<{ readonly contents: Contents; readonly report: StoreReport }> {
  try {
    const target = await resolveTarget(path);
    const { contents, damages } = readWhole(path, target);
    const { state } = contents;
    const report = {
      path: target,
      owners: state.owners.size,
      passkeys: state.passkeys.size,
      revoked: state.revokedPasskeys.size,
      accesses: state.accesses.size,
      damages,
    };
    return { contents, report };
  } catch (cause) {
    throw readFailure(path, cause);
  }
}

/** Report of a line in the store's file that cannot be read. */
interface Damage {
  readonly file: string;
  /** Number of the damaged line. */
  readonly place: string;
  readonly reason: string;
}

interface Salvage {
  readonly contents: Contents;
  readonly damages: readonly Damage[];
}

function readWhole(path: string, target: string): Salvage {
  try {
    const file = LogFile.open(path, new FileSizeLimit(path, {}));
    file.close();
    return { contents: file.contents, damages: [] };
  } catch (error) {
    if (!(error instanceof FileDamage)) throw error;
    const { contents, damages } = salvage(target);
    // Each line may be right although the whole is not.
    return { contents, damages: damages.length > 0 ? damages : [{ file: target, place: error.place, reason: error.message }] };
  }
}

/**
 * Reads a store line by line, leaving out lines that are damaged or contradict earlier ones.
 *
 * @throws NewerVersion if a later version of this program wrote the file.
 */
function salvage(target: string): Salvage {
  const salvager = new Salvager(target);
  const fd = openRegularFile(target, 'read');
  try {
    const tail = eachLine(fd, salvager.readHead(fd), (bytes) => {
      salvager.readLine(bytes);
      return true;
    });
    if (isSpoilt(tail)) {
      salvager.readLine(tail.subarray(0, -1));
      salvager.note(SPOILT);
    }
  } catch (error) {
    if (!(error instanceof FileDamage)) throw error;
    // A line that is too long to be read: what was found before it counts.
    salvager.note(error.message);
  } finally {
    closeSync(fd);
  }
  return salvager;
}

class Salvager implements Salvage {
  readonly contents = emptyContents();
  readonly damages: Damage[] = [];
  readonly #target: string;
  #number = 0;
  #change: ReadLine[] = [];
  /** Digest of the lines read so far, if the file is an export; otherwise undefined. */
  #digest: ReturnType<typeof createHash> | undefined;

  constructor(target: string) {
    this.#target = target;
  }

  note(reason: string): void {
    this.damages.push({ file: this.#target, place: String(this.#number), reason });
  }

  /** Reads the head. Returns the offset of the lines after it. A damaged head is read as one of these lines. */
  readHead(fd: number): number {
    try {
      const { head, text } = readFirstLine(fd);
      this.#number = 1;
      raiseNextIds(this.contents.state, { passkey: head.next_passkey_id, access: head.next_access_id });
      if (head.file === undefined) this.#digest = createHash('sha256').update(text);
      return Buffer.byteLength(text);
    } catch (error) {
      if (!(error instanceof FileDamage)) throw error;
      return 0;
    }
  }

  readLine(bytes: Buffer): void {
    this.#number += 1;
    try {
      const text = decodeUtf8(bytes);
      this.#noteIds(text);
      const line = readLine(text);
      if (line.kind === 'end' && this.#digest !== undefined) return this.#end(line.sha256);
      this.#digest?.update(bytes).update('\n');
      this.#change.push({ line, text });
      if (!line.more) this.#apply();
    } catch (error) {
      if (!(error instanceof FileDamage)) throw error;
      this.note(`${error.place} ${error.message}`.trim());
    }
  }

  /** Applies the lines of a complete change. Not called for an incomplete last change, which was never acknowledged. */
  #apply(): void {
    const change = this.#change;
    this.#change = [];
    try {
      applyChange(this.contents, change);
    } catch (error) {
      if (!(error instanceof FileDamage)) throw error;
      this.note(`${error.place} ${error.message}`.trim());
    }
  }

  #end(sha256: string): void {
    if (this.damages.length === 0 && sha256 !== this.#digest?.digest('hex')) this.note(OTHER_DIGEST);
    this.#digest = undefined;
  }

  /**
   * Notes the ids of a row, even if the row will be left out, so that the store does not assign them again. Also notes the id of the
   * passkey of a login.
   */
  #noteIds(text: string): void {
    const value = parseJson(text);
    if (!isObject(value)) return;
    const after = (row: unknown, name: string): number => {
      const id = isObject(row) ? row[name] : undefined;
      return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id + 1 : 1;
    };
    const { passkey, access } = value;
    raiseNextIds(this.contents.state, {
      passkey: Math.max(after(passkey, 'id'), after(access, 'passkey_id'), after(value, 'gone_passkey')),
      access: Math.max(after(access, 'id'), after(value, 'gone_access')),
    });
  }
}
