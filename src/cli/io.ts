import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join, relative } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { PasskeyError } from '../errors.js';
import { toJson, toJsonArray } from './output/printable.js';

export type Input = Readable & { readonly isTTY?: boolean };
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
/** The part of stdout that most commands need. */
export type Written = Pick<Output, 'isTTY' | 'columns'> & {
  write(text: string, done?: (error?: Error | null) => void): unknown;
};
type StopSignal = 'SIGINT' | 'SIGTERM';
type Interruption = StopSignal | 'SIGHUP';

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
export interface Io {
  readonly stdin: Input;
  readonly stdout: Output;
  /** Takes the data where stdout is a pipe or a file; see {@link chooseOutput}. */
  readonly plain?: Written | undefined;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly cwd: string;
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
  /** The name under which the user ran the executable; absent where Node runs the package. */
  readonly command?: string;
  /** The script that Node was started with: `bin/passkey.js`, or a link to it. Absolute; absent in an executable. */
  readonly script?: string | undefined;
}

/** Chooses where data go: stdout, or the plain output that stands in for it, since Node takes a while to open the stream. */
export const chooseOutput = (io: Io): Written => io.plain ?? io.stdout;

/** Writes to stdout: data only. */
export function print(io: Io, text: string): void {
  chooseOutput(io).write(`${text}\n`);
}

/** Writes to stderr: messages for people, not for scripts. `--quiet` leaves them out. */
export function say(io: Io, text: string): void {
  if (io.quiet !== true) warn(io, text);
}

/** As {@link say}, for errors, warnings, and what a question is about: `--quiet` does not leave them out. */
export function warn(io: Io, text: string): void {
  io.stderr.write(`${spellCommands(io, text)}\n`);
}

/** Writes every command that stands between backticks, such as `passkey list`, as the user can repeat it. */
export const spellCommands = (io: Io, text: string): string => text.replaceAll('`passkey ', () => `\`${ownCommand(io)} `);

/** Whether whoever read a stream has gone. On Windows, a write may then fail with the end of the file. */
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
 * Colour for a stream: never with `--no-color` or `NO_COLOR` (https://no-color.org: any non-empty value), else as `FORCE_COLOR` says
 * (https://force-color.org; 0 and false switch colours off), else on a terminal that can.
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

/** As {@link printJson} for a long array, a row at a time. */
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

/** Resolves when the stream takes more, so that what is written does not pile up in memory. */
function isTaken(stream: Written, text: string): Promise<boolean> {
  return new Promise((resolve) => {
    stream.write(text, (error) => resolve(!error));
  });
}

/** A line at the bottom of a terminal that is rewritten in place. */
export interface ProgressLine {
  show(text: string): void;
  /** Before anything else is written, and at the end. */
  clear(): void;
}

const ERASE_LINE = '\r\u001b[K';

/** On stderr, where that is a terminal; elsewhere nothing is written. */
export function progressLine({ stderr, env, quiet }: Io): ProgressLine {
  if (quiet === true || stderr.isTTY !== true || env.TERM === 'dumb') return { show() {}, clear() {} };
  let shown = false;
  return {
    show(text) {
      stderr.write(`${ERASE_LINE}${text}`);
      shown = true;
    },
    clear() {
      if (shown) stderr.write(ERASE_LINE);
      shown = false;
    },
  };
}

/**
 * npm and npx forward a Ctrl-C that the terminal has already sent to the whole process group. It arrives twice within
 * milliseconds and must count once.
 */
const ECHO = 500;

type Signalled = Pick<Io, 'signals' | 'env'>;

/**
 * Calls `listener` at the first of the signals `names`; another one ends the process at once, under npm half a second later.
 *
 * @returns a function that removes the listeners before.
 */
function onStop<T extends Interruption>({ signals, env }: Signalled, names: readonly T[], listener: (signal: T) => void): () => void {
  const listeners = names.map((name) => ({ name, call: () => stop(name) }));
  const off = () => {
    for (const { name, call } of listeners) signals.off(name, call);
  };
  let first = true;
  const stop = (signal: T) => {
    if (!first) return;
    first = false;
    if (env.npm_lifecycle_event) setTimeout(off, ECHO).unref();
    else off();
    listener(signal);
  };
  for (const { name, call } of listeners) signals.on(name, call);
  return off;
}

/** Resolves at the first SIGINT or SIGTERM; another one ends the process at once. */
export function stopped(io: Signalled): Promise<StopSignal> {
  return new Promise((resolve) => {
    onStop(io, ['SIGINT', 'SIGTERM'], resolve);
  });
}

/** The error of a command that was interrupted before it changed anything. */
export function interrupted(cause?: unknown): PasskeyError {
  return new PasskeyError('interrupted', 'Interrupted; nothing was changed.', cause === undefined ? {} : { cause });
}

/** How a shell reads the death by a signal. */
const SIGNALLED = 128;

/** An interruption by a signal, with the exit code of a process that it has ended. */
class Interrupted extends PasskeyError {
  readonly #exitCode: number;

  constructor(cause: PasskeyError, exitCode: number) {
    super('interrupted', cause.message, { cause });
    this.#exitCode = exitCode;
  }

  override get exitCode(): number {
    return this.#exitCode;
  }
}

/**
 * Runs work that a signal stops: its own is aborted by SIGINT, SIGTERM and SIGHUP, the reason being {@link interrupted}. From then on
 * `exitCode` returns that of a process which the signal has ended: 130, 143 or 129. An `interrupted` error of the work gets it, too.
 */
export async function interruptible<T>(io: Io, work: (signal: AbortSignal, exitCode: () => number | undefined) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let exitCode: number | undefined;
  const off = onStop(io, ['SIGINT', 'SIGTERM', 'SIGHUP'], (signal) => {
    exitCode = SIGNALLED + constants.signals[signal];
    controller.abort(interrupted());
  });
  try {
    return await work(controller.signal, () => exitCode);
  } catch (error) {
    const isInterruption = error instanceof PasskeyError && error.code === 'interrupted';
    throw isInterruption && exitCode !== undefined ? new Interrupted(error, exitCode) : error;
  } finally {
    off();
  }
}

/**
 * The command as a person can repeat it in the same folder: the executable by the name it was given, what is on the path by its name, the
 * package of a project by npx, and a clone by its script in package.json or by the file that Node was given. In a clone npx looks for a package
 * that is not there; elsewhere it fetches the package of the name it is given, and `passkey` is another one.
 */
export function ownCommand({ command, script, env, cwd }: Io): string {
  if (command !== undefined) return path(command);
  if (script === undefined) return 'passkey';
  const [modules] = /^.*?[\\/]node_modules(?=[\\/])/.exec(script) ?? [];
  if (modules !== undefined && (env.npm_lifecycle_event === 'npx' || isBelow(dirname(modules), cwd))) return 'npx passkey-cli';
  // On Windows npm puts the command of a global package beside node_modules.
  if (modules !== undefined && existsSync(join(dirname(modules), 'passkey.cmd'))) return 'passkey';
  if (basename(script) !== 'passkey.js') return isOnPath(script, env) ? basename(script) : path(script);
  const clone = dirname(dirname(script));
  if (env.npm_package_json === join(clone, 'package.json')) {
    // npm runs a script in the folder of package.json. -s keeps npm's own lines out of stdout.
    return isBelow(clone, env.INIT_CWD ?? clone) ? 'npm run -s passkey --' : `npm --prefix ${path(clone)} run -s passkey --`;
  }
  return `node ${path(isBelow(cwd, script) ? relative(cwd, script) : script)}`;
}

const isOnPath = (script: string, { PATH = '' }: Io['env']): boolean => PATH.split(delimiter).includes(dirname(script));

function isBelow(folder: string, file: string): boolean {
  const way = relative(folder, file);
  return !isAbsolute(way) && !/^\.\.(?:[\\/]|$)/.test(way);
}

/** A path, quoted where need be. */
const path = (value: string): string => (/^[\w./+-]+$/.test(value) ? value : word(value));

/**
 * A word as POSIX shells and Windows' take it, quoted where need be. Between double quotes backslashes stay as they are; what POSIX shells
 * would act on there stands between single quotes.
 */
export function word(value: string): string {
  if (/^[\w@.:+-]+$/.test(value)) return value;
  return /["$`!]|\\(?:\\|$)/.test(value) ? `'${value.replaceAll("'", String.raw`'\''`)}'` : `"${value}"`;
}
