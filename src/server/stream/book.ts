import type { Accounts } from '../../accounts/accounts.js';
import type { Ceremony } from '../../relying-party/ports.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import type { OperationContext } from '../../webauthn/events.js';
import type { OwnerRef } from '../../webauthn/user-handle.js';
import { formatTimestamp } from '../../webauthn/wording.js';
import type { StreamEntry } from '../schemas/stream.js';
import type { FoundEntry } from './detail.js';
import { Emails } from './emails.js';
import { newEntry, ownerName } from './entry.js';
import type { Kept } from './kept-schema.js';
import type { StreamKeeper } from './port.js';
import { type StreamRecord, StreamRecords } from './records.js';

/** Entries in the list, and characters of what is kept of them in memory. */
const MOST_ENTRIES = 1_000;
const ROOM = 16_000_000;

/** Of one entry, or that all of them are gone. */
export type StreamChange = StreamEntry | 'cleared';

export interface StreamBookOptions {
  readonly accounts: Accounts;
  readonly keeper: StreamKeeper | undefined;
  /** What ids of this start begin with: no other start has it. */
  readonly start: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Told what of earlier starts cannot be read. */
  readonly onDamage: (reason: string) => void;
}

/** The entries of the stream, those whose challenges are still good, and who is told of their changes. */
export class StreamBook {
  readonly #options: StreamBookOptions;
  readonly #records: StreamRecords;
  readonly #emails: Emails;
  /** Those that were begun here, by their challenge. */
  readonly #begun = new Map<string, StreamRecord>();
  /** What is still to come to its end: open, or withheld. */
  readonly #live = new Set<StreamRecord>();
  readonly #listeners = new Set<(change: StreamChange) => void>();
  readonly #stop: () => void;
  #last = 0;

  constructor(options: StreamBookOptions) {
    const { accounts, keeper, start, onDamage } = options;
    this.#options = options;
    this.#records = new StreamRecords({ keeper, start: `${start}-`, most: MOST_ENTRIES, room: ROOM, onDamage });
    this.#emails = new Emails(accounts);
    this.#stop = accounts.on((event) => {
      if (event.type === 'owner-edited') this.#emails.set(event.owner, event.owner.email);
    });
  }

  on(listener: (change: StreamChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The newest first. */
  async list(): Promise<StreamEntry[]> {
    this.expire();
    return await this.#records.list();
  }

  /** Undefined where there is no such entry. */
  async find(id: string): Promise<FoundEntry | undefined> {
    this.expire();
    const record = this.#records.get(id);
    const entry = record?.entry ?? (await this.#records.findBefore(id));
    if (entry === undefined) return undefined;
    this.#records.write();
    const { challenge, withheld } = record ?? {};
    return {
      entry,
      kept: (record && this.#records.keptOf(record)) ?? (await this.#records.keptInFile(id)),
      challenge: entry.state === 'expired' ? challenge : undefined,
      withheld,
    };
  }

  async clear(): Promise<void> {
    await this.#records.clear();
    this.#begun.clear();
    this.#live.clear();
    for (const listener of this.#listeners) listener('cleared');
  }

  /** Ends what its challenge has outlived. */
  expire(): void {
    const now = this.#options.now();
    for (const record of this.#live) {
      if (record.goodUntil > now) continue;
      if (record.withheld !== undefined) {
        this.#over(record);
        record.withheld = undefined;
        record.kept = this.#records.keptOf(record);
        this.changed(record);
      } else {
        this.end(record, record.goodUntil);
      }
    }
  }

  /** It has come to its end without having been answered. */
  end(record: StreamRecord, at: number): void {
    this.#over(record);
    record.entry.state = 'expired';
    record.entry.finished_at = formatTimestamp(at);
    this.changed(record);
  }

  /** The one that was begun with a challenge, in base64url. */
  begunWith(challenge: string): StreamRecord | undefined {
    return this.#begun.get(challenge);
  }

  /** @param ceremony that has just been begun. */
  add(given: Omit<Parameters<typeof newEntry>[0], 'id'>, kept: Kept, ceremony?: Ceremony): StreamRecord {
    this.#last += 1;
    const entry = newEntry({ ...given, id: `${this.#options.start}-${this.#last}` });
    const challenge = ceremony && encodeBase64url(ceremony.challenge);
    const record: StreamRecord = { entry, challenge, ceremony, goodUntil: 0, answered: false, withheld: undefined, kept, text: undefined };
    if (ceremony !== undefined && challenge !== undefined) {
      record.goodUntil = ceremony.expiresAt;
      this.#begun.set(challenge, record);
      this.#live.add(record);
    }
    for (const gone of this.#records.add(record)) {
      this.#live.delete(gone);
      if (gone.challenge !== undefined) this.#begun.delete(gone.challenge);
    }
    return record;
  }

  /**
   * @param ceremony that was answered, where the relying party has not taken it.
   * @param clientData as text.
   */
  answered(record: StreamRecord, ceremony: Ceremony | undefined, clientData: string): void {
    const now = this.#options.now();
    const isGood = ceremony !== undefined && ceremony.expiresAt > now;
    record.answered = true;
    this.#over(record);
    // A client may name any challenge, in any way.
    const named = [...this.#live].filter(
      ({ challenge, goodUntil }) => goodUntil > now && challenge !== undefined && clientData.includes(challenge),
    );
    const ofOptions = isGood && clientData.includes(encodeBase64url(ceremony.challenge));
    if (!isGood && named.length === 0) return;
    record.withheld = { options: isGood, response: ofOptions || named.length > 0 };
    record.goodUntil = Math.max(isGood ? ceremony.expiresAt : 0, ...named.map(({ goodUntil }) => goodUntil));
    this.#live.add(record);
  }

  #over(record: StreamRecord): void {
    this.#live.delete(record);
    record.ceremony = undefined;
  }

  keep(record: StreamRecord, more: Partial<Kept>): void {
    const kept = this.#records.keptOf(record);
    if (kept !== undefined) record.kept = { ...kept, ...more };
  }

  /** Whose it is. The e-mail may come a little later. */
  belongsTo(record: StreamRecord, owner: OwnerRef | undefined, { user }: OperationContext): void {
    if (user !== undefined) this.#emails.set(user, user.email);
    if (owner === undefined) return;
    const { entry } = record;
    entry.owner = ownerName(owner);
    const known = this.#emails.get(owner);
    if (known !== undefined) {
      entry.user = known;
      return;
    }
    void this.#emails.find(owner).then((email) => {
      if (email === undefined) return;
      entry.user = email;
      this.changed(record);
    });
  }

  changed(record: StreamRecord): void {
    this.#records.changed(record);
    for (const listener of this.#listeners) listener(record.entry);
  }

  /** Resolves when all that is to be kept has been written. */
  async close(): Promise<void> {
    this.#stop();
    this.expire();
    await this.#records.close();
  }
}
