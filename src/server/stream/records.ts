import type { Ceremony } from '../../relying-party/ports.js';
import type { StreamEntry } from '../schemas/stream.js';
import type { Kept, Withheld } from './kept.js';

/** An entry of the stream, with its details. */
export interface StreamRecord {
  readonly entry: StreamEntry;
  /** The challenge in base64url, if the ceremony began at this server. */
  readonly challenge: string | undefined;
  /** The ceremony. It is kept only while its challenge is valid, since options may be long. */
  ceremony: Ceremony | undefined;
  /** When the challenge expires, in milliseconds since the epoch. */
  goodUntil: number;
  /** Whether the ceremony got a response. */
  answered: boolean;
  /** Parts that are withheld until a challenge in them has expired. */
  withheld: Withheld | undefined;
  kept: Kept;
}

interface Limits {
  /** Maximum number of permanent entries, which are ceremonies with a response, and changes. */
  readonly most: number;
  /** Maximum number of all other entries. The requests of any page can cause such entries. */
  readonly mostUnanswered: number;
}

/**
 * Surplus entries are removed only when a twentieth of `most` has been added since the last time. Until then, up to that many more are
 * kept.
 */
const MORE = 20;

/** Keeps the entries of the stream in bounded memory. */
export class StreamRecords {
  readonly #limits: Limits;
  /** All entries by id, the oldest first. */
  readonly #records = new Map<string, StreamRecord>();
  #added = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Returns all entries, the oldest first. */
  all(): Iterable<StreamRecord> {
    return this.#records.values();
  }

  get(id: string): StreamRecord | undefined {
    return this.#records.get(id);
  }

  /**
   * Adds an entry. @returns the surplus entries that were removed. They are removed only now and then, since searching all entries each
   * time took 7 % of the time of a login.
   */
  add(record: StreamRecord): StreamRecord[] {
    this.#records.set(record.entry.id, record);
    this.#added += 1;
    if (this.#added % Math.ceil(this.#limits.most / MORE) !== 0) return [];
    const gone = beyond([...this.#records.values()], this.#limits);
    for (const { entry } of gone) this.#records.delete(entry.id);
    return gone;
  }

  /** Lists the entries, the newest first. */
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

/** Whether an entry is permanent: a change, or a ceremony with a response. Requests of any page can cause the other entries. */
function isLasting({ entry: { kind, state } }: StreamRecord): boolean {
  return kind === 'change' || state === 'verified' || state === 'rejected' || state === 'elsewhere' || state === 'undecided';
}

/**
 * Finds the surplus entries. These are the oldest permanent entries beyond `most`, and the oldest other entries beyond `mostUnanswered`.
 */
function beyond(records: readonly StreamRecord[], { most, mostUnanswered }: Limits): StreamRecord[] {
  const lasting = records.filter(isLasting);
  const others = records.filter((record) => !isLasting(record));
  return [...lasting.slice(0, Math.max(0, lasting.length - most)), ...others.slice(0, Math.max(0, others.length - mostUnanswered))];
}
