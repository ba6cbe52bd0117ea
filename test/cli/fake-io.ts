import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { Io } from '../../src/cli/io.js';

interface FakeIoOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** stdin, stdout and stderr are terminals. */
  readonly terminal?: boolean;
  readonly columns?: number;
}

/** A process of our own making: collects what a command writes, and can be typed to. */
export function fakeIo({ cwd = '/nowhere', env = {}, terminal = false, columns }: FakeIoOptions = {}) {
  const stream = () => Object.assign(new PassThrough(), { isTTY: terminal, ...(columns === undefined ? {} : { columns }) });
  const [stdin, stdout, stderr] = [stream(), stream(), stream()];
  // As in a real process: what is piped into them does not end them.
  for (const output of [stdout, stderr]) output.end = () => output;
  const written = { stdout: '', stderr: '' };
  stdout.on('data', (chunk: Buffer) => {
    written.stdout += chunk.toString('utf8');
  });
  stderr.on('data', (chunk: Buffer) => {
    written.stderr += chunk.toString('utf8');
  });
  const signals = new EventEmitter();
  const io: Io = {
    stdin,
    stdout,
    stderr,
    env,
    cwd,
    signals,
    uncaught: new EventEmitter(),
    now: () => Date.UTC(2026, 0, 15, 10, 30),
  };
  return { io, written, stdin, signals };
}

/** Types each text once what stands before it is on the screen. */
export function typeInto(
  { io, written, stdin }: ReturnType<typeof fakeIo>,
  turns: readonly (readonly [shown: string, typed: string])[],
): void {
  const left = [...turns];
  let from = 0;
  io.stderr.on('data', () => {
    const [turn] = left;
    if (turn === undefined || !written.stderr.slice(from).includes(turn[0])) return;
    left.shift();
    from = written.stderr.length;
    // The keys are listened to only once the question has been drawn.
    setImmediate(() => stdin.write(turn[1]));
  });
}
