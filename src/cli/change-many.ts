import type { Command } from 'commander';
import * as Type from 'typebox';
import { PasskeyError } from '../errors.js';
import type { BulkOptions } from '../kernel/bulk-change.js';
import { orNull } from '../kernel/schema-kit.js';
import { grouped, groupedCount } from '../kernel/wording.js';
import { confirmNumber, pick } from './ask.js';
import { BATCH, changeInBatches, type DocumentLists, inBatches, type Page, printInBatches, readBatches } from './change-in-batches.js';
import { type Flags, resolveStoreSettings } from './config/resolve.js';
import type { Asked } from './filters.js';
import { addFlags } from './flags.js';
import { interruptible } from './interruption.js';
import { canAsk, cannotAsk, type Io, printJson, say, warn } from './io.js';
import { printable } from './output/printable.js';
import { type Rows, tableLines } from './output/table.js';
import { newChangeId, type Parties, withParties } from './parties.js';
import { progressLine } from './progress.js';

// The common part of `revoke`, `restore`, `token revoke`, `user remove` and `purge`: the user names, filters or picks things, sees them and
// agrees. Then all of them are changed, or none; if they are more than a batch, all or none of each batch.

/** Heading in the help, above the flags of a bulk change. */
export const CHANGE = 'Change:';

/** Adds the flags of a command that changes many things at once. */
export function addChangeOptions(command: Command, { done, kept }: { readonly done: string; readonly kept: string }): Command {
  return addFlags(command, { yes: true, dryRun: `only show what would be ${done}`, reason: kept, json: true }, 'Change:');
}

export const CHOICE_HELP =
  'Without ids and filters, pick from a list: type to search it, and press Tab to select (or the space bar, before a search). A change of more than ten is confirmed by typing their number. All of them are changed, or none.';

/** Schema of a bulk change's id in the JSON output of commands. */
export const changeSchema = orNull(Type.String({ description: 'Id of the change; null when nothing was changed.' }));

/** Nouns and verbs for the messages about a bulk change. */
interface Wording {
  /** Name of one thing, such as `passkey`. */
  readonly noun: string;
  /** The verb in three forms, such as `revoke`, `Revoking` and `Revoked`. */
  readonly verb: readonly [base: string, going: string, done: string];
}

/** A command that changes many things of one kind, such as passkeys. A `Ref` identifies one thing. */
export interface ManyChange<T, Ref, Result> extends Wording {
  /** Adjective for the things that can be changed, such as `live`. Messages use it. */
  readonly from: string;
  /** Arguments of the command, each of which names things. */
  readonly given: readonly string[];
  /** Whether to ask for confirmation even if arguments name every thing. */
  readonly asksAlways: boolean;
  /** Reads the filters from the command line. */
  asked(parties: Parties): Promise<readonly Asked[]>;
  /** Finds the things that the arguments name, whatever state they are in. */
  named(parties: Parties): Promise<readonly Ref[]>;
  /** Selects the things that can be changed from a list of at most {@link BATCH} things. */
  changing(parties: Parties, refs: readonly Ref[]): Promise<readonly Ref[]>;
  /** Finds the things that match all filters and can be changed. Without filters, finds everything that can be changed. */
  matching(parties: Parties, asked: readonly Asked[], page: Page<Ref>): Promise<readonly Ref[]>;
  /** Counts the things that {@link matching} would find on all pages. */
  count(parties: Parties, asked: readonly Asked[]): Promise<number>;
  toRef(thing: T): Ref;
  /** Reads things, in the order of `refs`. */
  list(parties: Parties, refs: readonly Ref[]): Promise<readonly T[]>;
  table(parties: Parties, things: readonly T[]): Promise<Rows<T>>;
  /** Explains why a thing stays unchanged. Undefined if it will change. */
  unchanged(thing: T): string | undefined;
  /** Common reason for many unchanged things, when they are not named one by one: `had been revoked before`. */
  readonly unchangedMany: string;
  /** Set if the message after the change also names the side effects. */
  readonly saysAfter?: true;
  /** Describes the side effects of a change: `; 2 passkeys will be revoked`. */
  consequence?(things: readonly T[], parties: Parties): string | Promise<string>;
  make(parties: Parties, refs: readonly Ref[], options: ChangeOptions): Promise<Result>;
  /** Finds the earlier change that this command continues. Undefined if the command starts a new change. */
  resumed?(parties: Parties): Promise<Omit<ChangeOptions, keyof BulkOptions> | undefined>;
  /** Tells the user how to continue a change that was interrupted. Default: by running the same command again. */
  resume?(change: string): string;
  /** Makes the arrays of the `--json` document. They describe either a change that was made, or the things that would be changed. */
  toLists(parties: Parties, outcome: { readonly result: Result } | { readonly things: readonly T[] }): Promise<DocumentLists>;
  /** Prints the things that were changed, or that would be changed, in a form for people. */
  print(parties: Parties, outcome: { readonly result: Result } | { readonly things: readonly T[] }): Promise<void>;
  /**
   * Counts the chosen things that stayed unchanged, and explains why: `stay revoked, because …`. Default: all chosen things are changed.
   */
  readonly stayed?: { count(result: Result): number; why(number: number): string };
  /** Returns the command that undoes a change, such as `passkey restore --change ID`. Default: the change cannot be undone. */
  undo?(change: string): string;
}

interface ChangeOptions extends BulkOptions {
  readonly reason: string | undefined;
  /** Id of the bulk change. */
  readonly change: string;
}

/**
 * Runs a command that changes many things. It changes all of them, or none if one of them does not exist or if a signal arrives first. With
 * more than {@link BATCH} things, each batch is changed completely or not at all. Returns the exit code.
 */
export function changeMany<T, Ref, Result>(io: Io, flags: Flags, change: ManyChange<T, Ref, Result>): Promise<number> {
  const { noun } = change;
  const [base, , done] = change.verb;
  return interruptible(io, async (signal) => {
    const settings = await resolveStoreSettings(io, flags);
    return withParties(io, { settings, create: false }, async (parties) => {
      const asked = await change.asked(parties);
      const resumed = await change.resumed?.(parties);
      const id = resumed?.change ?? newChangeId();
      const options = { reason: typeof flags.reason === 'string' ? flags.reason : resumed?.reason, signal, change: id };
      const refs = await choose(io, { change, parties, asked });
      if (refs !== undefined && refs.length > BATCH) return changeMore(io, flags, { change, parties, asked, refs, options });
      const report = async (made: string | null, outcome: Parameters<typeof change.toLists>[1]) => {
        if (flags.json !== true) return change.print(parties, outcome);
        printJson(io, { dry_run: flags.dryRun === true, change: made, ...(await change.toLists(parties, outcome)) });
      };
      if (refs === undefined) {
        await report(null, { things: [] });
        say(io, 'Nothing was selected; nothing was changed.');
        return 0;
      }
      const chosen = await change.list(parties, refs);
      const changing = chosen.filter((thing) => change.unchanged(thing) === undefined);
      const counted = groupedCount(changing.length, noun);
      const consequence = (await change.consequence?.(changing, parties)) ?? '';
      sayUnchanged(io, chosen, change);
      if (flags.dryRun === true || changing.length === 0) {
        await report(null, { things: chosen });
        const would = `${counted} would be ${done.toLowerCase()}${consequence}; nothing was changed.`;
        say(io, changing.length === 0 ? printable(nothingTo(change, asked)) : would);
        return 0;
      }
      const consent = {
        question: `${capital(base)} ${counted}${consequence}?`,
        things: changing,
        noun,
        table: (things: readonly T[]) => change.table(parties, things),
      };
      const oneByOne = chosen.length <= change.given.length;
      if ((change.asksAlways || !oneByOne) && !(await consents(io, flags, consent))) {
        say(io, `Nothing was ${done.toLowerCase()}.`);
        return 1;
      }
      const result = await withProgress(io, { ...change, total: changing.length }, (progress) =>
        change.make(parties, chosen.map(change.toRef), { ...options, ...progress }),
      );
      await report(id, { result });
      const stayed = change.stayed?.count(result) ?? 0;
      sayDone(io, change, { id, number: changing.length, stayed, consequence: change.saysAfter === true ? consequence : '' });
      return 0;
    });
  });
}

interface Done {
  readonly id: string;
  /** Number of things that the command tried to change. Some of them may have stayed unchanged. */
  readonly number: number;
  readonly stayed: number;
  readonly consequence: string;
}

function sayDone<T, Ref, Result>(io: Io, change: ManyChange<T, Ref, Result>, { id, number, stayed, consequence }: Done): void {
  const { noun, verb } = change;
  const others = stayed === 0 ? '' : ` ${groupedCount(stayed, noun)} ${change.stayed?.why(stayed)}.`;
  say(io, `${verb[2]} ${groupedCount(number - stayed, noun)} (change ${id})${consequence}.${others}${undo(change, id)}`);
}

const undo = <T, Ref, Result>(change: ManyChange<T, Ref, Result>, id: string): string =>
  change.undo === undefined ? '' : ` \`${change.undo(id)}\` undoes it.`;

interface More<T, Ref, Result> {
  readonly change: ManyChange<T, Ref, Result>;
  readonly parties: Parties;
  readonly asked: readonly Asked[];
  /**
   * More than {@link BATCH} references: to all things that arguments name or the user picked, or to the first things that the filters find.
   */
  readonly refs: readonly Ref[];
  readonly options: ChangeOptions;
}

/** Makes a change in batches, because there are more things than one operation may change. */
async function changeMore<T, Ref, Result>(io: Io, flags: Flags, o: More<T, Ref, Result>): Promise<number> {
  const { change, parties, options } = o;
  const { noun, verb } = change;
  const [base, , done] = verb;
  const { total, batches } = await (o.asked.length > 0 ? selectMatching(o) : selectChanging(io, o));
  const counted = groupedCount(total, noun);
  const isDry = flags.dryRun === true || total === 0;
  const document = printInBatches(io, { dry_run: flags.dryRun === true, change: isDry ? null : options.change });
  if (isDry) {
    if (flags.json === true) {
      await document.add(await change.toLists(parties, { things: [] }));
      for await (const batch of batches) await document.add(await change.toLists(parties, { things: await change.list(parties, batch) }));
      await document.end();
    }
    say(io, total === 0 ? nothingTo(change, []) : `${counted} would be ${done.toLowerCase()}; nothing was changed.`);
    return 0;
  }
  const things = await change.list(parties, o.refs.slice(0, PREVIEWED));
  const question = `${capital(base)} ${counted}?`;
  if (
    !(await consents(io, flags, { question, number: total, things, listed: total, noun, table: (shown) => change.table(parties, shown) }))
  ) {
    say(io, `Nothing was ${done.toLowerCase()}.`);
    return 1;
  }
  let stayed = 0;
  const resume = change.resume?.(options.change) ?? 'Run the same command again to continue.';
  const hint = `${resume}${undo(change, options.change)}`;
  const changed = await changeInBatches(io, parties.store, {
    noun,
    verb,
    batches,
    total,
    change: options.change,
    hint,
    async make(batch, onProgress) {
      const result = await change.make(parties, batch, { ...options, onProgress });
      stayed += change.stayed?.count(result) ?? 0;
      if (flags.json === true) await document.add(await change.toLists(parties, { result }));
    },
    end: document.end,
  });
  sayDone(io, change, { id: options.change, number: changed, stayed, consequence: '' });
  return 0;
}

interface Selected<Ref> {
  readonly total: number;
  readonly batches: AsyncIterable<readonly Ref[]> | Iterable<readonly Ref[]>;
}

/** Selects the things that match the filters. Reads their references page by page, so that they are never all in memory at once. */
async function selectMatching<T, Ref, Result>({ change, parties, asked }: More<T, Ref, Result>): Promise<Selected<Ref>> {
  return {
    total: await change.count(parties, asked),
    batches: readBatches((page) => change.matching(parties, asked, page)),
  };
}

/** Selects the things that can be changed from those that arguments name or the user picked. */
async function selectChanging<T, Ref, Result>(io: Io, { change, parties, refs }: More<T, Ref, Result>): Promise<Selected<Ref>> {
  const changing: Ref[] = [];
  for (const batch of inBatches(refs)) changing.push(...(await change.changing(parties, batch)));
  sayUnchangedMany(io, refs.length - changing.length, change);
  return { total: changing.length, batches: inBatches(changing) };
}

/**
 * Finds the things to change. If filters find more than {@link BATCH} things, returns only the first ones. Without arguments and filters,
 * the user selects things from a list, since no command changes everything by default.
 *
 * @returns undefined if the user selected nothing.
 * @throws PasskeyError `usage` if arguments and filters are combined, or if there are neither and there is no terminal to ask on.
 */
async function choose<T, Ref, Result>(
  io: Io,
  { change, parties, asked }: { readonly change: ManyChange<T, Ref, Result>; readonly parties: Parties; readonly asked: readonly Asked[] },
): Promise<readonly Ref[] | undefined> {
  const { given, noun } = change;
  const [verb] = change.verb;
  if (given.length > 0 && asked.length > 0) {
    const flags = asked.map(({ flag }) => flag).join(' ');
    throw new PasskeyError('usage', `Name ${noun}s or filter them with ${flags}, not both: a filter selects every ${noun} that it finds.`);
  }
  if (given.length > 0) return change.named(parties);
  if (asked.length > 0) return change.matching(parties, asked, { limit: BATCH + 1 });
  const instead = `name the ${noun}s to ${verb}, or filter them with --user and other filters, and add --yes`;
  if (!canAsk(io)) throw cannotAsk(io, instead);
  const all = await change.matching(parties, [], {});
  if (all.length === 0) return [];
  const table = await change.table(parties, await change.list(parties, all));
  const picked = await pick(io, { ...table, message: `${capital(noun)}s to ${verb}`, instead });
  return picked.length === 0 ? undefined : picked.map(change.toRef);
}

const NAMED_UNCHANGED = 10;

/** Prints a line for each thing that stays unchanged. If there are too many lines to read, prints only their number. */
function sayUnchanged<T, Ref, Result>(io: Io, things: readonly T[], change: ManyChange<T, Ref, Result>): void {
  const lines = things.flatMap((thing) => change.unchanged(thing) ?? []);
  if (lines.length > NAMED_UNCHANGED) sayUnchangedMany(io, lines.length, change);
  else for (const each of lines) say(io, each);
}

function sayUnchangedMany<T, Ref, Result>(io: Io, number: number, { noun, unchangedMany }: ManyChange<T, Ref, Result>): void {
  if (number > 0) say(io, `${groupedCount(number, noun)} ${unchangedMany}; left unchanged.`);
}

/** Explains why there is nothing to change. */
function nothingTo({ noun, verb: [base], from }: Wording & { readonly from: string }, asked: readonly Asked[]): string {
  if (asked.length === 0) return `Nothing to ${base}.`;
  return `Nothing to ${base}: no ${from === '' ? '' : `${from} `}${noun} matches ${asked.map(({ flag }) => flag).join(' ')}.`;
}

/** Maximum number of rows in a preview. With more rows, the first ones would scroll off the screen. */
const PREVIEWED = 20;

interface Consent<T> {
  /** The question to the user, such as `Revoke 3 passkeys?` */
  readonly question: string;
  /** Number of things that will be changed. Default: the number of `things`. */
  readonly number?: number;
  /** The first of the things, or all of them. */
  readonly things: readonly T[];
  /** Number of all things of which `things` has the first. Default: the number of `things`. */
  readonly listed?: number;
  readonly noun: string;
  table(things: readonly T[]): Promise<Rows<T>>;
}

/**
 * Shows the things and asks the user whether to change them. With `--yes`, returns true without asking.
 *
 * @throws PasskeyError `usage` if there is neither `--yes` nor a terminal.
 */
export async function consents<T>(io: Io, flags: Flags, o: Consent<T>): Promise<boolean> {
  if (flags.yes === true) return true;
  if (!canAsk(io)) throw cannotAsk(io, 'add --yes to go on without a prompt');
  await preview(io, o);
  return confirmNumber(io, { question: o.question, number: o.number ?? o.things.length }, 'add --yes to go on without a prompt');
}

async function preview<T>(io: Io, { things, listed = things.length, noun, table }: Omit<Consent<T>, 'question' | 'number'>): Promise<void> {
  if (things.length === 0) return;
  const first = things.slice(0, PREVIEWED);
  const { columns, rows, toCells } = await table(first);
  // The answer goes to stdout, what is only for the question to stderr.
  const lines = tableLines({ ...io, stdout: io.stderr, plain: undefined }, columns, rows, toCells);
  warn(io, [...lines].join('').replace(/\n$/, ''));
  if (listed > first.length) warn(io, `… and ${groupedCount(listed - first.length, `more ${noun}`)}`);
}

/** Runs `work`, which makes a change, and shows its progress in a line on the terminal. */
async function withProgress<T>(
  io: Io,
  { noun, verb: [, going], total }: Wording & { readonly total: number },
  work: (options: Pick<BulkOptions, 'onProgress'>) => Promise<T>,
): Promise<T> {
  const progress = progressLine(io);
  progress.show(`${going} ${groupedCount(total, noun)} …`);
  try {
    return await work({
      // They are all done only once that is on the disk, or in the database.
      onProgress: (done) => progress.show(done < total ? `${going} ${noun}s … ${grouped(done)} of ${grouped(total)}` : 'Writing …'),
    });
  } finally {
    progress.clear();
  }
}

const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
