import { challengeForgottenAt } from '../kernel/challenge-life.js';
import type { Ceremony, TakenCeremony } from '../relying-party/ports.js';

interface Entry {
  readonly key: string;
  readonly ceremony: Ceremony;
  spent: boolean;
}

const DEFAULT_CEREMONY_LIMIT = 50_000;

/**
 * Ceremonies that one process has started. Spent and expired ones are remembered until `challengeForgottenAt`, so that used, expired and
 * unknown challenges can be distinguished. If there are more than `limit`, the client with the most ceremonies, including the new one,
 * loses its oldest. A client that requests many challenges therefore displaces only its own.
 */
export class CeremonyMemory {
  /** All ceremonies, oldest first, keyed by challenge. */
  readonly #entries = new Map<string, Entry>();
  /** The ceremonies of each client, oldest first. */
  readonly #clients = new Map<string, Set<Entry>>();
  readonly #limit: number;

  constructor(limit: number = DEFAULT_CEREMONY_LIMIT) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#entries.size;
  }

  save(given: Ceremony): void {
    const ceremony = structuredClone(given);
    const key = Buffer.from(ceremony.challenge).toString('base64url');
    // A challenge repeats only where a replay pins it; the newest ceremony then counts.
    this.#remove(this.#entries.get(key));
    this.#forget(ceremony.issuedAt);
    while (this.size >= this.#limit && this.size > 0) this.#remove(this.#oldestOfFullest(ceremony.client));
    const entry = { key, ceremony, spent: false };
    this.#entries.set(key, entry);
    const ofClient = this.#clients.get(ceremony.client) ?? new Set();
    this.#clients.set(ceremony.client, ofClient.add(entry));
  }

  /** Takes a ceremony and marks it as spent. Synchronous from look-up to mark, so that only one of two racing calls sees `open`. */
  take(challenge: Uint8Array, now: number): TakenCeremony {
    const entry = this.#entries.get(Buffer.from(challenge).toString('base64url'));
    if (entry === undefined) return { status: 'unknown' };
    const { ceremony, spent } = entry;
    if (now >= challengeForgottenAt(ceremony)) {
      this.#remove(entry);
      return { status: 'unknown' };
    }
    entry.spent = true;
    return { status: spent ? 'used' : now >= ceremony.expiresAt ? 'expired' : 'open', ceremony: structuredClone(ceremony) };
  }

  /**
   * Forgets ceremonies, starting with the oldest and stopping at the first one to keep. This is sufficient because lifetimes hardly differ,
   * and the limit holds in any case.
   */
  #forget(now: number): void {
    for (const entry of this.#entries.values()) {
      if (now < challengeForgottenAt(entry.ceremony)) return;
      this.#remove(entry);
    }
  }

  #oldestOfFullest(newcomer: string): Entry | undefined {
    let fullest = this.#clients.get(newcomer);
    let most = (fullest?.size ?? 0) + 1;
    for (const entries of this.#clients.values()) {
      if (entries === fullest || entries.size < most || (entries.size === most && fullest !== undefined)) continue;
      [fullest, most] = [entries, entries.size];
    }
    const [oldest] = fullest ?? [];
    return oldest;
  }

  #remove(entry: Entry | undefined): void {
    if (entry === undefined) return;
    const { client } = entry.ceremony;
    this.#entries.delete(entry.key);
    const ofClient = this.#clients.get(client);
    ofClient?.delete(entry);
    if (ofClient?.size === 0) this.#clients.delete(client);
  }
}
