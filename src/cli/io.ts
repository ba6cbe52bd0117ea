import type { Readable, Writable } from 'node:stream';

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
