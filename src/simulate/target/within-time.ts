import { type Context, createContext, Script } from 'node:vm';
import { asObject } from '../../kernel/json-value.js';

/** Time limit in milliseconds for processing one string from the target. */
export const WORK_WITHIN_MS = 1000;

/** Returned instead of a result if work exceeded its time limit. */
export const outOfTime: unique symbol = Symbol('out of time');

let clock: { readonly context: Context; readonly script: Script } | undefined;

/**
 * Runs work on a string from the target, and stops it after {@link WORK_WITHIN_MS}. Patterns and parsers that are fast on ordinary strings
 * can take hours on others, and meanwhile the program does not even react to Ctrl-C. The time limit of `node:vm` stops every function that
 * its script calls, even functions from outside the script's context.
 *
 * @throws any error of the work.
 */
export function withinTime<T>(work: () => T): T | typeof outOfTime {
  clock ??= { context: createContext({ work: undefined }), script: new Script('work()') };
  let result: T | typeof outOfTime = outOfTime;
  clock.context['work'] = () => {
    result = work();
  };
  try {
    clock.script.runInContext(clock.context, { timeout: WORK_WITHIN_MS });
  } catch (error) {
    // An error of the other realm, so that it is no instance of this one's Error.
    if (asObject(error)['code'] !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
  } finally {
    clock.context['work'] = undefined;
  }
  return result;
}
