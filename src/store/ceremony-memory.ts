import type { Ceremony, TakenCeremony } from '../relying-party/ports.js';
import { encodeBase64url } from '../webauthn/base64url.js';
import { Chain, type Link } from './chain.js';
import { copyCeremony } from './copies.js';

interface Entry {
  readonly ceremony: Ceremony;
  spent: boolean;
  readonly amongAll: Link<string>;
  readonly amongClients: Link<string>;
}

interface Client {
  readonly challenges: Chain<string>;
  count: number;
  amongEquals: Link<string> | undefined;
}

export const DEFAULT_CEREMONY_LIMIT = 10_000;

/**
 * Begun ceremonies of one process. Spent and expired ones are remembered until twice their lifetime after `issuedAt`, so that
 * used, expired and unknown can be told apart. When room runs out, the oldest ceremony of the client with the most entries goes:
 * a client that asks for a flood of challenges crowds out its own. A call takes the same time however many are kept.
 */
export class CeremonyMemory {
  readonly #byChallenge = new Map<string, Entry>();
  /** Challenges, the oldest first; so is every chain here. */
  readonly #all = new Chain<string>();
  readonly #clients = new Map<string, Client>();
  /** Clients by how many entries they have. A count changes by one at a time, so the fullest is found without a search. */
  readonly #clientsByCount = new Map<number, Chain<string>>();
  #highestCount = 0;
  readonly #limit: number;

  constructor(limit: number = DEFAULT_CEREMONY_LIMIT) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#byChallenge.size;
  }

  save(ceremony: Ceremony): void {
    const key = encodeBase64url(ceremony.challenge);
    // Known already only when challenges are pinned (a replay): the newest ceremony is the one that is meant.
    this.#remove(key);
    this.#forget(ceremony.issuedAt);
    while (this.size > 0 && this.size >= this.#limit) this.#evict();
    const client = this.#clients.get(ceremony.client) ?? { challenges: new Chain(), count: 0, amongEquals: undefined };
    this.#byChallenge.set(key, {
      ceremony: copyCeremony(ceremony),
      spent: false,
      amongAll: this.#all.add(key),
      amongClients: client.challenges.add(key),
    });
    this.#count(ceremony.client, client, client.count + 1);
  }

  /** Synchronous from look-up to mark: of two racing calls exactly one sees `open`. */
  take(challenge: Uint8Array, now: number): TakenCeremony {
    const key = encodeBase64url(challenge);
    const entry = this.#byChallenge.get(key);
    if (!entry) return { status: 'unknown' };
    if (now >= forgottenAt(entry.ceremony)) {
      this.#remove(key);
      return { status: 'unknown' };
    }
    const status = entry.spent ? 'used' : now >= entry.ceremony.expiresAt ? 'expired' : 'open';
    entry.spent = true;
    return { status, ceremony: copyCeremony(entry.ceremony) };
  }

  /** From the oldest on, stopping at the first one still remembered: lifetimes hardly differ, and the limit holds in any case. */
  #forget(now: number): void {
    for (;;) {
      const oldest = this.#all.first;
      const entry = oldest === undefined ? undefined : this.#byChallenge.get(oldest);
      if (oldest === undefined || !entry || now < forgottenAt(entry.ceremony)) return;
      this.#remove(oldest);
    }
  }

  #evict(): void {
    const fullest = this.#clientsByCount.get(this.#highestCount)?.first;
    const oldest = fullest === undefined ? undefined : this.#clients.get(fullest)?.challenges.first;
    if (oldest !== undefined) this.#remove(oldest);
  }

  #remove(key: string): void {
    const entry = this.#byChallenge.get(key);
    const client = entry && this.#clients.get(entry.ceremony.client);
    if (!entry || !client) return;
    this.#byChallenge.delete(key);
    this.#all.remove(entry.amongAll);
    client.challenges.remove(entry.amongClients);
    this.#count(entry.ceremony.client, client, client.count - 1);
  }

  #count(name: string, client: Client, count: number): void {
    const equals = this.#clientsByCount.get(client.count);
    if (equals && client.amongEquals) {
      equals.remove(client.amongEquals);
      if (equals.first === undefined) this.#clientsByCount.delete(client.count);
    }
    client.count = count;
    if (count === 0) {
      this.#clients.delete(name);
    } else {
      const among = this.#clientsByCount.get(count) ?? new Chain();
      client.amongEquals = among.add(name);
      this.#clientsByCount.set(count, among);
      this.#clients.set(name, client);
    }
    // When the fullest client alone had that many and loses one, the highest count is the one below, which is its own now.
    if (count > this.#highestCount || !this.#clientsByCount.has(this.#highestCount)) this.#highestCount = count;
  }
}

function forgottenAt({ issuedAt, expiresAt }: Ceremony): number {
  return issuedAt + 2 * (expiresAt - issuedAt);
}
