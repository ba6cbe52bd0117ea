import { type ExecSignal, FORWARDED, type Io } from '../io.js';

/** Takes the signals that are sent to us, and passes them on. */
export interface SignalForwarding {
  /** The first that came while there was no command to pass it to. */
  readonly missed: ExecSignal | undefined;
  /** From now on, signals go there; with undefined they are dropped. */
  passTo(send: ((signal: ExecSignal) => unknown) | undefined): void;
  /** Leaves signals to the system again: the next one ends the process. */
  off(): void;
}

/** Whether a person may be at a terminal: it sends SIGINT and SIGQUIT to all processes of its foreground group by itself. */
export function isOnTerminal({ stdin, stdout, stderr }: Io): boolean {
  return [stdin, stdout, stderr].some((stream) => stream.isTTY === true);
}

/** How often we look whether our parent is there. In milliseconds. */
const PARENT_CHECK_INTERVAL = 250;

/**
 * npm and npx start us by way of a shell, and end only that shell when they are ended (SIGTERM). We would go on without a parent to
 * stop us. Elsewhere a parent may go: `nohup passkey exec … &` is meant to last.
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

/** npm and npx forward signals that have reached us already; both count as one. In milliseconds. */
const ECHO = 500;

/** Like system() of POSIX, ignores signals from the keyboard: the command gets them too, and decides. */
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
