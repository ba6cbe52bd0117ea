import type { Command } from 'commander';
import * as Type from 'typebox';
import { PasskeyError } from '../errors.js';
import type { BulkOptions } from '../kernel/bulk-change.js';
import { orNull } from '../kernel/schema-kit.js';
import { grouped, groupedCount } from '../kernel/wording.js';
import { confirmNumber, pick } from './ask.js';
import { BATCH, type Batches, changeInBatches, reportBatches } from './change-in-batches.js';
import { type Flags, resolveStoreSettings } from './config/resolve.js';
import type { Asked } from './filters.js';
import { addFlags } from './flags.js';
import { interruptible } from './interruption.js';
import { canAsk, cannotAsk, type Io, say, warn } from './io.js';
import { printable } from './output/printable.js';
import { type Rows, tableLines } from './output/table.js';
import { newChangeId, type Parties, withParties } from './parties.js';
import { progressLine } from './progress.js';

// What `revoke`, `restore`, `token revoke`, `user remove` and `purge` have in common: things are named, filtered or picked; they are
// shown; the user says yes; then all of them are changed, or none.

/** Heading of the flags of a bulk change in the help. */
export const CHANGE = 'Change:';

/** Adds the flags of a command that changes many things at once. */
export function addChangeOptions(command: Command, { done, kept }: { readonly done: string; readonly kept: string }): Command {
  return addFlags(command, { yes: true, dryRun: `only show what would be ${done}`, reason: kept, json: true }, 'Change:');
}

export const CHOICE_HELP =
  'Without ids and filters, pick from a list: type to search it, Tab selects, and so does the space bar before a search. More than ten are confirmed by typing their number. All of them are changed, or none.';

/** Schema of a bulk change's id in the JSON output of commands. */
export const changeSchema = orNull(Type.String({ description: 'Id of the change; null when nothing was changed.' }));

/** Nouns and verbs for the messages about a change. */
interface Wording {
  /** Name of one thing, such as `passkey`. */
  readonly noun: string;
  /** The verb in three forms: `revoke`, `Revoking`, `Revoked`. */
  readonly verb: readonly [base: string, going: string, done: string];
}

/** A command that changes many things of one kind. */
export interface ManyChange<T, Result> extends Wording {
  /** State of the things that can be changed, as messages name it: `live`. */
  readonly from: string;
  /** Arguments that name things one by one. */
  readonly given: readonly string[];
  /** Whether to ask for confirmation even if every thing is named by an argument. */
  readonly asksAlways: boolean;
  /** Reads the filters on the command line. */
  asked(parties: Parties): Promise<readonly Asked[]>;
  named(parties: Parties): Promise<readonly T[]>;
  /** Finds the things that match all filters and can be changed. Without filters, finds everything that can be changed. */
  matching(parties: Parties, asked: readonly Asked[]): Promise<readonly T[]>;
  table(parties: Parties, things: readonly T[]): Promise<Rows<T>>;
  /** Why a thing stays unchanged. Undefined if it will change. */
  unchanged(thing: T): string | undefined;
  /** Reason for many unchanged things that are not named one by one: `had been revoked before`. */
  readonly unchangedMany: string;
  /** Whether to name the side effects again after the change. */
  readonly saysAfter?: true;
  /** Describes side effects: `; 2 passkeys will be revoked`. */
  consequence?(things: readonly T[], parties: Parties): string | Promise<string>;
  make(parties: Parties, things: readonly T[], options: ChangeOptions): Promise<Result>;
  /** How to change more than {@link BATCH} things that the filters find. Default: all at once, as with fewer. */
  readonly batches?: Batches<T> & {
    ids(parties: Parties, asked: readonly Asked[]): Promise<readonly number[]>;
    make(parties: Parties, ids: readonly number[], options: ChangeOptions): Promise<Result>;
  };
  /** Finds the earlier change that this command continues. Undefined if it continues none. */
  resumed?(parties: Parties): Promise<Omit<ChangeOptions, keyof BulkOptions> | undefined>;
  /** Prints the result to stdout. `made` is undefined if nothing was changed. */
  report(parties: Parties, things: readonly T[], made: { readonly result: Result; readonly change: string } | undefined): Promise<void>;
  /** How many of the chosen things stayed unchanged, and why: `stay revoked, because …`. Default: none stayed. */
  readonly stayed?: { count(result: Result): number; why(number: number): string };
  /** The command that undoes a change: `passkey restore --change ID`. Default: the change cannot be undone. */
  undo?(change: string): string;
}

export interface ChangeOptions extends BulkOptions {
  readonly reason: string | undefined;
  /** Id of the change. */
  readonly change: string;
}

/**
 * Runs a command that changes many things. Changes all of them, or none if one does not exist or a signal arrives first. With more than
 * {@link BATCH} things, this holds for each batch. Returns the exit code.
 */
export function changeMany<T, Result>(io: Io, flags: Flags, change: ManyChange<T, Result>): Promise<number> {
  const { noun } = change;
  const [base, , done] = change.verb;
  return interruptible(io, async (signal) => {
    const settings = await resolveStoreSettings(io, flags);
    return withParties(io, { settings, create: false }, async (parties) => {
      const asked = await change.asked(parties);
      const resumed = await change.resumed?.(parties);
      const id = resumed?.change ?? newChangeId();
      const options = { reason: typeof flags.reason === 'string' ? flags.reason : resumed?.reason, signal, change: id };
      const ids = change.given.length === 0 && asked.length > 0 ? ((await change.batches?.ids(parties, asked)) ?? []) : [];
      if (ids.length > BATCH) return changeMore(io, flags, { change, parties, ids, options });
      const chosen = await choose(io, { change, parties, asked });
      if (chosen === undefined) {
        await change.report(parties, [], undefined);
        say(io, 'Nothing was selected; nothing was changed.');
        return 0;
      }
      const changing = chosen.filter((thing) => change.unchanged(thing) === undefined);
      const counted = groupedCount(changing.length, noun);
      const consequence = (await change.consequence?.(changing, parties)) ?? '';
      sayUnchanged(io, chosen, change);
      if (flags.dryRun === true || changing.length === 0) {
        await change.report(parties, chosen, undefined);
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
        change.make(parties, chosen, { ...options, ...progress }),
      );
      await change.report(parties, chosen, { result, change: id });
      const stayed = change.stayed?.count(result) ?? 0;
      sayDone(io, change, { id, number: changing.length, stayed, consequence: change.saysAfter === true ? consequence : '' });
      return 0;
    });
  });
}

interface Done {
  readonly id: string;
  /** Number of things to change, including those that stayed unchanged. */
  readonly number: number;
  readonly stayed: number;
  readonly consequence: string;
}

function sayDone<T, Result>(io: Io, change: ManyChange<T, Result>, { id, number, stayed, consequence }: Done): void {
  const { noun, verb } = change;
  const others = stayed === 0 ? '' : ` ${groupedCount(stayed, noun)} ${change.stayed?.why(stayed)}.`;
  say(io, `${verb[2]} ${groupedCount(number - stayed, noun)} (change ${id})${consequence}.${others}${undo(change, id)}`);
}

const undo = <T, Result>(change: ManyChange<T, Result>, id: string): string =>
  change.undo === undefined ? '' : ` \`${change.undo(id)}\` undoes it.`;

interface More<T, Result> {
  readonly change: ManyChange<T, Result>;
  readonly parties: Parties;
  readonly ids: readonly number[];
  readonly options: ChangeOptions;
}

/** Runs the change in batches, for more things than one operation may change. */
async function changeMore<T, Result>(io: Io, flags: Flags, { change, parties, ids, options }: More<T, Result>): Promise<number> {
  const { noun, verb, batches } = change;
  if (batches === undefined) throw new TypeError('Expected a change that can be made in batches.');
  const counted = groupedCount(ids.length, noun);
  const [base, , done] = verb;
  const report = (id: string | null) => reportBatches(io, parties, { batches, ids, change: id, noun });
  if (flags.dryRun === true) {
    if (flags.json === true) await report(null);
    say(io, `${counted} would be ${done.toLowerCase()}; nothing was changed.`);
    return 0;
  }
  const things = await batches.list(parties, ids.slice(0, PREVIEWED));
  const question = `${capital(base)} ${counted}?`;
  if (!(await consents(io, flags, { question, number: ids.length, things, noun, table: (shown) => change.table(parties, shown) }))) {
    say(io, `Nothing was ${done.toLowerCase()}.`);
    return 1;
  }
  const stayed = await changeInBatches(io, parties.store, {
    noun,
    verb,
    ids,
    change: options.change,
    hint: `${batches.resume(options.change)}${undo(change, options.change)}`,
    async make(batch, onProgress) {
      const result = await batches.make(parties, batch, { ...options, onProgress });
      return change.stayed?.count(result) ?? 0;
    },
  });
  if (flags.json === true) await report(options.change);
  sayDone(io, change, { id: options.change, number: ids.length, stayed, consequence: '' });
  return 0;
}

/**
 * Finds the things to change. Without names and filters, the user selects them from a list: no command changes everything by default.
 *
 * @returns undefined when the user selected nothing.
 * @throws PasskeyError `usage` for names and filters together, and for neither where there is no terminal.
 */
async function choose<T, Result>(
  io: Io,
  { change, parties, asked }: { readonly change: ManyChange<T, Result>; readonly parties: Parties; readonly asked: readonly Asked[] },
): Promise<readonly T[] | undefined> {
  const { given, noun } = change;
  const [verb] = change.verb;
  if (given.length > 0 && asked.length > 0) {
    const flags = asked.map(({ flag }) => flag).join(' ');
    throw new PasskeyError('usage', `Name ${noun}s or filter them with ${flags}, not both: a filter selects every ${noun} that it finds.`);
  }
  if (given.length > 0) return change.named(parties);
  if (asked.length > 0) return change.matching(parties, asked);
  const instead = `name the ${noun}s to ${verb}, or filter them with --user and the like, and add --yes`;
  if (!canAsk(io)) throw cannotAsk(io, instead);
  const all = await change.matching(parties, []);
  if (all.length === 0) return [];
  const picked = await pick(io, { ...(await change.table(parties, all)), message: `${capital(noun)}s to ${verb}`, instead });
  return picked.length === 0 ? undefined : picked;
}

const NAMED_UNCHANGED = 10;

/** Prints which things stay unchanged. If there are too many to read, prints their number. */
function sayUnchanged<T, Result>(io: Io, things: readonly T[], { noun, unchanged, unchangedMany }: ManyChange<T, Result>): void {
  const lines = things.flatMap((thing) => unchanged(thing) ?? []);
  if (lines.length > NAMED_UNCHANGED) say(io, `${groupedCount(lines.length, noun)} ${unchangedMany}; left unchanged.`);
  else for (const each of lines) say(io, each);
}

/** Explains why there is nothing to change. */
function nothingTo({ noun, verb: [base], from }: Wording & { readonly from: string }, asked: readonly Asked[]): string {
  if (asked.length === 0) return `Nothing to ${base}.`;
  return `Nothing to ${base}: no ${from === '' ? '' : `${from} `}${noun} matches ${asked.map(({ flag }) => flag).join(' ')}.`;
}

/** Maximum rows of a preview. More rows would scroll the first ones off the screen. */
const PREVIEWED = 20;

interface Consent<T> {
  /** The question: `Revoke 3 passkeys?` */
  readonly question: string;
  /** How many things are changed. Default: the number of things shown. */
  readonly number?: number;
  readonly things: readonly T[];
  readonly noun: string;
  table(things: readonly T[]): Promise<Rows<T>>;
}

/**
 * Asks the user for consent after showing the things. With `--yes`, consents without asking.
 *
 * @throws PasskeyError `usage` if there is neither `--yes` nor a terminal.
 */
export async function consents<T>(io: Io, flags: Flags, o: Consent<T>): Promise<boolean> {
  if (flags.yes === true) return true;
  if (!canAsk(io)) throw cannotAsk(io, 'add --yes to go on without a prompt');
  await preview(io, o);
  return confirmNumber(io, { question: o.question, number: o.number ?? o.things.length }, 'add --yes to go on without a prompt');
}

async function preview<T>(io: Io, { things, noun, table }: Pick<Consent<T>, 'things' | 'noun' | 'table'>): Promise<void> {
  if (things.length === 0) return;
  const first = things.slice(0, PREVIEWED);
  const { columns, rows, toCells } = await table(first);
  // The answer goes to stdout, what is only for the question to stderr.
  const lines = tableLines({ ...io, stdout: io.stderr, plain: undefined }, columns, rows, toCells);
  warn(io, [...lines].join('').replace(/\n$/, ''));
  if (things.length > first.length) warn(io, `… and ${groupedCount(things.length - first.length, `more ${noun}`)}`);
}

/** Makes a change, and shows its progress in a line on the terminal. */
export async function withProgress<T>(
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
