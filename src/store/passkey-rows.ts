import type { Passkey } from '../relying-party/credential-record.js';
import { endsAsEncoded } from '../webauthn/base64url.js';
import { FileDamage } from './file-damage.js';
import { encodeRecord } from './log-lines.js';
import { IN_FILE, PASSKEY_BYTES, PASSKEY_TIMES, type PasskeyRow, readOptional, readPasskey } from './records.js';
import type { Table } from './tables.js';

/** Checks a row for everything that `readPasskey` would refuse, without decoding it. @throws FileDamage naming the wrong member. */
export function checkPasskeyRow(row: PasskeyRow, at: string): void {
  for (const name of PASSKEY_BYTES) if (!endsAsEncoded(row[name])) throw new FileDamage(`${at}/${name}`, 'is not base64url');
  for (const name of PASSKEY_TIMES) readOptional(IN_FILE, row[name], `${at}/${name}`);
}

/**
 * Table that keeps passkeys as their lines in the file. The lines take a third of the memory of decoded records. They need no decoding when
 * a store is opened, and no encoding when it is rewritten. A passkey is decoded only when it is requested.
 */
export class PasskeyLines implements Table<number, Passkey> {
  readonly #lines = new Map<number, string>();

  get size(): number {
    return this.#lines.size;
  }

  get(id: number): Passkey | undefined {
    const line = this.#lines.get(id);
    return line === undefined ? undefined : decode(line);
  }

  /** Returns the line of a passkey as it is in the file. */
  line(id: number): string | undefined {
    return this.#lines.get(id);
  }

  has(id: number): boolean {
    return this.#lines.has(id);
  }

  set(id: number, passkey: Passkey): void {
    this.#lines.set(id, encodeRecord('passkeys', passkey));
  }

  /**
   * Stores the line of a passkey.
   *
   * @param line a line that has already been checked.
   */
  setLine(id: number, line: string): void {
    this.#lines.set(id, line);
  }

  delete(id: number): void {
    this.#lines.delete(id);
  }

  keys(): Iterable<number> {
    return this.#lines.keys();
  }

  /** Returns all lines as they are now, in ascending order of id. */
  sortedLines(): readonly string[] {
    const lines: string[] = [];
    let last = 0;
    for (const [id, line] of this.#lines) {
      // An import may have added earlier ones.
      if (id < last) return [...this.#lines].sort(([a], [b]) => a - b).map(([, each]) => each);
      last = id;
      lines.push(line);
    }
    return lines;
  }

  *values(): Generator<Passkey> {
    for (const line of this.#lines.values()) yield decode(line);
  }

  *[Symbol.iterator](): Generator<[number, Passkey]> {
    for (const [id, line] of this.#lines) yield [id, decode(line)];
  }
}

/** Captures the passkeys that the table has now, in ascending order of id. Each is decoded on demand. */
export function pinned(table: Table<number, Passkey>): { readonly size: number; records(): Iterable<Passkey> } {
  if (!(table instanceof PasskeyLines)) {
    const records = [...table.values()].sort((a, b) => a.id - b.id);
    return { size: records.length, records: () => records };
  }
  const lines = table.sortedLines();
  return {
    size: lines.length,
    *records() {
      for (const line of lines) yield decode(line);
    },
  };
}

function decode(line: string): Passkey {
  const { passkey }: { readonly passkey: PasskeyRow } = JSON.parse(line);
  return readPasskey(passkey, IN_FILE, '');
}
