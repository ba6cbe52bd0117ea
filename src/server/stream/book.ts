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
/** Milliseconds between looks for ceremonies that have expired: the store forgets how they ended before long. */
const PAUSE = 1_000;

/** A change of one entry, or the removal of all. */
type StreamChange = StreamEntry | 'cleared';

interface Answered {
  readonly taken: Ceremony | undefined;
  readonly ceremony: Ceremony | undefined;
  readonly response: unknown;
}

export interface StreamBookOptions {
  /** The beginning of all ids of this start, unlike that of any other start. */
  readonly start: string;
  /** Called once when the changes of other processes cannot be read. */
  readonly onDamage: (reason: string) => void;
  readonly accounts: Accounts;
  readonly others: OtherProcesses;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The entries of the stream, those whose challenges are still good, and the listeners for their changes. */
export class StreamBook {
  readonly #options: StreamBookOptions;
  readonly #records = new StreamRecords({ most: MOST_ENTRIES, mostUnanswered: MOST_UNANSWERED });
  readonly #emails: Emails;
  /** Entries begun here, by their challenge. */
  readonly #begun = new Map<string, StreamRecord>();
  /** Records that have not ended: open, or withheld. */
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

  /** The newest first. */
  async list(): Promise<StreamEntry[]> {
    await this.refresh();
    return this.#records.list();
  }

  /** Undefined if there is no such entry. */
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

  /** Ends what its challenge has outlived, and takes over what other processes did: one look after the other. */
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

  /** Releases the entries that were withheld. @returns those that were never answered here. */
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

  /** It has come to its end without having been answered here. This server cannot know whether it was elsewhere. */
  end(record: StreamRecord, state: 'expired' | 'elsewhere', at: number): void {
    this.#over(record);
    record.entry.state = state;
    record.entry.finished_at = state === 'elsewhere' ? null : formatTimestamp(at);
    this.changed(record);
  }

  /** The entry begun with a challenge, in base64url. */
  begunWith(challenge: string): StreamRecord | undefined {
    return this.#begun.get(challenge);
  }

  /** The entry of the pages of another origin. */
  foreign(origin: string): StreamRecord | undefined {
    return [...this.#records.all()].find(({ entry }) => entry.foreign?.origin === origin);
  }

  /** @param ceremony that has just been begun. */
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

  /** The ceremony that the relying party took, or otherwise the one that was answered. */
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

  /** Whose it is. The e-mail may come a little later. */
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

  /** Resolves when nothing reads the store any more. */
  async close(): Promise<void> {
    this.#stop();
    clearInterval(this.#looks);
    await this.#looked;
  }
}
