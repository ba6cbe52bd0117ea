import { PasskeyError } from '../errors.js';
import { challengeForgottenAt } from '../kernel/challenge-life.js';
import type { Ceremony, TakenCeremony } from '../relying-party/ports.js';
import { type CeremonyText, ceremonyFromText, ceremonyText, textBytes } from './ceremony-text.js';

interface Entry {
  /** The challenge, a character a byte. */
  readonly key: string;
  readonly text: CeremonyText;
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** How many places it takes. */
  readonly places: number;
  readonly client: Client;
  spent: boolean;
  /** Its places among all entries, and among those of its client. */
  links: readonly Link<Entry>[];
}

/** A client that asked for ceremonies. */
interface Client {
  readonly name: string;
  /** The oldest first. */
  readonly entries: Queue<Entry>;
  places: number;
  /** Its place among the clients that have as many. */
  link: Link<Client> | undefined;
}

interface Link<T> {
  readonly value: T;
  before: Link<T> | undefined;
  after: Link<T> | undefined;
}

/** Values in the order in which they came; any is taken out in constant time. (A `Map` steps over all that were deleted to find its first.) */
class Queue<T> {
  #first: Link<T> | undefined;
  #last: Link<T> | undefined;

  get first(): T | undefined {
    return this.#first?.value;
  }

  add(value: T): Link<T> {
    const link: Link<T> = { value, before: this.#last, after: undefined };
    if (this.#last) this.#last.after = link;
    else this.#first = link;
    this.#last = link;
    return link;
  }

  remove({ before, after }: Link<T>): void {
    if (before) before.after = after;
    else this.#first = after;
    if (after) after.before = before;
    else this.#last = before;
  }
}

export const DEFAULT_CEREMONY_LIMIT = 200_000;
/** Bytes of text per place: more than a ceremony without a list of credentials has. */
export const PLACE_SIZE = 512;
/** Places that a ceremony may take from clients that hold less: as many places as one with some dozen credentials has. */
export const LARGE = 16;
/** One ceremony takes at most one in this many of all places, so that it never crowds out all others. */
const LARGEST_PART = 10;

export function countPlaces({ common, own }: CeremonyText): number {
  return Math.ceil((textBytes(common) + textBytes(own)) / PLACE_SIZE);
}

/** Whether a ceremony takes too large a part of all places. */
export function isTooLarge(places: number, limit: number): boolean {
  return places > Math.max(LARGE, limit / LARGEST_PART);
}

export function noRoom(places: number, others: number): PasskeyError {
  return new PasskeyError(
    'store_unavailable',
    `There is no room for a ceremony of ${Math.ceil((places * PLACE_SIZE) / 1024)} KB: ${others} ceremonies of other clients take it up. Use fewer credentials in its options, or try again later.`,
  );
}

/**
 * Begun ceremonies of one process. Spent and expired ones are remembered until `challengeForgottenAt`, so that
 * used, expired and unknown can be told apart. `limit` counts places and so bounds the memory they use: a ceremony takes one place for
 * each {@link PLACE_SIZE} bytes of its text that it begins; besides its text it takes some 0.6 KB. When places run out, the client
 * with the most places, the new ceremony's counted, loses its oldest ceremony: a client that asks for many challenges, or large ones,
 * crowds out only its own.
 */
export class CeremonyMemory {
  readonly #entries = new Map<string, Entry>();
  /** All entries, the oldest first. */
  readonly #all = new Queue<Entry>();
  readonly #clients = new Map<string, Client>();
  /** Clients by how many places they have; of equals, the one that came to this number first is first. */
  readonly #clientsByPlaces = new Map<number, Queue<Client>>();
  #mostPlaces = 0;
  #places = 0;
  readonly #limit: number;

  constructor(limit: number = DEFAULT_CEREMONY_LIMIT) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** @throws PasskeyError `store_unavailable` when the ceremony is large and there is no room but that of clients that hold less. */
  save(ceremony: Ceremony): void {
    const { issuedAt, expiresAt } = ceremony;
    const key = rowKey(ceremony.challenge);
    // A challenge repeats only where a replay pins it; the newest ceremony then counts.
    this.#remove(this.#entries.get(key));
    this.#forget(issuedAt);
    const text = ceremonyText(ceremony);
    const places = countPlaces(text);
    this.#makeRoom(ceremony.client, places);
    // A copy: a string cut out of a header field would keep the whole header in memory.
    const name = Buffer.from(ceremony.client).toString();
    const client = this.#clients.get(name) ?? { name, entries: new Queue<Entry>(), places: 0, link: undefined };
    const entry: Entry = { key, text, issuedAt, expiresAt, places, client, spent: false, links: [] };
    this.#entries.set(key, entry);
    entry.links = [this.#all, client.entries].map((queue) => queue.add(entry));
    this.#count(client, places);
  }

  /** Synchronous from look-up to mark: of two racing calls exactly one sees `open`. */
  take(challenge: Uint8Array, now: number): TakenCeremony {
    const entry = this.#entries.get(rowKey(challenge));
    if (entry === undefined) return { status: 'unknown' };
    if (now >= challengeForgottenAt(entry)) {
      this.#remove(entry);
      return { status: 'unknown' };
    }
    const { text, issuedAt, expiresAt, client } = entry;
    const status = entry.spent ? 'used' : now >= expiresAt ? 'expired' : 'open';
    entry.spent = true;
    const ceremony = ceremonyFromText(text, { challenge: new Uint8Array(challenge), issuedAt, expiresAt, client: client.name });
    return { status, ceremony };
  }

  /** Starts with the oldest and stops at the first one to be kept: lifetimes hardly differ, and the limit holds in any case. */
  #forget(now: number): void {
    let { first } = this.#all;
    while (first !== undefined && now >= challengeForgottenAt(first)) {
      this.#remove(first);
      ({ first } = this.#all);
    }
  }

  #makeRoom(name: string, places: number): void {
    if (isTooLarge(places, this.#limit)) throw noRoom(places, this.size);
    while (this.#places + places > this.#limit && this.size > 0) {
      const client = this.#clients.get(name);
      const isFullest = client !== undefined && client.places + places >= this.#mostPlaces;
      if (!isFullest && places > LARGE && places > this.#mostPlaces) throw noRoom(places, this.size);
      const fullest = isFullest ? client : this.#clientsByPlaces.get(this.#mostPlaces)?.first;
      this.#remove(fullest?.entries.first);
    }
  }

  #remove(entry: Entry | undefined): void {
    if (entry === undefined) return;
    this.#entries.delete(entry.key);
    const [inAll, inClient] = entry.links;
    if (inAll) this.#all.remove(inAll);
    if (inClient) entry.client.entries.remove(inClient);
    this.#count(entry.client, -entry.places);
  }

  /** Counts the places that a client has gained or lost. */
  #count(client: Client, change: number): void {
    const equals = this.#clientsByPlaces.get(client.places);
    if (client.link) equals?.remove(client.link);
    if (equals && equals.first === undefined) this.#clientsByPlaces.delete(client.places);
    client.places += change;
    this.#places += change;
    if (client.places === 0) {
      this.#clients.delete(client.name);
    } else {
      this.#clients.set(client.name, client);
      const among = this.#clientsByPlaces.get(client.places) ?? new Queue<Client>();
      this.#clientsByPlaces.set(client.places, among);
      client.link = among.add(client);
    }
    this.#mostPlaces = Math.max(this.#mostPlaces, client.places);
    // A sole fullest client that loses places still has some or is gone, so the next fullest is found within as many steps.
    while (this.#mostPlaces > 0 && !this.#clientsByPlaces.has(this.#mostPlaces)) this.#mostPlaces -= 1;
  }
}

function rowKey(challenge: Uint8Array): string {
  return Buffer.from(challenge.buffer, challenge.byteOffset, challenge.length).toString('latin1');
}
