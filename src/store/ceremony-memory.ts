import { PasskeyError } from '../errors.js';
import { challengeForgottenAt } from '../kernel/challenge-life.js';
import type { Ceremony, TakenCeremony } from '../relying-party/ports.js';
import { type CeremonyText, ceremonyFromText, ceremonyText, textBytes } from './ceremony-text.js';
import { type Ends, NONE, noSlots, SlotLists, Slots } from './slots.js';

interface Entry {
  /** The challenge, a character a byte. */
  readonly key: string;
  readonly common: string;
  readonly own: string;
  /** Milliseconds after the first ceremony's: small integers are stored in the entry itself. */
  readonly issued: number;
  readonly lifetime: number;
  /** How many places it takes. */
  readonly places: number;
  spent: boolean;
  readonly client: number;
}

/** A client that asked for ceremonies, with the ends of the list of its entries. */
interface Client extends Ends {
  readonly name: string;
  places: number;
}

export const DEFAULT_CEREMONY_LIMIT = 200_000;
/** Bytes of text per place: more than a ceremony without a list of credentials has. */
export const PLACE_SIZE = 512;
/** Places that a ceremony may take from clients that hold less: as many places as one with some dozen credentials has. */
export const LARGE = 16;
/** One ceremony takes at most one in this many of all places, so that it never crowds out all others. */
const LARGEST_PART = 10;
/** Texts to share: enough for the applications that one server is likely to have. */
const SHARED_TEXTS = 256;

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
 * each {@link PLACE_SIZE} bytes of its text that it begins; besides its text it takes some 0.3 KB. When places run out, the client
 * with the most places, the new ceremony's counted, loses its oldest ceremony: a client that asks for many challenges, or large ones,
 * crowds out only its own. Every call takes constant time.
 */
export class CeremonyMemory {
  readonly #slots = new Map<string, number>();
  readonly #entries = new Slots<Entry>();
  /** All entries, the oldest first. */
  readonly #all = noSlots();
  readonly #amongAll = new SlotLists();
  readonly #amongClients = new SlotLists();
  readonly #clients = new Slots<Client>();
  readonly #clientSlots = new Map<string, number>();
  /** Clients by how many places they have; of equals, the one that came to this number first is first. */
  readonly #clientsByPlaces = new Map<number, Ends>();
  readonly #amongEquals = new SlotLists();
  #mostPlaces = 0;
  #places = 0;
  #firstIssuedAt = 0;
  readonly #sharedTexts = new Map<string, string>();
  readonly #limit: number;

  constructor(limit: number = DEFAULT_CEREMONY_LIMIT) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#slots.size;
  }

  /** @throws PasskeyError `store_unavailable` when the ceremony is large and there is no room but that of clients that hold less. */
  save(ceremony: Ceremony): void {
    const key = rowKey(ceremony.challenge);
    // A challenge repeats only where a replay pins it; the newest ceremony then counts.
    this.#remove(this.#slots.get(key));
    this.#forget(ceremony.issuedAt);
    const { common, own } = ceremonyText(ceremony);
    const places = countPlaces({ common, own });
    this.#makeRoom(ceremony.client, places);
    const client = this.#clientOf(ceremony.client);
    if (this.size === 0) this.#firstIssuedAt = ceremony.issuedAt;
    const slot = this.#entries.add({
      key,
      common: this.#share(common),
      own: this.#share(own),
      issued: ceremony.issuedAt - this.#firstIssuedAt,
      lifetime: ceremony.expiresAt - ceremony.issuedAt,
      places,
      spent: false,
      client,
    });
    this.#slots.set(key, slot);
    this.#amongAll.add(this.#all, slot);
    this.#count(client, { change: places, entry: slot });
  }

  /** Synchronous from look-up to mark: of two racing calls exactly one sees `open`. */
  take(challenge: Uint8Array, now: number): TakenCeremony {
    const slot = this.#slots.get(rowKey(challenge));
    const entry = slot === undefined ? undefined : this.#entries.get(slot);
    const client = entry && this.#clients.get(entry.client)?.name;
    if (!entry || client === undefined) return { status: 'unknown' };
    if (now >= this.#forgottenAt(entry)) {
      this.#remove(slot);
      return { status: 'unknown' };
    }
    const issuedAt = this.#issuedAt(entry);
    const expiresAt = issuedAt + entry.lifetime;
    const status = entry.spent ? 'used' : now >= expiresAt ? 'expired' : 'open';
    entry.spent = true;
    return { status, ceremony: ceremonyFromText(entry, { challenge: new Uint8Array(challenge), issuedAt, expiresAt, client }) };
  }

  #issuedAt({ issued }: Entry): number {
    return issued + this.#firstIssuedAt;
  }

  #forgottenAt(entry: Entry): number {
    const issuedAt = this.#issuedAt(entry);
    return challengeForgottenAt({ issuedAt, expiresAt: issuedAt + entry.lifetime });
  }

  /** Starts with the oldest and stops at the first one to be kept: lifetimes hardly differ, and the limit holds in any case. */
  #forget(now: number): void {
    for (;;) {
      const entry = this.#entries.get(this.#all.first);
      if (!entry || now < this.#forgottenAt(entry)) return;
      this.#remove(this.#all.first);
    }
  }

  #makeRoom(name: string, places: number): void {
    if (isTooLarge(places, this.#limit)) throw this.#noRoom(places);
    while (this.#places + places > this.#limit && this.size > 0) {
      const client = this.#clients.get(this.#clientSlots.get(name) ?? NONE);
      const ownPlaces = client?.places ?? 0;
      if (client && ownPlaces + places >= this.#mostPlaces) this.#remove(client.first);
      else if (places > LARGE && places > this.#mostPlaces) throw this.#noRoom(places);
      else this.#remove(this.#clients.get(this.#clientsByPlaces.get(this.#mostPlaces)?.first ?? NONE)?.first);
    }
  }

  #noRoom(places: number): PasskeyError {
    return noRoom(places, this.size);
  }

  #remove(slot: number | undefined): void {
    const entry = slot === undefined ? undefined : this.#entries.get(slot);
    if (slot === undefined || !entry) return;
    this.#slots.delete(entry.key);
    this.#amongAll.remove(this.#all, slot);
    this.#entries.delete(slot);
    this.#count(entry.client, { change: -entry.places, entry: slot });
  }

  #clientOf(name: string): number {
    const known = this.#clientSlots.get(name);
    if (known !== undefined) return known;
    // A copy: a string cut out of a header field would keep the whole header in memory.
    const own = Buffer.from(name).toString();
    const slot = this.#clients.add({ name: own, first: NONE, last: NONE, places: 0 });
    this.#clientSlots.set(own, slot);
    return slot;
  }

  /** Adds an entry and its places to a client, or takes them from it. */
  #count(slot: number, { change, entry }: { readonly change: number; readonly entry: number }): void {
    const client = this.#clients.get(slot);
    if (!client) return;
    const equals = this.#clientsByPlaces.get(client.places);
    if (equals && client.places > 0) {
      this.#amongEquals.remove(equals, slot);
      if (equals.first === NONE) this.#clientsByPlaces.delete(client.places);
    }
    if (change > 0) this.#amongClients.add(client, entry);
    else this.#amongClients.remove(client, entry);
    client.places += change;
    this.#places += change;
    if (client.places === 0) {
      this.#clients.delete(slot);
      this.#clientSlots.delete(client.name);
    } else {
      const among = this.#clientsByPlaces.get(client.places) ?? noSlots();
      this.#clientsByPlaces.set(client.places, among);
      this.#amongEquals.add(among, slot);
    }
    this.#mostPlaces = Math.max(this.#mostPlaces, client.places);
    // A sole fullest client that loses places still has some or is gone, so the next fullest is found within as many steps.
    while (this.#mostPlaces > 0 && !this.#clientsByPlaces.has(this.#mostPlaces)) this.#mostPlaces -= 1;
  }

  /** The same string for equal texts that come close after each other, as those of one application do. */
  #share(text: string): string {
    if (text.length > PLACE_SIZE) return text;
    const shared = this.#sharedTexts.get(text) ?? text;
    // The one that was used last goes to the end; the first goes when there are too many.
    this.#sharedTexts.delete(shared);
    this.#sharedTexts.set(shared, shared);
    if (this.#sharedTexts.size > SHARED_TEXTS) {
      const [first] = this.#sharedTexts.keys();
      if (first !== undefined) this.#sharedTexts.delete(first);
    }
    return shared;
  }
}

function rowKey(challenge: Uint8Array): string {
  return Buffer.from(challenge.buffer, challenge.byteOffset, challenge.length).toString('latin1');
}
