import type { Signals, StopSignal } from '../io.js';

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
