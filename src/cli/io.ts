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

/** Source of signals: `process`, or an emitter in a test. */
interface Signals {
  on(signal: ExecSignal, listener: () => void): unknown;
  off(signal: ExecSignal, listener: () => void): unknown;
}

/** Source of uncaught exceptions: `process`, or an emitter in a test. */
export interface Uncaught {
  on(event: 'uncaughtException', listener: (error: unknown) => void): unknown;
  off(event: 'uncaughtException', listener: (error: unknown) => void): unknown;
}

/** Everything that a command may use of its process. It writes data to stdout and messages to stderr. */
export interface Io extends Invocation {
  readonly stdin: Input;
  readonly stdout: Output;
  /** Faster output for data, used when stdout is a pipe or a file; see {@link chooseOutput}. */
  readonly plain?: Written | undefined;
  readonly stderr: Output;
  readonly signals: Signals;
  readonly uncaught: Uncaught;
  /** Returns the current time, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Ends the process when the command is done, even if a user's module has open timers or connections. Absent in tests. */
  readonly exitWhenDone?: () => void;
  /** `--quiet`: writes only data, warnings and errors. */
  readonly quiet?: boolean;
  /** `--no-color`: writes no colours. */
  readonly noColour?: boolean;
  /** `--no-input`: asks nothing, even on a terminal. */
  readonly noInput?: boolean;
}

/** Chooses the output for data: `plain` if present, otherwise stdout, since Node takes a while to open that stream. */
export const chooseOutput = (io: Io): Written => io.plain ?? io.stdout;

/** Writes data to stdout. Messages go to stderr instead. */
export function print(io: Io, text: string): void {
  chooseOutput(io).write(`${text}\n`);
}

/** Writes a message for people to stderr. `--quiet` hides it. */
export function say(io: Io, text: string): void {
  if (io.quiet !== true) warn(io, text);
}

/** Writes an error, a warning or the context of a question to stderr, even with `--quiet`. */
export function warn(io: Io, text: string): void {
  io.stderr.write(`${spellCommands(io, text)}\n`);
}

/** Rewrites commands in backticks, such as `passkey list`, to the form in which this user can run them. */
export const spellCommands = (io: Io, text: string): string => text.replaceAll('`passkey ', () => `\`${ownCommand(io)} `);

/** Whether a write failed because the reader has gone. On Windows, such a write may fail with an end-of-file error. */
export function isClosedPipe({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EPIPE' || code === 'EOF';
}

/** Whether the user can be asked. Questions go to stderr, so that stdout holds only data. */
export function canAsk(io: Io): boolean {
  return io.noInput !== true && io.stdin.isTTY === true && io.stderr.isTTY === true;
}

/** Makes the error for a question when there is no terminal. `instead` completes "There is no terminal to prompt on; …". */
export const cannotAsk = ({ noInput }: Io, instead: string): PasskeyError =>
  new PasskeyError('usage', `${noInput === true ? '--no-input: nothing is asked' : 'There is no terminal to prompt on'}; ${instead}.`);

/**
 * Whether to write colours to a stream. `--no-color` and a non-empty `NO_COLOR` (https://no-color.org) turn them off. Otherwise
 * `FORCE_COLOR` decides (https://force-color.org; 0 and false turn them off), and without it the terminal's own abilities.
 */
export function hasColour({ env, noColour }: Io, stream: Pick<Output, 'isTTY'>): boolean {
  if (noColour === true || env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return stream.isTTY === true && env.TERM !== 'dumb';
}

/** Prints the JSON document of a command with `--json`. */
export function printJson(io: Io, document: unknown): void {
  print(io, toJson(document, 2));
}

/** Prints a long JSON array row by row. Otherwise like {@link printJson}. */
export async function printJsonArray(io: Io, rows: Iterable<unknown> | AsyncIterable<unknown>): Promise<void> {
  await printAll(io, toJsonArray(rows));
}

/** Number of characters that are written at once. */
const PORTION = 64 * 1024;

/**
 * Writes pieces of text to stdout unchanged, as fast as the reader takes them.
 *
 * @returns false when the reader has gone (`| head`): no more pieces are asked for then.
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

/** Writes text, and resolves when the stream is ready for more, so that output does not pile up in memory. */
function isTaken(stream: Written, text: string): Promise<boolean> {
  return new Promise((resolve) => {
    stream.write(text, (error) => resolve(!error));
  });
}
