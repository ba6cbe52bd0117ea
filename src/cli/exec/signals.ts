import { type ExecSignal, FORWARDED, type Io } from '../io.js';

/** Receives the signals that are sent to this process, and forwards them to a command. */
export interface SignalForwarding {
  /** The first signal that arrived while there was no command to forward it to. */
  readonly missed: ExecSignal | undefined;
  /** Forwards all further signals to `send`. If `send` is undefined, no signals are forwarded. */
  passTo(send: ((signal: ExecSignal) => unknown) | undefined): void;
  /** Stops receiving signals. The next signal then ends this process. */
  off(): void;
}

/**
 * Checks whether this process may run on a terminal. A terminal itself sends SIGINT and SIGQUIT to all processes of its foreground group.
 */
export function isOnTerminal({ stdin, stdout, stderr }: Io): boolean {
  return [stdin, stdout, stderr].some((stream) => stream.isTTY === true);
}

/** Milliseconds between two checks whether the parent process still exists. */
const PARENT_CHECK_INTERVAL = 250;

/**
 * Calls `gone` if the npm or npx that started this process ends. npm and npx start this process through a shell, and SIGTERM ends only that
 * shell, so nothing else would stop this process. Without npm, the parent process may end first on purpose, as in `nohup passkey exec … &`.
 */
function onNpmGone({ env }: Io, gone: () => void): () => void {
  if (!env['npm_command'] || process.platform === 'win32') return () => undefined;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    gone();
  }, PARENT_CHECK_INTERVAL).unref();
  return () => clearInterval(timer);
}

/** Milliseconds within which a repeated signal is ignored. npm and npx forward signals that this process has already received directly. */
const ECHO = 500;

/**
 * Forwards signals to the command, except for signals from the keyboard. The terminal sends those to the command directly, and the command
 * decides how to react (as in POSIX `system()`).
 */
export function passSignals(io: Io): SignalForwarding {
  const { signals, now } = io;
  const fromKeyboard: readonly ExecSignal[] = isOnTerminal(io) ? ['SIGINT', 'SIGQUIT'] : [];
  let target: ((signal: ExecSignal) => unknown) | undefined;
  let missed: ExecSignal | undefined;
  const take = (signal: ExecSignal): void => {
    if (target === undefined) missed ??= signal;
    else if (!fromKeyboard.includes(signal)) target(signal);
  };
  const listeners = FORWARDED.map((signal) => {
    let last = Number.NEGATIVE_INFINITY;
    const listener = (): void => {
      const at = now();
      // A clock that was set back is no echo.
      if (at >= last && at - last < ECHO) return;
      last = at;
      take(signal);
    };
    signals.on(signal, listener);
    return { signal, listener };
  });
  const stopLooking = onNpmGone(io, () => take('SIGTERM'));
  return {
    get missed() {
      return missed;
    },
    passTo(send) {
      target = send ?? (() => undefined);
    },
    off() {
      stopLooking();
      for (const { signal, listener } of listeners) signals.off(signal, listener);
    },
  };
}
