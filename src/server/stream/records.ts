import type { Ceremony } from '../../relying-party/ports.js';
import type { StreamEntry } from '../schemas/stream.js';
import type { Kept } from './kept-entry.js';
import { LONGEST_LINE, type Withheld, withoutOpen } from './kept-entry.js';
import type { StreamKeeper } from './port.js';

/** An entry of this start of the server, with what is kept of it. */
export interface StreamRecord {
  readonly entry: StreamEntry;
  /** That it was begun with here, in base64url. */
  readonly challenge: string | undefined;
  /** As long as its challenge is good: options may be long. */
  ceremony: Ceremony | undefined;
  /** Until when the challenge is good. Milliseconds since the epoch. */
  goodUntil: number;
  /** Somebody has answered it. */
  answered: boolean;
  /** Until its challenge has expired. */
  withheld: Withheld | undefined;
  /** As it is to be written; undefined when it has been, and has not changed since. */
  kept: Kept | undefined;
  /** The text that was written: {@link Kept} as JSON. Undefined when there was no room for it any more. */
  text: string | undefined;
  /** The keeper has it as it is kept now. */
  inFile: boolean;
}

export interface RecordsOptions {
  readonly keeper: StreamKeeper | undefined;
  /** The beginning of all ids of this start: no other start has it. */
  readonly start: string;
  /** Entries that last, and besides them those that do not. */
  readonly most: number;
  readonly mostUnanswered: number;
  /** Characters of what is kept beside them. */
  readonly room: number;
  /** Told what of earlier starts, or of other processes, cannot be read. */
  readonly onDamage: (reason: string) => void;
}

/** Milliseconds. A ceremony changes several times while its request runs, and is written once. */
const PAUSE = 100;
/** So many parts of those that last may be kept in memory beyond the list. */
const MORE = 20;

/** The entries of the stream, in bounded memory; and their way to the keeper and back. */
export class StreamRecords {
  readonly #options: RecordsOptions;
  /** Entries of this start, the oldest first. */
  readonly #own = new Map<string, StreamRecord>();
  /** Entries of earlier starts, the oldest first; undefined until they are asked for. */
  #before: Promise<StreamEntry[]> | undefined;
  readonly #changed = new Set<StreamRecord>();
  #timer: NodeJS.Timeout | undefined;
  #warned = false;
  #added = 0;
  /** How many calls empty it just now. */
  #holding = 0;
  #room: number;

  constructor(options: RecordsOptions) {
    this.#options = options;
    this.#room = options.room;
  }

  /** Those of this start, the oldest first. */
  own(): Iterable<StreamRecord> {
    return this.#own.values();
  }

  get(id: string): StreamRecord | undefined {
    return this.#own.get(id);
  }

  /** @returns those for which there is no room any more. The search goes through all, so that with each entry it took 7 % of a login. */
  add(record: StreamRecord): StreamRecord[] {
    this.#own.set(record.entry.id, record);
    this.changed(record);
    this.#added += 1;
    if (this.#added % Math.ceil(this.#options.most / MORE) !== 0) return [];
    const gone = new Set(
      beyond(
        [...this.#own.values()].map(({ entry }) => entry),
        this.#options,
      ),
    );
    return [...this.#own.values()].filter((oldest) => {
      if (!gone.has(oldest.entry)) return false;
      this.#own.delete(oldest.entry.id);
      this.#room += oldest.text?.length ?? 0;
      return true;
    });
  }

  /** To be written, soon. */
  changed(record: StreamRecord): void {
    this.#changed.add(record);
    this.#timer ??= setTimeout(() => this.write(), PAUSE).unref();
  }

  /** The kept part of an entry of this start; undefined when it is not kept in memory any more. */
  keptOf({ kept, text }: StreamRecord): Kept | undefined {
    return kept ?? (text === undefined ? undefined : (JSON.parse(text) as Kept));
  }

  /** The newest first, those of earlier starts last. */
  async list(): Promise<StreamEntry[]> {
    // What a command did may have been written by another server too.
    const before = (await this.#loaded()).filter(({ id }) => !this.#own.has(id));
    const own = [...this.#own.values()].map(({ entry }) => entry);
    // What other processes did may have been heard of late.
    const all = [...before, ...own].sort((a, b) => (a.at === b.at ? 0 : a.at < b.at ? -1 : 1));
    return within(all, this.#options).reverse();
  }

  /** Finds an entry of an earlier start. */
  async findBefore(id: string): Promise<StreamEntry | undefined> {
    return (await this.#loaded()).find((entry) => entry.id === id);
  }

  /** The keeper's part of an entry; undefined when it has none. */
  async keptInFile(id: string): Promise<unknown> {
    this.write();
    await this.#options.keeper?.settled();
    const lines = (await this.#lines()).filter((line) => line.includes(`"${id}"`));
    const { readLines } = await readingLines();
    return (await readLines(lines, { kept: true })).lines.findLast(({ entry, kept }) => entry.id === id && kept !== null)?.kept;
  }

  /** Removes all entries. Those that the keeper cannot remove stay here as well. */
  async clear(): Promise<void> {
    // Nothing that is to go may follow what the keeper removes.
    this.#holding += 1;
    try {
      await this.#options.keeper?.clear();
      this.#own.clear();
      this.#changed.clear();
      this.#room = this.#options.room;
      this.#before = Promise.resolve([]);
    } finally {
      this.#holding -= 1;
      if (this.#changed.size > 0) this.write();
    }
  }

  /** Hands what has changed to the keeper. Unanswered entries only with `all`: other pages may cause as many as they like. */
  write({ all = false } = {}): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#holding > 0) return;
    const { keeper } = this.#options;
    const unanswered = all ? [...this.#own.values()].filter(({ entry }) => !isLasting(entry)) : [];
    const lines: string[] = [];
    for (const record of new Set([...this.#changed, ...unanswered])) {
      const { kept, entry } = record;
      const isListed = this.#own.has(entry.id);
      if (kept !== undefined) record.inFile = false;
      if (keeper !== undefined && (isLasting(entry) || (all && isListed))) {
        lines.push(this.#line(record));
        record.inFile = true;
      }
      if (kept !== undefined && isListed) this.#keep(record, JSON.stringify(kept));
    }
    this.#changed.clear();
    if (lines.length > 0) keeper?.append(lines);
  }

  #line(record: StreamRecord): string {
    const kept = record.inFile ? undefined : this.keptOf(record);
    return textOfLine(record.entry, kept && (record.withheld === undefined ? kept : withoutOpen(kept, record.withheld)));
  }

  async close(): Promise<void> {
    this.write({ all: true });
    await this.#options.keeper?.settled();
  }

  #keep(record: StreamRecord, text: string): void {
    this.#room += (record.text?.length ?? 0) - text.length;
    record.text = text;
    record.kept = undefined;
    if (this.#room >= 0) return;
    const own = [...this.#own.values()];
    for (const oldest of [...own.filter(({ entry }) => !isLasting(entry)), ...own]) {
      if (this.#room >= 0) return;
      if (oldest === record) continue;
      this.#room += oldest.text?.length ?? 0;
      oldest.text = undefined;
    }
  }

  async #loaded(): Promise<StreamEntry[]> {
    this.#before ??= this.#load();
    return await this.#before;
  }

  async #load(): Promise<StreamEntry[]> {
    const { readLines } = await readingLines();
    const { lines, damaged } = await readLines(await this.#lines(), { kept: false });
    if (damaged > 0) {
      this.#warn(`${damaged} ${damaged === 1 ? 'line' : 'lines'} of the stream of earlier starts cannot be read, and are left out.`);
    }
    const found = new Map<string, StreamEntry>();
    for (const { entry } of lines) {
      if (entry.id.startsWith(this.#options.start)) continue;
      // An entry that changed keeps its place.
      found.set(entry.id, { ...entry, before: true, state: entry.state === 'open' ? 'expired' : entry.state });
    }
    return within([...found.values()], this.#options);
  }

  async #lines(): Promise<readonly string[]> {
    try {
      return (await this.#options.keeper?.read()) ?? [];
    } catch (error) {
      this.#warn(`The stream of earlier starts cannot be read. ${error instanceof Error ? error.message : String(error)}`);
      return [];
    }
  }

  #warn(reason: string): void {
    if (this.#warned) return;
    this.#warned = true;
    this.#options.onDamage(reason);
  }
}

/** Loaded when somebody asks for what was before: what checks the lines takes a while to load. */
const readingLines = async () => await import('./lines.js');

/** @param kept undefined when it has been written before. It is left out when it would make the line too long. */
function textOfLine(entry: StreamEntry, kept: Kept | undefined): string {
  const start = `{"entry":${JSON.stringify(entry)},"kept":`;
  const text = kept === undefined ? 'null' : JSON.stringify(kept);
  return `${start}${start.length + text.length < LONGEST_LINE ? text : 'null'}}`;
}

/** Ceremonies that were answered, and changes. Requests of any page cause the other entries. */
function isLasting({ kind, state }: StreamEntry): boolean {
  return kind === 'change' || state === 'verified' || state === 'rejected' || state === 'elsewhere' || state === 'undecided';
}

type Limits = Pick<RecordsOptions, 'most' | 'mostUnanswered'>;

/** Entries for which there is no room: the oldest of those that last, and apart from them of all others. */
function beyond(entries: readonly StreamEntry[], { most, mostUnanswered }: Limits): readonly StreamEntry[] {
  const lasting = entries.filter(isLasting);
  const others = entries.filter((entry) => !isLasting(entry));
  return [...lasting.slice(0, Math.max(0, lasting.length - most)), ...others.slice(0, Math.max(0, others.length - mostUnanswered))];
}

function within(entries: readonly StreamEntry[], limits: Limits): StreamEntry[] {
  const gone = new Set(beyond(entries, limits));
  return entries.filter((entry) => !gone.has(entry));
}
