import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Logger } from 'pino';
import { isBuiltInAuthAction } from '../../accounts/auth-actions.js';
import { PasskeyError } from '../../errors.js';
import { type AuthActionFunction, type AuthActionSetting, asAuthAction, runningAuthAction } from '../../server/auth-action.js';
import type { Uncaught } from '../io.js';

/**
 * Reads the setting `--auth-action`. Its value is the name of a built-in action, or the path of a module relative to `baseDirectory`.
 *
 * @throws PasskeyError `configuration_invalid` if the module cannot be loaded, or if its default export is not a function.
 */
export async function loadAuthAction(setting: string, baseDirectory: string): Promise<AuthActionSetting> {
  if (isBuiltInAuthAction(setting)) return setting;
  const path = resolve(baseDirectory, setting);
  const { default: action } = await asAuthAction(setting, () => loadModule(path));
  if (!isFunction(action)) {
    throw new PasskeyError(
      'configuration_invalid',
      `The auth action module ${path} must have a function as default export, ({ passkey, owner, request }) => object | Response; it has ${
        action === undefined ? 'no default export' : typeof action
      }.`,
    );
  }
  return { name: setting, run: action };
}

async function loadModule(path: string): Promise<{ readonly default?: unknown }> {
  const wrong = (what: string, cause?: unknown) =>
    new PasskeyError('configuration_invalid', `Expected session, token, expiring_token or the path of a module as auth action; ${what}`, {
      cause,
    });
  const found = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    throw wrong(cause.code === 'ENOENT' ? `there is no ${path}.` : `${path} cannot be read (${cause.code ?? cause.message}).`, cause);
  });
  if (!found.isFile()) throw wrong(`${path} is not a file.`);
  try {
    return await import(pathToFileURL(path).href);
  } catch (cause) {
    throw wrong(`${path} cannot be loaded: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
}

function isFunction(value: unknown): value is AuthActionFunction {
  return typeof value === 'function';
}

/**
 * Logs errors that an auth action module throws after its response, and keeps the server running. Any other uncaught error is a fault of
 * our own code and ends the process.
 *
 * @returns a function that stops handling uncaught errors.
 */
export function surviveLateFailures(uncaught: Uncaught, logger: Logger): () => void {
  const listener = (error: unknown) => {
    const action = runningAuthAction();
    if (action !== undefined) {
      logger.error({ err: error }, `the auth action ${action} failed after it had responded`);
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
