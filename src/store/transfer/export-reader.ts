import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { MAX_CHOSEN_ID, type OwnerRef } from '../../kernel/owner.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import { FileDamage } from '../file-damage.js';
import { MAX_LINE } from '../file-lines.js';
import { type HeadLine, readHead, readLine } from '../log-lines.js';
import { emailKey, ownerKey } from '../state.js';
import { KINDS, type Kind, noRows, type RowCounts, type StoredRow, sumCounts } from '../transfer-port.js';
import { LinesDigest, nameRow, readRow } from './format.js';

/**
 * Reader that receives the lines of an export and returns their rows. To notice duplicates, it keeps the ids, credential IDs and other
 * unique values of all rows, some hundred bytes for each row.
 */
export class ExportReader {
  readonly #digest = new LinesDigest();
  readonly #rows = noRows();
  readonly #owners = new Set<string>();
  readonly #removed = new Set<string>();
  readonly #unique = new Set<string>();
  readonly #last = { passkey: 0, access: 0 };
  #head: HeadLine | undefined;
  #kind = 0;
  #lines = 0;
  #ended = false;
  #withoutOwner = 0;

  /** Head of the export. @throws TypeError before the reader has received the first line. */
  get head(): HeadLine {
    if (this.#head === undefined) throw new TypeError('No line of the export has been read.');
    return this.#head;
  }

  get counts(): RowCounts {
    return this.#rows;
  }

  /** Number of passkeys, sessions and tokens whose owner is not in the export, not even as a removed owner. */
  get withoutOwner(): number {
    return this.#withoutOwner;
  }

  /** Tests whether the owner is among the rows read so far. */
  hasOwner(ref: OwnerRef): boolean {
    return this.#owners.has(ownerKey(ref)) || this.#removed.has(ownerKey(ref));
  }

  wasRemoved(ref: OwnerRef): boolean {
    return this.#removed.has(ownerKey(ref));
  }

  /**
   * Reads one line of the export.
   *
   * @param line without its line feed.
   * @returns the row of the line, if it has one.
   * @throws FileDamage with the number of the line if it is damaged; NewerVersion if a later version of this program wrote the export.
   */
  take(line: string): StoredRow | undefined {
    this.#lines += 1;
    try {
      return this.#take(line);
    } catch (error) {
      throw error instanceof FileDamage ? error.inLine(this.#lines) : error;
    }
  }

  /** Checks that the export is complete. @throws FileDamage if the last line was not an end mark. */
  finish(): void {
    const after = `after line ${this.#lines}`;
    if (this.#head === undefined) throw new FileDamage('', 'is empty');
    if (!this.#ended) throw new FileDamage('', `is cut off ${after}: its end mark is missing`);
  }

  #take(line: string): StoredRow | undefined {
    if (this.#ended) throw new FileDamage('', 'expected nothing after the end mark');
    if (this.#head === undefined) {
      this.#head = readHead(line);
      for (const name of ['next_passkey_id', 'next_access_id'] as const) {
        refuse(this.#head[name] > MAX_CHOSEN_ID, `/${name} must be at most ${MAX_CHOSEN_ID}, it is ${this.#head[name]}`);
      }
      this.#digest.add(line);
      return undefined;
    }
    const read = readLine(line);
    if (read.kind === 'end') {
      this.#end(read.sha256);
      return undefined;
    }
    this.#digest.add(line);
    refuse(read.more, 'expected no "more" in an export');
    const row = readRow(read);
    this.#check(row);
    return row;
  }

  #end(sha256: string): void {
    const [wanted, found] = [this.head.rows, sumCounts(this.#rows)];
    refuse(wanted !== found, `expected ${wanted} rows, got ${found}`);
    refuse(sha256 !== this.#digest.hex(), 'the digest is not that of the lines above: one of them was changed');
    this.#ended = true;
  }

  #check(row: StoredRow): void {
    const place = KINDS.indexOf(row.kind);
    refuse(place < this.#kind, `expected no ${row.kind} after the first ${KINDS[this.#kind]}`);
    this.#kind = place;
    this.#rows[row.kind] += 1;
    if (row.kind === 'owner' || row.kind === 'removed_owner') this.#checkOwner(row);
    else this.#checkOwned(row);
  }

  #checkOwner(row: Extract<StoredRow, { kind: 'owner' | 'removed_owner' }>): void {
    const key = ownerKey(row.record);
    refuse(this.#owners.has(key) || this.#removed.has(key), `${nameRow(row)} appears twice`);
    (row.kind === 'owner' ? this.#owners : this.#removed).add(key);
    if (row.kind !== 'owner') return;
    this.#once(row, 'e-mail', emailKey(row.record.type, row.record.email));
    if (row.record.userHandle) this.#once(row, 'user handle', encodeBase64url(row.record.userHandle));
  }

  #checkOwned(row: Extract<StoredRow, { kind: 'passkey' | 'access' }>): void {
    const { kind, record } = row;
    const next = kind === 'passkey' ? this.head.next_passkey_id : this.head.next_access_id;
    refuse(record.id <= this.#last[kind], `expected an id above ${this.#last[kind]}, got ${record.id}`);
    refuse(record.id >= next, `expected an id below next_${kind}_id, ${next}, got ${record.id}`);
    this.#last[kind] = record.id;
    if (kind === 'passkey') this.#once(row, 'credential ID', encodeBase64url(record.credential.id));
    else this.#once(row, 'hash', `${record.kind}:${encodeBase64url(record.hash)}`);
    if (!this.hasOwner(record.owner)) this.#withoutOwner += 1;
  }

  #once(row: StoredRow, what: string, value: string): void {
    const key = digestKey(row.kind, value);
    refuse(this.#unique.has(key), `${nameRow(row)} has the ${what} of one above`);
    this.#unique.add(key);
  }
}

function refuse(wrong: boolean, detail: string): void {
  if (wrong) throw new FileDamage('', detail);
}

/** Computes a short key for a value by its digest, because the value itself may be long. */
function digestKey(kind: Kind, value: string): string {
  return createHash('sha256').update(`${kind}:${value}`).digest('base64').slice(0, 22);
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const BRACE = 0x7d;
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');
/** Byte order marks with which a file in UTF-16 begins. */
const UTF_16: ReadonlySet<number> = new Set([0xfffe, 0xfeff]);
const IN_UTF_16 = 'expected UTF-8, got UTF-16, which `>` of Windows PowerShell writes; write the export with --out instead';

/**
 * Splits a text file into lines without line ends. Holds only one line and one chunk at a time.
 *
 * @throws FileDamage with the number of the line if a line is too long or not UTF-8, or the last line is cut off.
 */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let parts: Uint8Array[] = [];
  let length = 0;
  let number = 1;
  for await (const chunk of chunks) {
    let at = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, at)) {
      yield decodeParts([...parts, chunk.subarray(at, end)], number);
      parts = [];
      length = 0;
      number += 1;
      at = end + 1;
    }
    // What was read into is used again.
    parts.push(Uint8Array.from(chunk.subarray(at)));
    length += chunk.length - at;
    if (length > MAX_LINE) throw new FileDamage(String(number), `the line has more than ${MAX_LINE} bytes`);
  }
  if (length === 0) return;
  const last = decodeParts(parts, number);
  if (last.charCodeAt(last.length - 1) !== BRACE) throw new FileDamage(String(number), 'the line is cut off');
  yield last;
}

function decodeParts(parts: readonly Uint8Array[], number: number): string {
  const bytes = parts.length === 1 && parts[0] ? Buffer.from(parts[0]) : Buffer.concat(parts);
  if (!isUtf8(bytes)) {
    const isUtf16 = number === 1 && bytes.length > 1 && UTF_16.has(bytes.readUInt16BE());
    throw new FileDamage(String(number), isUtf16 ? IN_UTF_16 : 'expected UTF-8');
  }
  // A line feed that Windows has written is two characters; some programs of Windows begin a file with a mark.
  const begin = number === 1 && bytes.indexOf(BYTE_ORDER_MARK) === 0 ? BYTE_ORDER_MARK.length : 0;
  return bytes.toString('utf8', begin, bytes[bytes.length - 1] === RETURN ? bytes.length - 1 : bytes.length);
}
