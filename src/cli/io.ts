import type { Readable, Writable } from 'node:stream';
import { toJson } from './output/printable.js';

export type Input = Readable & { readonly isTTY?: boolean };
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };
export type StopSignal = 'SIGINT' | 'SIGTERM';

/** Where signals come from: `process`, or an emitter in a test. */
export interface Signals {
  on(signal: StopSignal, listener: () => void): unknown;
  off(signal: StopSignal, listener: () => void): unknown;
}

/** Where what nobody caught arrives: `process`, or an emitter in a test. */
export interface Uncaught {
  on(event: 'uncaughtException', listener: (error: unknown) => void): unknown;
  off(event: 'uncaughtException', listener: (error: unknown) => void): unknown;
}

/** Everything a command may touch of the process that runs it. stdout is data, stderr is talk. */
export interface Io {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly cwd: string;
  readonly signals: Signals;
  readonly uncaught: Uncaught;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Writes to stdout: data only. */
export function print(io: Io, text: string): void {
  io.stdout.write(`${text}\n`);
}

/** Writes to stderr: what a person wants to know and a script does not. */
export function say(io: Io, text: string): void {
  io.stderr.write(`${text}\n`);
}

/** Questions are asked on stderr, so that stdout stays data. */
export function canAsk(io: Io): boolean {
  return io.stdin.isTTY === true && io.stderr.isTTY === true;
}

/** Colour for a stream: only on a terminal that can, and never with `NO_COLOR` (https://no-color.org: any non-empty value). */
export function hasColour(io: Io, stream: Output): boolean {
  return stream.isTTY === true && !io.env.NO_COLOR && io.env.TERM !== 'dumb';
}

/** The one document of a `--json` command. */
export function printJson(io: Io, document: unknown): void {
  print(io, toJson(document, 2));
}

/** A line at the bottom of a terminal that is written over again and again. */
export interface ProgressLine {
  show(text: string): void;
  /** Before anything else is written, and at the end. */
  clear(): void;
}

const ERASE_LINE = '\r\u001b[K';

/** On stderr, where that is a terminal; elsewhere nothing is written. */
export function progressLine({ stderr, env }: Io): ProgressLine {
  if (stderr.isTTY !== true || env.TERM === 'dumb') return { show() {}, clear() {} };
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
 * npm and npx pass a Ctrl-C on that the terminal has sent to the whole process group already: the same one arrives
 * twice within milliseconds, and must not count as somebody's second.
 */
const ECHO = 500;

/**
 * Resolves at the first SIGINT or SIGTERM. From half a second later on, when a graceful stop takes too long, the next
 * signal ends the process the way the system does.
 */
export function stopped(signals: Signals, echo = ECHO): Promise<StopSignal> {
  return new Promise((resolve) => {
    const onInterrupt = () => stop('SIGINT');
    const onTerminate = () => stop('SIGTERM');
    let first = true;
    const stop = (signal: StopSignal) => {
      resolve(signal);
      if (!first) return;
      first = false;
      setTimeout(() => {
        signals.off('SIGINT', onInterrupt);
        signals.off('SIGTERM', onTerminate);
      }, echo).unref();
    };
    signals.on('SIGINT', onInterrupt);
    signals.on('SIGTERM', onTerminate);
  });
}

/** How this command was called, for commands to be copied: below npm, `passkey` alone may be on no path. */
export function ownCommand(io: Io): string {
  return io.env.npm_execpath ? 'npx passkey' : 'passkey';
}

/** A word as POSIX shells and Windows' take it, quoted where need be: backslashes stay as they are between double quotes. */
export function word(value: string): string {
  return /^[\w@.:+-]+$/.test(value) ? value : `"${value}"`;
}
