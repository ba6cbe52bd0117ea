import { grouped } from '../kernel/wording.js';
import { type Kind, type Source, text } from './config/values.js';
import { interrupted } from './interruption.js';
import { canAsk, cannotAsk, hasColour, type Io, warn } from './io.js';
import { printable } from './output/printable.js';
import type { Rows } from './output/table.js';

/** Prepares a prompt on the terminal. Loads inquirer only when a prompt is needed, since its import takes 80 ms. */
async function promptFor(io: Io) {
  const { createPromptModule } = await import('inquirer');
  // inquirer asks for terminal streams by type but only needs readable and writable ones.
  return createPromptModule({ input: io.stdin as NodeJS.ReadStream, output: io.stderr as NodeJS.WriteStream });
}

const asIs = (text: string): string => text;
/** Theme without colours. It is needed because inquirer does not check whether the terminal and the environment allow colours. */
const WITHOUT_COLOUR = {
  prefix: { idle: '?', done: '✔' },
  style: {
    answer: asIs,
    message: asIs,
    error: (text: string) => `> ${text}`,
    help: asIs,
    highlight: asIs,
    description: asIs,
    disabled: asIs,
  },
};

const themeFor = (io: Io) => (hasColour(io, io.stderr) ? {} : { theme: WITHOUT_COLOUR });

async function answered<T>(io: Io, question: () => Promise<T>, instead: string): Promise<T> {
  if (!canAsk(io)) throw cannotAsk(io, instead);
  try {
    return await question();
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'ExitPromptError') {
      throw interrupted(cause);
    }
    throw cause;
  }
}

const ANSWERS: ReadonlyMap<string, boolean> = new Map([
  ['', false],
  ['n', false],
  ['no', false],
  ['y', true],
  ['yes', true],
]);

/** Asks a yes-or-no question; the default is no. `instead` is the end of the error message "There is no terminal to prompt on; …". */
export function confirm(io: Io, message: string, instead: string): Promise<boolean> {
  return answered(
    io,
    async () => {
      const prompt = await promptFor(io);
      // The library's own question turns its answer over at Tab, so that a Tab too many says yes.
      const validate = (typed: string) => ANSWERS.has(typed.trim().toLowerCase()) || 'Type y or n.';
      const { typed } = await prompt([{ type: 'input', name: 'typed', message: `${message} (y/N)`, validate, ...themeFor(io) }]);
      return ANSWERS.get(typed.trim().toLowerCase()) ?? false;
    },
    instead,
  );
}

/** Maximum number of changed things for which yes is enough as confirmation. For more, the user must type their number. */
const MOST_BY_YES = 10;

/**
 * Asks the user to confirm a change of `number` things. If there are many, the user must type the number, with or without commas. Any other
 * input declines, and prints what was expected.
 */
export function confirmNumber(io: Io, { question, number }: { question: string; number: number }, instead: string): Promise<boolean> {
  if (number <= MOST_BY_YES) return confirm(io, question, instead);
  return answered(
    io,
    async () => {
      const prompt = await promptFor(io);
      const { typed } = await prompt([
        { type: 'input', name: 'typed', message: `${question} Type ${grouped(number)} to confirm:`, ...themeFor(io) },
      ]);
      const agrees = [String(number), grouped(number)].includes(typed.trim());
      if (agrees) return true;
      const got = typed.trim() === '' ? 'nothing was typed' : `got ${JSON.stringify(typed.trim().slice(0, 60))}`;
      warn(io, printable(`Expected ${grouped(number)}; ${got}.`));
      return false;
    },
    instead,
  );
}

/** Asks for one line of text, and repeats the question until the line is a valid value of `kind`. */
export function line(io: Io, message: string, instead: string, kind: Kind<string> = text({ placeholder: 'text' })): Promise<string> {
  const source: Source = { form: 'text', base: io.cwd };
  return answered(
    io,
    async () => {
      const prompt = await promptFor(io);
      const validate = (value: string) => kind.read(value.trim(), source) !== undefined || `Expected ${kind.expects}.`;
      const { typed } = await prompt([{ type: 'input', name: 'typed', message, validate, ...themeFor(io) }]);
      return typed.trim();
    },
    instead,
  );
}

/** Lets the user search a table on the terminal and select rows. Returns an empty list if the user left the picker with Esc. */
export function pick<T>(io: Io, o: Rows<T> & { readonly message: string; readonly instead: string }): Promise<readonly T[]> {
  return answered(io, async () => (await import('./picker/prompt.js')).pickRows(io, o), o.instead);
}
