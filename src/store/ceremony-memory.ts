import type { Ceremony, TakenCeremony } from '../relying-party/ports.js';
import { encodeBase64url } from '../webauthn/base64url.js';
import { copyCeremony } from './copies.js';

interface Entry {
  readonly ceremony: Omit<Ceremony, 'options'>;
  /** As JSON, the most compact form: a list of many passkeys is most of a ceremony's memory. */
  readonly options: string;
  /** How many places it takes. */
  readonly places: number;
  spent: boolean;
  readonly amongAll: Link<string>;
  readonly amongClients: Link<string>;
}

interface Client {
  readonly challenges: Chain<string>;
  places: number;
  amongEquals: Link<string> | undefined;
}

export const DEFAULT_CEREMONY_LIMIT = 10_000;
/** Characters of options per place: several times what a ceremony without a list of credentials has. */
export const PLACE_SIZE = 4096;
/** One ceremony takes at most one in this many of all places, so that it never crowds out all others. */
const LARGEST_PART = 10;

/**
 * Begun ceremonies of one process. Spent and expired ones are remembered until twice their lifetime after `issuedAt`, so that
 * used, expired and unknown can be told apart. `limit` counts places and so bounds the memory they use: a ceremony takes one place,
 * or one for each {@link PLACE_SIZE} characters of its options. When places run out, the client with the most places loses its
 * oldest ceremony: a client that asks for many challenges, or large ones, crowds out only its own. Every call takes constant time.
 */
export class CeremonyMemory {
  readonly #byChallenge = new Map<string, Entry>();
  /** Challenges, the oldest first; so is every chain here. */
  readonly #all = new Chain<string>();
  readonly #clients = new Map<string, Client>();
  /** Clients by how many places they have. */
  readonly #clientsByPlaces = new Map<number, Chain<string>>();
  #mostPlaces = 0;
  #places = 0;
  readonly #limit: number;

  constructor(limit: number = DEFAULT_CEREMONY_LIMIT) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#byChallenge.size;
  }

  save(ceremony: Ceremony): void {
    const key = encodeBase64url(ceremony.challenge);
    // A challenge repeats only where a replay pins it; the newest ceremony then counts.
    this.#remove(key);
    this.#forget(ceremony.issuedAt);
    const { options, ...rest } = ceremony;
    const text = JSON.stringify(options);
    const places = Math.max(1, Math.min(Math.ceil(text.length / PLACE_SIZE), Math.floor(this.#limit / LARGEST_PART)));
    while (this.size > 0 && this.#places + places > this.#limit) this.#evict();
    const client = this.#clients.get(ceremony.client) ?? { challenges: new Chain(), places: 0, amongEquals: undefined };
    this.#byChallenge.set(key, {
      ceremony: copyCeremony(rest),
      options: text,
      places,
      spent: false,
      amongAll: this.#all.add(key),
      amongClients: client.challenges.add(key),
    });
    this.#count(ceremony.client, client, places);
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
    const options: Ceremony['options'] = JSON.parse(entry.options);
    return { status, ceremony: { ...copyCeremony(entry.ceremony), options } };
  }

  /** Starts with the oldest and stops at the first one to be kept: lifetimes hardly differ, and the limit holds in any case. */
  #forget(now: number): void {
    for (;;) {
      const oldest = this.#all.first;
      const entry = oldest === undefined ? undefined : this.#byChallenge.get(oldest);
      if (oldest === undefined || !entry || now < forgottenAt(entry.ceremony)) return;
      this.#remove(oldest);
    }
  }

  #evict(): void {
    const fullest = this.#clientsByPlaces.get(this.#mostPlaces)?.first;
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
    this.#count(entry.ceremony.client, client, -entry.places);
  }

  /** Adds to, or takes from, the places of a client. */
  #count(name: string, client: Client, change: number): void {
    const equals = this.#clientsByPlaces.get(client.places);
    if (equals && client.amongEquals) {
      equals.remove(client.amongEquals);
      if (equals.first === undefined) this.#clientsByPlaces.delete(client.places);
    }
    client.places += change;
    this.#places += change;
    if (client.places === 0) {
      this.#clients.delete(name);
    } else {
      const among = this.#clientsByPlaces.get(client.places) ?? new Chain();
      client.amongEquals = among.add(name);
      this.#clientsByPlaces.set(client.places, among);
      this.#clients.set(name, client);
    }
    this.#mostPlaces = Math.max(this.#mostPlaces, client.places);
    // A sole fullest client that loses places still has some or is gone, so the next fullest is found within as many steps.
    while (this.#mostPlaces > 0 && !this.#clientsByPlaces.has(this.#mostPlaces)) this.#mostPlaces -= 1;
  }
}

function forgottenAt({ issuedAt, expiresAt }: Pick<Ceremony, 'issuedAt' | 'expiresAt'>): number {
  return issuedAt + 2 * (expiresAt - issuedAt);
}

interface Link<T> {
  readonly value: T;
  before: Link<T> | undefined;
  after: Link<T> | undefined;
}

/** Values in the order they were added; any of them is removed in constant time. (To find its first entry, a `Map` steps over all the deleted ones.) */
class Chain<T> {
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

  /** `link` must come from `add` and not have been removed. */
  remove(link: Link<T>): void {
    if (link.before) link.before.after = link.after;
    else this.#first = link.after;
    if (link.after) link.after.before = link.before;
    else this.#last = link.before;
  }
}
