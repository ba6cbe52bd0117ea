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

/** Counts of a store, as far as it can be read. */
export interface StoreReport {
  /** Symbolic links resolved. */
  readonly path: string;
  readonly owners: number;
  readonly passkeys: number;
  /** Revoked passkeys. */
  readonly revoked: number;
  /** Sessions and tokens, ended ones included. */
  readonly accesses: number;
  readonly damages: readonly Damage[];
}

/**
 * Reads the file of a store, and changes nothing.
 *
 * @throws PasskeyError `store_absent` · `store_unavailable`; damage is in the report.
 */
export async function checkStore(path: string): Promise<StoreReport> {
  return (await inspect(path)).report;
}

/**
 * Writes the rows that can be read into a new file of any name; the store stays as it is.
 *
 * @throws PasskeyError `usage` if the new file exists · as above.
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

/** A line of a store that cannot be read. */
interface Damage {
  readonly file: string;
  /** The number of the line. */
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

/** Reads a store line by line, and leaves out lines that are damaged or contradict earlier ones. @throws NewerVersion */
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
  /** Of an export. */
  #digest: ReturnType<typeof createHash> | undefined;

  constructor(target: string) {
    this.#target = target;
  }

  note(reason: string): void {
    this.damages.push({ file: this.#target, place: String(this.#number), reason });
  }

  /** Returns where the lines behind the head begin; a damaged head is read as one of them. */
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

  /** Not called for the lines of a last change that has no end: it was never acknowledged. */
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

  /** Keeps the id of a row that is left out from being given again, and that of the passkey of a login. */
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
