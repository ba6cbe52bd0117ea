import type { Readable, Writable } from 'node:stream';
import { PasskeyError } from '../errors.js';
import { toJson, toJsonArray } from './output/printable.js';
import { type Invocation, ownCommand } from './own-command.js';

export type Input = Readable & { readonly isTTY?: boolean };
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
/** The part of stdout that most commands need. */
export type Written = Pick<Output, 'isTTY' | 'columns'> & {
  write(text: string, done?: (error?: Error | null) => void): unknown;
};
/** Signals that `passkey exec` passes on to its command. */
export const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
export type ExecSignal = (typeof FORWARDED)[number];

/** Where signals come from: `process`, or an emitter in a test. */
interface Signals {
  on(signal: ExecSignal, listener: () => void): unknown;
  off(signal: ExecSignal, listener: () => void): unknown;
}

/** Where uncaught exceptions arrive: `process`, or an emitter in a test. */
export interface Uncaught {
  on(event: 'uncaughtException', listener: (error: unknown) => void): unknown;
  off(event: 'uncaughtException', listener: (error: unknown) => void): unknown;
}

/** All that a command may use of its process. stdout is for data, stderr for messages. */
export interface Io extends Invocation {
  readonly stdin: Input;
  readonly stdout: Output;
  /** Takes the data if stdout is a pipe or a file; see {@link chooseOutput}. */
  readonly plain?: Written | undefined;
  readonly stderr: Output;
  readonly signals: Signals;
  readonly uncaught: Uncaught;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Ends the process with the command: timers and connections of a user's module would keep it running. Absent in tests. */
  readonly exitWhenDone?: () => void;
  /** `--quiet`: only data, warnings and errors are written. */
  readonly quiet?: boolean;
  /** `--no-color` */
  readonly noColour?: boolean;
  /** `--no-input`: nothing is asked, even on a terminal. */
  readonly noInput?: boolean;
}

/** Chooses where data go: stdout, or the faster plain output in its place, since Node takes a while to open the stream. */
export const chooseOutput = (io: Io): Written => io.plain ?? io.stdout;

/** Writes to stdout: data only. */
export function print(io: Io, text: string): void {
  chooseOutput(io).write(`${text}\n`);
}

/** Writes to stderr: messages for people, not for scripts. `--quiet` leaves them out. */
export function say(io: Io, text: string): void {
  if (io.quiet !== true) warn(io, text);
}

/** Like {@link say}, for errors, warnings and the context of a question: `--quiet` does not hide them. */
export function warn(io: Io, text: string): void {
  io.stderr.write(`${spellCommands(io, text)}\n`);
}

/** Rewrites every command between backticks, such as `passkey list`, so that the user can repeat it. */
export const spellCommands = (io: Io, text: string): string => text.replaceAll('`passkey ', () => `\`${ownCommand(io)} `);

/** Whether the reader of a stream has gone. On Windows, a write may then fail with the end of the file. */
export function isClosedPipe({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EPIPE' || code === 'EOF';
}

/** Prompts go to stderr, so that stdout stays data. */
export function canAsk(io: Io): boolean {
  return io.noInput !== true && io.stdin.isTTY === true && io.stderr.isTTY === true;
}

/** The error of a question that cannot be asked; `instead` completes "There is no terminal to prompt on; …". */
export const cannotAsk = ({ noInput }: Io, instead: string): PasskeyError =>
  new PasskeyError('usage', `${noInput === true ? '--no-input: nothing is asked' : 'There is no terminal to prompt on'}; ${instead}.`);

/**
 * Colour for a stream: never with `--no-color` or `NO_COLOR` (https://no-color.org: any non-empty value), otherwise as `FORCE_COLOR` says
 * (https://force-color.org; 0 and false switch colours off), otherwise on a terminal that can.
 */
export function hasColour({ env, noColour }: Io, stream: Pick<Output, 'isTTY'>): boolean {
  if (noColour === true || env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return stream.isTTY === true && env.TERM !== 'dumb';
}

/** The one document of a `--json` command. */
export function printJson(io: Io, document: unknown): void {
  print(io, toJson(document, 2));
}

/** Like {@link printJson} for a long array, a row at a time. */
export async function printJsonArray(io: Io, rows: Iterable<unknown> | AsyncIterable<unknown>): Promise<void> {
  await printAll(io, toJsonArray(rows));
}

/** Characters that are written at once. */
const PORTION = 64 * 1024;

/**
 * Writes pieces of text to stdout as they are, as fast as its reader takes them.
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

/** Resolves when the stream is ready for more, so that output does not pile up in memory. */
function isTaken(stream: Written, text: string): Promise<boolean> {
  return new Promise((resolve) => {
    stream.write(text, (error) => resolve(!error));
  });
}
