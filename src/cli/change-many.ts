import { PasskeyError } from '../errors.js';
import type { BulkOptions } from '../webauthn/bulk-change.js';
import { count } from '../webauthn/wording.js';
import { confirmNumber, pick } from './ask.js';
import type { Flags } from './config/resolve.js';
import type { Asked } from './filters.js';
import { canAsk, type Io, progressLine, say } from './io.js';
import { type Rows, tableLines } from './output/table.js';

// What `revoke`, `restore`, `token revoke`, `user remove` and `purge` have in common: things are named, filtered or picked; they are
// shown; somebody says yes; then all of them are changed, or none.

/** How things are called, and what is done to them. */
export interface Wording {
  /** `passkey` */
  readonly noun: string;
  /** `revoke`, `Revoking`, `Revoked` */
  readonly verb: readonly [base: string, going: string, done: string];
}

export interface Choice<T> extends Wording {
  /** Arguments that name things one by one. */
  readonly given: readonly string[];
  /** Filters that are given. */
  readonly asked: readonly Asked[];
  named(): Promise<readonly T[]>;
  /** Those that the change applies to and that the filters find; all of them where there is no filter. */
  matching(): Promise<readonly T[]>;
  table(things: readonly T[]): Promise<Rows<T>>;
}

/**
 * The things to change. Without names and filters they are picked from a list: nothing changes everything at once.
 *
 * @returns undefined when nothing was picked.
 * @throws PasskeyError `usage` for names and filters together, and for neither where there is no terminal.
 */
export async function choose<T>(io: Io, o: Choice<T>): Promise<readonly T[] | undefined> {
  const [verb] = o.verb;
  if (o.given.length > 0 && o.asked.length > 0) {
    const flags = o.asked.map(({ flag }) => flag).join(' ');
    throw new PasskeyError(
      'usage',
      `Name ${o.noun}s or filter them with ${flags}, not both: a filter selects every ${o.noun} that it finds.`,
    );
  }
  if (o.given.length > 0) return o.named();
  if (o.asked.length > 0) return o.matching();
  const instead = `name the ${o.noun}s to ${verb}, or filter them with --user and the like, and add --yes`;
  if (!canAsk(io)) throw new PasskeyError('usage', `There is no terminal to prompt on; ${instead}.`);
  const all = await o.matching();
  if (all.length === 0) return [];
  const picked = await pick(io, { ...(await o.table(all)), message: `${capital(o.noun)}s to ${verb}`, instead });
  return picked.length === 0 ? undefined : picked;
}

/** Rows of a preview: more would scroll the first ones away. */
const PREVIEWED = 20;

export interface Consent<T> {
  /** `Revoke 3 passkeys?` */
  readonly question: string;
  /** How many things are changed. Default: as many as are shown. */
  readonly number?: number;
  readonly things: readonly T[];
  readonly noun: string;
  table(things: readonly T[]): Promise<Rows<T>>;
}

/**
 * Whether to go on: with `--yes` without a word, else the things are shown, and somebody says yes.
 *
 * @throws PasskeyError `usage` where there is neither `--yes` nor a terminal.
 */
export async function consents<T>(io: Io, flags: Flags, o: Consent<T>): Promise<boolean> {
  if (flags.yes === true) return true;
  if (!canAsk(io)) throw new PasskeyError('usage', 'There is no terminal to prompt on; add --yes to go on without a prompt.');
  await preview(io, o);
  return confirmNumber(io, { question: o.question, number: o.number ?? o.things.length }, 'add --yes to go on without a prompt');
}

async function preview<T>(io: Io, { things, noun, table }: Pick<Consent<T>, 'things' | 'noun' | 'table'>): Promise<void> {
  if (things.length === 0) return;
  const first = things.slice(0, PREVIEWED);
  const { columns, rows, cellsOf } = await table(first);
  // The answer goes to stdout, what is only for the question to stderr.
  const lines = tableLines({ ...io, stdout: io.stderr }, columns, rows, cellsOf);
  say(io, [...lines].join('').replace(/\n$/, ''));
  if (things.length > first.length) say(io, `… and ${count(things.length - first.length, `more ${noun}`)}`);
}

/** Makes the change while a line on the terminal says how far it is. */
export async function withProgress<T>(
  io: Io,
  { noun, verb: [, going], total }: Wording & { readonly total: number },
  work: (options: Pick<BulkOptions, 'onProgress'>) => Promise<T>,
): Promise<T> {
  const progress = progressLine(io);
  progress.show(`${going} ${count(total, noun)} …`);
  try {
    return await work({
      // That all are done counts once it is written.
      onProgress: (done) => done < total && progress.show(`${going} ${noun}s … ${done} of ${total}`),
    });
  } finally {
    progress.clear();
  }
}

export const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** Why there is nothing to do. `state` is what things must be in for the change: `live`. */
export function nothingTo({ noun, verb: [base] }: Wording, state: string, asked: readonly Asked[]): string {
  if (asked.length === 0) return `Nothing to ${base}.`;
  return `Nothing to ${base}: no ${state} ${noun} matches ${asked.map(({ flag }) => flag).join(' ')}.`;
}
