import type { Logger } from 'pino';
import { runningAuthAction } from '../../server/auth-action-module.js';
import type { Uncaught } from '../io.js';

/**
 * An auth action may leave something running that throws, or a promise that is rejected, when nobody waits for it any more.
 * That is logged and the server goes on: it is known to be the module's by the asynchronous context. What anything else, our
 * own code above all, throws and nobody catches ends the process as ever.
 *
 * @returns a function that takes the listener away again.
 */
export function surviveLateFailures(uncaught: Uncaught, logger: Logger): () => void {
  const listener = (error: unknown) => {
    const action = runningAuthAction();
    if (action !== undefined) {
      logger.error({ err: error }, `the auth action ${action} failed after it had answered`);
      return;
    }
    stop();
    process.nextTick(() => {
      throw error;
    });
  };
  const stop = () => void uncaught.off('uncaughtException', listener);
  uncaught.on('uncaughtException', listener);
  return stop;
}
