import type { Readable, Writable } from 'node:stream';
import { PasskeyError } from '../errors.js';
import { toJson, toJsonArray } from './output/printable.js';
import { type Invocation, ownCommand } from './own-command.js';

export type Input = Readable & { readonly isTTY?: boolean };
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
/** The members of stdout that most commands need. */
export type Written = Pick<Output, 'isTTY' | 'columns'> & {
  write(text: string, done?: (error?: Error | null) => void): unknown;
};
/** Signals that `passkey exec` forwards to its command. */
export const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
export type ExecSignal = (typeof FORWARDED)[number];

/** Source of signals: `process`, or an event emitter in a test. */
interface Signals {
  on(signal: ExecSignal, listener: () => void): unknown;
  off(signal: ExecSignal, listener: () => void): unknown;
}

/** Source of uncaught exceptions: `process`, or an event emitter in a test. */
export interface Uncaught {
  on(event: 'uncaughtException', listener: (error: unknown) => void): unknown;
  off(event: 'uncaughtException', listener: (error: unknown) => void): unknown;
}

/** Everything that a command may use of its process. Commands write data to stdout and messages to stderr. */
export interface Io extends Invocation {
  readonly stdin: Input;
  readonly stdout: Output;
  /** Faster output for data. It is used if stdout is a pipe or a file; see {@link chooseOutput}. */
  readonly plain?: Written | undefined;
  readonly stderr: Output;
  readonly signals: Signals;
  readonly uncaught: Uncaught;
  /** Returns the current time, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Ends the process when the command is done, even if a module of the user has open timers or connections. Absent in tests. */
  readonly exitWhenDone?: () => void;
  /** Set by `--quiet`: the command writes only data, warnings and errors. */
  readonly quiet?: boolean;
  /** Set by `--no-color`: the command writes no colours. */
  readonly noColour?: boolean;
  /** Set by `--no-input`: the command asks no questions, even on a terminal. */
  readonly noInput?: boolean;
}

/** Chooses the output for data: `plain` if it is present, otherwise stdout. Opening stdout as a stream takes Node a while. */
export const chooseOutput = (io: Io): Written => io.plain ?? io.stdout;

/** Writes data to stdout. Messages must go to stderr instead. */
export function print(io: Io, text: string): void {
  chooseOutput(io).write(`${text}\n`);
}

/** Writes a message for people to stderr, unless `--quiet` is given. */
export function say(io: Io, text: string): void {
  if (io.quiet !== true) warn(io, text);
}

/** Writes an error, a warning or the context of a question to stderr, even with `--quiet`. */
export function warn(io: Io, text: string): void {
  io.stderr.write(`${spellCommands(io, text)}\n`);
}

/** Rewrites each command in backticks, such as `passkey list`, in the form in which this user can run it. */
export const spellCommands = (io: Io, text: string): string => text.replaceAll('`passkey ', () => `\`${ownCommand(io)} `);

/**
 * Checks whether a write failed because the reader of the output has ended. On Windows, such a write may fail with an end-of-file error.
 */
export function isClosedPipe({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EPIPE' || code === 'EOF';
}

/** Checks whether the command can ask the user a question. Questions go to stderr, so that stdout holds only data. */
export function canAsk(io: Io): boolean {
  return io.noInput !== true && io.stdin.isTTY === true && io.stderr.isTTY === true;
}

/**
 * Makes the error for a question that cannot be asked because there is no terminal. `instead` is the end of the message, which begins
 * "There is no terminal to prompt on; …".
 */
export const cannotAsk = ({ noInput }: Io, instead: string): PasskeyError =>
  new PasskeyError('usage', `${noInput === true ? '--no-input: nothing is asked' : 'There is no terminal to prompt on'}; ${instead}.`);

/**
 * Decides whether to write colours to a stream. `--no-color` and a non-empty `NO_COLOR` (https://no-color.org) turn colours off. Otherwise
 * `FORCE_COLOR` decides (https://force-color.org; 0 and false turn colours off). If `FORCE_COLOR` is not set, the abilities of the terminal
 * decide.
 */
export function hasColour({ env, noColour }: Io, stream: Pick<Output, 'isTTY'>): boolean {
  if (noColour === true || env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return stream.isTTY === true && env.TERM !== 'dumb';
}

/** Prints the JSON document that a command outputs with `--json`. */
export function printJson(io: Io, document: unknown): void {
  print(io, toJson(document, 2));
}

/** Prints a long JSON array row by row, in the same form as {@link printJson}. */
export async function printJsonArray(io: Io, rows: Iterable<unknown> | AsyncIterable<unknown>): Promise<void> {
  await printAll(io, toJsonArray(rows));
}

/** Number of characters that are written at once. */
const PORTION = 64 * 1024;

/**
 * Writes strings to stdout unchanged, as fast as the reader reads them.
 *
 * @returns false if the reader has ended (`| head`); then no more strings are requested.
 */
export async function printAll(io: Io, pieces: Iterable<string> | AsyncIterable<string>): Promise<boolean> {
  let portion = '';
  for await (const piece of pieces) {
    portion += piece;
    if (portion.length < PORTION) continue;
    if (!(await isTaken(chooseOutput(io), portion))) return false;
    portion = '';
  }
  return portion === '' || isTaken(chooseOutput(io), portion);
}

/**
 * Writes a string, and waits until the stream is ready for more, so that output does not pile up in memory. Resolves with false if the
 * reader has ended.
 */
function isTaken(stream: Written, text: string): Promise<boolean> {
  return new Promise((resolve) => {
    stream.write(text, (error) => resolve(!error));
  });
}
