import type { Accounts } from '../../accounts/accounts.js';
import type { OperationContext } from '../../kernel/events.js';
import { nameOwner, type OwnerRef } from '../../kernel/owner.js';
import { formatTimestamp } from '../../kernel/wording.js';
import type { Ceremony } from '../../relying-party/ports.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import type { StreamEntry } from '../schemas/stream.js';
import type { FoundEntry } from './detail.js';
import { Emails } from './emails.js';
import { newEntry } from './entry.js';
import { foreignEntry, Others } from './foreign-changes.js';
import type { Kept } from './kept.js';
import { OpenChallenges } from './open-challenges.js';
import type { OtherProcesses } from './port.js';
import { type StreamRecord, StreamRecords } from './records.js';

const MOST_ENTRIES = 1_000;
const MOST_UNANSWERED = 200;
/**
 * Milliseconds between two checks for ceremonies that have expired. The checks are frequent because the store soon forgets how a ceremony
 * ended.
 */
const PAUSE = 1_000;

/** A changed entry, or the removal of all entries. */
type StreamChange = StreamEntry | 'cleared';

interface Answered {
  readonly taken: Ceremony | undefined;
  readonly ceremony: Ceremony | undefined;
  readonly response: unknown;
}

export interface StreamBookOptions {
  /** Prefix of the ids of all entries made since this start of the server. Every start has another prefix. */
  readonly start: string;
  /** Called once if the changes of other processes cannot be read. */
  readonly onDamage: (reason: string) => void;
  readonly accounts: Accounts;
  readonly others: OtherProcesses;
  /** Returns the current time, in milliseconds since the epoch. */
  readonly now: () => number;
}

/** Keeps the entries of the stream, tracks which challenges are still valid, and notifies listeners of changes. */
export class StreamBook {
  readonly #options: StreamBookOptions;
  readonly #records = new StreamRecords({ most: MOST_ENTRIES, mostUnanswered: MOST_UNANSWERED });
  readonly #emails: Emails;
  /** Entries of ceremonies that began at this server, by challenge. */
  readonly #begun = new Map<string, StreamRecord>();
  /** Entries that have not ended, and entries of which parts are withheld because a challenge in them is still valid. */
  readonly #live = new Set<StreamRecord>();
  readonly #open = new OpenChallenges();
  readonly #listeners = new Set<(change: StreamChange) => void>();
  readonly #others: Others;
  readonly #stop: () => void;
  readonly #looks: NodeJS.Timeout;
  #looked: Promise<void> = Promise.resolve();
  #last = 0;

  constructor(options: StreamBookOptions) {
    const { accounts, others, onDamage } = options;
    this.#options = options;
    this.#emails = new Emails(accounts);
    this.#others = new Others(others, onDamage);
    this.#looks = setInterval(() => void this.#after(() => this.#endDue()), PAUSE).unref();
    this.#stop = accounts.on((event) => {
      if (event.type === 'owner-edited') this.#emails.set(event.owner, event.owner.email);
    });
  }

  on(listener: (change: StreamChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Lists all entries, the newest first. */
  async list(): Promise<StreamEntry[]> {
    await this.refresh();
    return this.#records.list();
  }

  /** Finds an entry. Undefined if there is none with this id. */
  async find(id: string): Promise<FoundEntry | undefined> {
    await this.refresh();
    const record = this.#records.get(id);
    if (record === undefined) return undefined;
    const { entry, kept, challenge, withheld } = record;
    return {
      // A copy: the entry may end before its caller reads it, and what is kept here would lack that end.
      entry: { ...entry },
      kept,
      challenge: entry.state === 'expired' || entry.state === 'elsewhere' ? challenge : undefined,
      withheld,
    };
  }

  clear(): void {
    this.#records.clear();
    this.#begun.clear();
    this.#live.clear();
    for (const listener of this.#listeners) listener('cleared');
  }

  /** Ends entries whose challenge has expired, and adds changes that other processes made. Calls run one after another. */
  refresh(): Promise<void> {
    return this.#after(async () => {
      await this.#endDue();
      await this.#takeOver();
    });
  }

  #after(look: () => Promise<void>): Promise<void> {
    this.#looked = this.#looked.then(look);
    return this.#looked;
  }

  async #endDue(): Promise<void> {
    const due = this.#expire();
    const answered = await this.#others.answered(due.flatMap(({ ceremony }) => ceremony?.challenge ?? []));
    for (const record of due) {
      // Meanwhile it may have been.
      if (record.answered || !this.#live.has(record)) continue;
      this.end(record, record.challenge !== undefined && answered.has(record.challenge) ? 'elsewhere' : 'expired', record.goodUntil);
    }
  }

  async #takeOver(): Promise<void> {
    for (const change of await this.#others.changes()) {
      if (this.#records.get(change.id) !== undefined) continue;
      const { given, kept } = foreignEntry(change);
      const record = this.add(given, kept);
      const { owner, email } = change;
      this.belongsTo(record, owner, owner === undefined || email === undefined ? {} : { user: { ...owner, email } });
      this.changed(record);
    }
  }

  /**
   * Releases the withheld parts of entries whose challenge has expired. @returns the expired entries that never got a response at this
   * server.
   */
  #expire(): StreamRecord[] {
    const now = this.#options.now();
    this.#open.expire(now);
    const due: StreamRecord[] = [];
    for (const record of this.#live) {
      if (record.goodUntil > now) continue;
      if (record.withheld !== undefined) {
        this.#over(record);
        record.withheld = undefined;
        this.changed(record);
      } else {
        due.push(record);
      }
    }
    return due;
  }

  /**
   * Ends an entry that never got a response at this server. The ceremony may have got a response at another server, which this server
   * cannot always know.
   */
  end(record: StreamRecord, state: 'expired' | 'elsewhere', at: number): void {
    this.#over(record);
    record.entry.state = state;
    record.entry.finished_at = state === 'elsewhere' ? null : formatTimestamp(at);
    this.changed(record);
  }

  /** Finds the entry of the ceremony that started with this challenge, in base64url. */
  begunWith(challenge: string): StreamRecord | undefined {
    return this.#begun.get(challenge);
  }

  /** Finds the entry for the calls of pages from another origin. */
  foreign(origin: string): StreamRecord | undefined {
    return [...this.#records.all()].find(({ entry }) => entry.foreign?.origin === origin);
  }

  /** Adds an entry. @param ceremony the ceremony that has just begun, if the entry is about one. */
  add(given: Omit<Parameters<typeof newEntry>[0], 'id'> & { readonly id?: string }, kept: Kept, ceremony?: Ceremony): StreamRecord {
    this.#last += 1;
    const entry = newEntry({ id: `${this.#options.start}-${this.#last}`, ...given });
    const challenge = ceremony && encodeBase64url(ceremony.challenge);
    const record: StreamRecord = {
      entry,
      challenge,
      ceremony,
      goodUntil: 0,
      answered: false,
      withheld: undefined,
      kept,
    };
    if (ceremony !== undefined && challenge !== undefined) {
      record.goodUntil = ceremony.expiresAt;
      this.#begun.set(challenge, record);
      this.#open.add(challenge, ceremony.expiresAt);
      this.#live.add(record);
    }
    for (const gone of this.#records.add(record)) {
      this.#live.delete(gone);
      if (gone.challenge !== undefined) this.#begun.delete(gone.challenge);
    }
    return record;
  }

  /**
   * Records that an entry got a response. `ceremony` is the ceremony that the response belongs to. `taken` is the ceremony whose challenge
   * the relying party used up, if any.
   */
  answered(record: StreamRecord, { taken, ceremony, response }: Answered): void {
    const now = this.#options.now();
    const spent = taken && encodeBase64url(taken.challenge);
    if (spent !== undefined) this.#open.spent(spent);
    record.answered = true;
    this.#over(record);
    const goodUntil = taken === undefined && ceremony !== undefined && ceremony.expiresAt > now ? ceremony.expiresAt : undefined;
    const named = this.#open.namedIn(response, { now, taken: spent });
    if (goodUntil === undefined && named === undefined) return;
    record.withheld = { options: goodUntil !== undefined, response: named !== undefined };
    record.goodUntil = Math.max(goodUntil ?? 0, named ?? 0);
    this.#live.add(record);
  }

  #over(record: StreamRecord): void {
    this.#live.delete(record);
    record.ceremony = undefined;
  }

  keep(record: StreamRecord, more: Partial<Kept>): void {
    record.kept = { ...record.kept, ...more };
  }

  /** Notes the owner of an entry. The owner's e-mail address may be added later. */
  belongsTo(record: StreamRecord, owner: OwnerRef | undefined, { user }: OperationContext): void {
    if (user !== undefined) this.#emails.set(user, user.email);
    if (owner === undefined) return;
    const { entry } = record;
    entry.owner = nameOwner(owner);
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
    for (const listener of this.#listeners) listener(record.entry);
  }

  /** Resolves when no reads of the store are in progress any more. */
  async close(): Promise<void> {
    this.#stop();
    clearInterval(this.#looks);
    await this.#looked;
  }
}
