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

/** Heading of the flags of a change. */
export const CHANGE = 'Change:';

/** Adds the flags of every command that changes many things at once. */
export function addChangeOptions(command: Command, { done, kept }: { readonly done: string; readonly kept: string }): Command {
  return addFlags(command, { yes: true, dryRun: `only show what would be ${done}`, reason: kept, json: true }, 'Change:');
}

export const CHOICE_HELP =
  'Without ids and filters, pick from a list: type to search it, Tab selects, and so does the space bar before a search. More than ten are confirmed by typing their number. All of them are changed, or none.';

/** Id of a bulk change, as every command that makes one prints it. */
export const changeSchema = orNull(Type.String({ description: 'Id of the change; null when nothing was changed.' }));

/** Words for the things, and for the change made to them. */
interface Wording {
  /** `passkey` */
  readonly noun: string;
  /** `revoke`, `Revoking`, `Revoked` */
  readonly verb: readonly [base: string, going: string, done: string];
}

/** A command that changes many things of one kind at once. */
export interface ManyChange<T, Result> extends Wording {
  /** The state of things that can be changed: `live`. */
  readonly from: string;
  /** Arguments that name things one by one. */
  readonly given: readonly string[];
  /** Whether to ask also about things that are named one by one. */
  readonly asksAlways: boolean;
  /** Filters that are given. */
  asked(parties: Parties): Promise<readonly Asked[]>;
  named(parties: Parties): Promise<readonly T[]>;
  /** Finds the things that match the filters and can be changed; all of them without filters. */
  matching(parties: Parties, asked: readonly Asked[]): Promise<readonly T[]>;
  table(parties: Parties, things: readonly T[]): Promise<Rows<T>>;
  /** The reason why a thing stays unchanged; undefined if it changes. */
  unchanged(thing: T): string | undefined;
  /** `had been revoked before`, for unchanged things that are too many to be named. */
  readonly unchangedMany: string;
  /** Whether the side effects are named again when all is done. */
  readonly saysAfter?: true;
  /** Names side effects: `; 2 passkeys will be revoked`. */
  consequence?(things: readonly T[], parties: Parties): string | Promise<string>;
  make(parties: Parties, things: readonly T[], options: ChangeOptions): Promise<Result>;
  /** How more than {@link BATCH} that filters find are changed. Default: as few are, all at once. */
  readonly batches?: Batches<T> & {
    ids(parties: Parties, asked: readonly Asked[]): Promise<readonly number[]>;
    make(parties: Parties, ids: readonly number[], options: ChangeOptions): Promise<Result>;
  };
  /** The change that is continued, if one is. */
  resumed?(parties: Parties): Promise<Omit<ChangeOptions, keyof BulkOptions> | undefined>;
  /** Writes the answer to stdout. Without a result nothing was changed. */
  report(parties: Parties, things: readonly T[], made: { readonly result: Result; readonly change: string } | undefined): Promise<void>;
  /** How many of the chosen things stayed unchanged, and why: `stay revoked, because …`. Default: none. */
  readonly stayed?: { count(result: Result): number; why(number: number): string };
  /** How to undo a change: `passkey restore --change ID`. Default: it cannot be undone. */
  undo?(change: string): string;
}

export interface ChangeOptions extends BulkOptions {
  readonly reason: string | undefined;
  /** Id of the change. */
  readonly change: string;
}

/**
 * All of them are changed or, when one does not exist or a signal comes first, none; of more than {@link BATCH}, all of a batch. Returns the
 * exit code.
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
  /** How many were to be changed. */
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

/** The same for so many that they are changed in batches. */
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
 * The things to change. Without names and filters the user picks them from a list: no command changes everything by default.
 *
 * @returns undefined when nothing was picked.
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

/** Names the unchanged things, unless they are too many to read. */
function sayUnchanged<T, Result>(io: Io, things: readonly T[], { noun, unchanged, unchangedMany }: ManyChange<T, Result>): void {
  const lines = things.flatMap((thing) => unchanged(thing) ?? []);
  if (lines.length > NAMED_UNCHANGED) say(io, `${groupedCount(lines.length, noun)} ${unchangedMany}; left unchanged.`);
  else for (const each of lines) say(io, each);
}

/** Why there is nothing to do. */
function nothingTo({ noun, verb: [base], from }: Wording & { readonly from: string }, asked: readonly Asked[]): string {
  if (asked.length === 0) return `Nothing to ${base}.`;
  return `Nothing to ${base}: no ${from === '' ? '' : `${from} `}${noun} matches ${asked.map(({ flag }) => flag).join(' ')}.`;
}

/** Rows of a preview: more would scroll the first ones away. */
const PREVIEWED = 20;

interface Consent<T> {
  /** `Revoke 3 passkeys?` */
  readonly question: string;
  /** How many things are changed. Default: as many as are shown. */
  readonly number?: number;
  readonly things: readonly T[];
  readonly noun: string;
  table(things: readonly T[]): Promise<Rows<T>>;
}

/**
 * Whether to go on: always with `--yes`; otherwise shows the things and asks the user.
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

/** Makes the change while a line on the terminal says how far it is. */
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
