import type { Ceremony } from '../../relying-party/ports.js';
import type { StreamEntry } from '../schemas/stream.js';
import type { Kept, Withheld } from './kept.js';

/** An entry of the stream, with its details. */
export interface StreamRecord {
  readonly entry: StreamEntry;
  /** The challenge with which it was begun here, in base64url. */
  readonly challenge: string | undefined;
  /** Kept while its challenge is valid: options may be long. */
  ceremony: Ceremony | undefined;
  /** Until when the challenge is good. Milliseconds since the epoch. */
  goodUntil: number;
  /** A response to it has come. */
  answered: boolean;
  /** Until its challenge has expired. */
  withheld: Withheld | undefined;
  kept: Kept;
}

interface Limits {
  /** Ceremonies that were answered, and changes. */
  readonly most: number;
  /** All other entries: requests of any page cause them. */
  readonly mostUnanswered: number;
}

/** Parts of `most` that may be kept beyond the list. */
const MORE = 20;

/** The entries of the stream, in bounded memory. */
export class StreamRecords {
  readonly #limits: Limits;
  /** The oldest first. */
  readonly #records = new Map<string, StreamRecord>();
  #added = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** All records, the oldest first. */
  all(): Iterable<StreamRecord> {
    return this.#records.values();
  }

  get(id: string): StreamRecord | undefined {
    return this.#records.get(id);
  }

  /** @returns those that no longer fit. Searching all of them for each entry took 7 % of a login. */
  add(record: StreamRecord): StreamRecord[] {
    this.#records.set(record.entry.id, record);
    this.#added += 1;
    if (this.#added % Math.ceil(this.#limits.most / MORE) !== 0) return [];
    const gone = beyond([...this.#records.values()], this.#limits);
    for (const { entry } of gone) this.#records.delete(entry.id);
    return gone;
  }

  /** The newest first. */
  list(): StreamEntry[] {
    const all = [...this.#records.values()];
    const gone = new Set(beyond(all, this.#limits));
    const entries = all.filter((record) => !gone.has(record)).map(({ entry }) => entry);
    // A change by another process may have been read late.
    return entries.sort((a, b) => (a.at === b.at ? 0 : a.at < b.at ? -1 : 1)).reverse();
  }

  clear(): void {
    this.#records.clear();
  }
}

/** Ceremonies that were answered, and changes. Requests of any page cause the other entries. */
function isLasting({ entry: { kind, state } }: StreamRecord): boolean {
  return kind === 'change' || state === 'verified' || state === 'rejected' || state === 'elsewhere' || state === 'undecided';
}

/** Records that no longer fit: the oldest permanent ones, and separately the oldest temporary ones. */
function beyond(records: readonly StreamRecord[], { most, mostUnanswered }: Limits): StreamRecord[] {
  const lasting = records.filter(isLasting);
  const others = records.filter((record) => !isLasting(record));
  return [...lasting.slice(0, Math.max(0, lasting.length - most)), ...others.slice(0, Math.max(0, others.length - mostUnanswered))];
}
