import { constants } from 'node:os';
import { PasskeyError } from '../errors.js';
import type { Io } from './io.js';

type StopSignal = 'SIGINT' | 'SIGTERM';
type Interruption = StopSignal | 'SIGHUP';

/**
 * Milliseconds within which repeated signals count once. The terminal sends a Ctrl-C to the whole process group, and npm and npx forward it
 * again.
 */
const ECHO = 500;

type Signalled = Pick<Io, 'signals' | 'env'>;

/**
 * Calls `listener` at the first of these signals. A second signal ends the process at once, under npm after half a second.
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

/** Resolves at the first SIGINT or SIGTERM. A second signal ends the process at once. */
export function stopped(io: Signalled): Promise<StopSignal> {
  return new Promise((resolve) => {
    onStop(io, ['SIGINT', 'SIGTERM'], resolve);
  });
}

/** Makes the error of a command that was interrupted before it changed anything. */
export function interrupted(cause?: unknown): PasskeyError {
  return new PasskeyError('interrupted', 'Interrupted; nothing was changed.', cause === undefined ? {} : { cause });
}

/** Shells report a process that a signal ended with this number plus that of the signal. */
const SIGNALLED = 128;

/** An interruption by a signal, with the exit code that a shell reports for it. */
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
 * Runs work that SIGINT, SIGTERM or SIGHUP can stop. A signal aborts `signal` with the reason {@link interrupted}. From then on, `exitCode`
 * returns 130, 143 or 129, like a process that the signal ended. An `interrupted` error thrown by the work gets the same exit code.
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
