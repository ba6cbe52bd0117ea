import { constants } from 'node:os';
import { PasskeyError } from '../errors.js';
import type { Io } from './io.js';

type StopSignal = 'SIGINT' | 'SIGTERM';
type Interruption = StopSignal | 'SIGHUP';

/**
 * Milliseconds within which a repeated signal is ignored. For a Ctrl-C, the terminal signals the whole process group, and npm and npx then
 * forward the same signal again.
 */
const ECHO = 500;

type Signalled = Pick<Io, 'signals' | 'env'>;

/**
 * Calls `listener` at the first signal that has one of these names. A second signal ends the process at once; under npm, only after half a
 * second.
 *
 * @returns a function that removes the listeners earlier, before any signal has arrived.
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

/** Waits for the first SIGINT or SIGTERM, and resolves with its name. A second signal ends the process at once. */
export function stopped(io: Signalled): Promise<StopSignal> {
  return new Promise((resolve) => {
    onStop(io, ['SIGINT', 'SIGTERM'], resolve);
  });
}

/** Makes the error of a command that was interrupted before it changed anything. */
export function interrupted(cause?: unknown): PasskeyError {
  return new PasskeyError('interrupted', 'Interrupted; nothing was changed.', cause === undefined ? {} : { cause });
}

/** Number that shells add to the number of a signal, to make the exit code of a process that the signal ended. */
const SIGNALLED = 128;

/** An interruption by a signal. Its exit code is the one that a shell reports for this signal. */
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
 * Runs work that SIGINT, SIGTERM or SIGHUP can stop. A signal aborts the `signal` that the work got; the abort reason is {@link
 * interrupted}. From then on, `exitCode` returns 130, 143 or 129, which is the exit code of a process that the signal ended. If the work
 * throws an `interrupted` error, that error gets the same exit code.
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
