import { words } from '../examples/markdown.js';

/** A test elsewhere that sees a flag, whose lines need what no test in process has: a database, a browser, a terminal of a process. */
export interface Elsewhere {
  readonly file: string;
  readonly title: string;
}

/** Two command lines that differ by one flag, and must end differently. */
export interface Slot {
  readonly without: readonly string[];
  readonly with: readonly string[];
  /** stdin, stdout and stderr are terminals. */
  readonly terminal: boolean;
  /** The command has nothing that the flag could leave out: no colour, no question or no message. */
  readonly isIdle: boolean;
}

/**
 * What a flag adds to the line of its command: its value, empty for a switch. `more` stands in both lines, `line` in place of that of the
 * command. `idle`: the flag is one of those of every command, and the line has nothing that it could leave out.
 */
type Added =
  | string
  | { readonly value?: string; readonly more?: string; readonly line?: string; readonly terminal?: boolean; readonly idle?: true }
  | Elsewhere;

export type Slots = Readonly<Record<string, Slot | Elsewhere>>;

/** The slots of a command: its flags, each with what it adds to this line. */
export function slots(line: string, flags: Readonly<Record<string, Added>>): Slots {
  return Object.fromEntries(
    Object.entries(flags).map(([flag, added]) => {
      if (typeof added !== 'string' && 'title' in added) return [flag, added];
      const {
        value = '',
        more = '',
        line: own = line,
        terminal = false,
        idle = false,
      } = typeof added === 'string' ? { value: added } : added;
      const [before = '', behind] = own.split(/ (?=-- )/);
      const [given, last] = [words(before), behind === undefined ? [] : words(behind)];
      const without = [...given, ...words(more)];
      return [flag, { without: [...without, ...last], with: [...without, flag, ...words(value), ...last], terminal, isIdle: idle }];
    }),
  );
}

/** Flags of every command, with a line that writes a table, or one that has nothing that they could leave out. */
export const COLOUR = { '--no-color': { terminal: true } } as const;
export const COLOURLESS = { '--no-color': { terminal: true, idle: true } } as const;
export const UNASKING = { '--no-input': { terminal: true, idle: true } } as const;
export const IDLE = { idle: true } as const;
/** Whether a question has colour, Node decides by the terminal of the process. */
export const QUESTION = { file: 'test/cli/global-flags.test.ts', title: 'a question has none either' } as const;

/** All that can be seen of one run. */
export interface Seen {
  readonly text: readonly string[];
  /** What each flag of every command could leave out. */
  readonly idle: Readonly<Record<string, boolean>>;
}

export type Run = (argv: readonly string[], terminal: boolean) => Promise<Seen>;

const MOMENT = /\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?/g;
const DAY = 86_400_000;
/** A long word in two: authenticator data up to its flags, and the rest. */
const PARTS = /^.{44}(?=.{16})|.+/gs;

/** The words of a text: client data decoded, and without durations and the time of day. */
export function split(text: string): string[] {
  return text
    .replaceAll(/\beyJ[\w-]+/g, (coded) => Buffer.from(coded, 'base64url').toString('utf8'))
    .replaceAll(MOMENT, (moment) => (Math.abs(Date.parse(moment) - Date.now()) < 2 * DAY ? 'NOW' : moment))
    .replaceAll(/(?<!within [\d.]*)\b\d+(?:\.\d+)? ?m?s\b/g, 'TIME')
    .replaceAll(/("(?:ms|duration_ms|share|busy|p\d+|max)":|\bpid"?:) ?[\d.]+/g, '$1TIME')
    .replaceAll(/\[\d\d:\d\d:\d\d\]/g, 'NOW')
    .replaceAll(/[ \t]+/g, ' ')
    .split(/([\s"'`,;:(){}[\]]+)/)
    .flatMap((word) => word.match(PARTS) ?? []);
}

/** A word that another run of the same line does not have, in its place or anywhere, is chance, and so is in how many pieces it comes. */
function steady({ text }: Seen, other: Seen): readonly string[] {
  const there = new Set(other.text);
  const isThere =
    text.length === other.text.length ? (word: string, at: number) => word === other.text[at] : (word: string) => there.has(word);
  return text.map((word, at) => (isThere(word, at) ? word : '*')).filter((word, at, all) => word !== '*' || all[at - 1] !== '*');
}

/** The first words from which on two texts differ; undefined where they are the same. */
function findDifference(one: readonly string[], other: readonly string[]): string | undefined {
  const at = one.findIndex((word, index) => word !== other[index]);
  if (at === -1 && one.length === other.length) return undefined;
  return `${one.slice(Math.max(0, at - 8), at + 8).join('')} / ${other.slice(Math.max(0, at - 8), at + 8).join('')}`;
}

const runs = new Map<string, Promise<readonly [Seen, Seen]>>();

/** Two runs of a line, which may differ in words that are chance, such as keys. Many slots share the line without their flag. */
function runTwice(argv: readonly string[], terminal: boolean, run: Run): Promise<readonly [Seen, Seen]> {
  const key = JSON.stringify([argv, terminal]);
  const twice = runs.get(key) ?? run(argv, terminal).then(async (one) => [one, await run(argv, terminal)] as const);
  runs.set(key, twice);
  return twice;
}

/** @returns undefined where the flag changes what is seen, or else what is wrong. */
export async function judge(flag: string, slot: Slot, run: Run): Promise<string | undefined> {
  const line = slot.with.join(' ');
  const [one, other] = await runTwice(slot.without, slot.terminal, run);
  if (slot.isIdle) return one.idle[flag] === true ? undefined : `${line}: ${flag} has something to leave out`;
  const before = steady(one, other);
  const unsteady = findDifference(before, steady(other, one));
  if (unsteady !== undefined) return `${slot.without.join(' ')}: two runs differ by more than words: ${unsteady}`;
  const first = await run(slot.with, slot.terminal);
  const nothing = `${line}: changes nothing`;
  if (findDifference(one.text, other.text) === undefined) return findDifference(one.text, first.text) === undefined ? nothing : undefined;
  const second = await run(slot.with, slot.terminal);
  const after = steady(first, second);
  const unsteadyWith = findDifference(after, steady(second, first));
  if (unsteadyWith !== undefined) return `${line}: two runs differ by more than words: ${unsteadyWith}`;
  return findDifference(before, after) === undefined ? nothing : undefined;
}
