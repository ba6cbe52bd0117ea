import { AsyncLocalStorage } from 'node:async_hooks';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuiltInAuthAction, isBuiltInAuthAction } from '../accounts/auth-actions.js';
import { PasskeyError } from '../errors.js';

/** What a module of the user's is told of a login. */
export interface AuthActionInput {
  /** The passkey that logged in, as the API shows it. */
  readonly passkey: { readonly id: number; readonly label: string; readonly credential_id: string; readonly created_at: string };
  readonly owner: { readonly id: number; readonly type: string; readonly name: string; readonly email: string };
  /** The login request, its body included. */
  readonly request: Request;
}

/** Default export of the module: an object is a 200 JSON body, a `Response` is sent as it is. */
export type AuthActionFunction = (input: AuthActionInput) => unknown;

/** A loaded module, and the path it came from. To be run by {@link asAuthAction}. */
export interface LoadedAuthAction {
  readonly name: string;
  readonly run: AuthActionFunction;
}

export type AuthActionSetting = BuiltInAuthAction | LoadedAuthAction;

/** The module in whose calls, or in what they left behind, the current code runs. */
const running = new AsyncLocalStorage<string>();

/**
 * Runs what calls into the module: its function, and whatever reads what that has answered (`then`, `toJSON`, getters, streams).
 * What the module leaves behind there is known to be its own.
 */
export function asAuthAction<T>({ name }: LoadedAuthAction, work: () => T): T {
  return running.run(name, work);
}

/** Name of the auth action module that the current code was started by, however long ago; undefined for everything else. */
export function runningAuthAction(): string | undefined {
  return running.getStore();
}

/**
 * Reads the setting `--auth-action`: the name of a built-in action, or the path of a module relative to `baseDirectory`.
 *
 * @throws PasskeyError `configuration_invalid` when the module cannot be loaded or has no function as default export.
 */
export async function loadAuthAction(setting: string, baseDirectory: string): Promise<AuthActionSetting> {
  if (isBuiltInAuthAction(setting)) {
    return setting;
  }
  const path = resolve(baseDirectory, setting);
  keepContextOfMicrotasks();
  const module = await running.run(setting, () => importModule(path));
  const action = module.default;
  if (!isAuthActionFunction(action)) {
    throw new PasskeyError(
      'configuration_invalid',
      `The auth action module ${path} has to have a function as default export, ({ passkey, owner, request }) => object | Response; it has ${
        action === undefined ? 'no default export' : typeof action
      }.`,
    );
  }
  return { name: setting, run: action };
}

let microtasksKept = false;

/**
 * In Node.js 20 what a callback of `queueMicrotask` throws arrives as uncaught without its asynchronous context. What a module
 * of the user's throws there is thrown once more from a tick, which has it; all other callbacks stay as they are.
 */
function keepContextOfMicrotasks(): void {
  if (microtasksKept) return;
  microtasksKept = true;
  const { queueMicrotask } = globalThis;
  globalThis.queueMicrotask = (callback) => {
    if (runningAuthAction() === undefined || typeof callback !== 'function') {
      queueMicrotask(callback);
      return;
    }
    queueMicrotask(() => {
      try {
        callback();
      } catch (error) {
        process.nextTick(() => {
          throw error;
        });
      }
    });
  };
}

async function importModule(path: string): Promise<{ readonly default?: unknown }> {
  const wrong = (what: string, cause: unknown) =>
    new PasskeyError('configuration_invalid', `The auth action has to be session, token, expiring_token or the path of a module; ${what}`, {
      cause,
    });
  const found = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    throw wrong(cause.code === 'ENOENT' ? `there is no ${path}.` : `${path} cannot be read (${cause.code ?? cause.message}).`, cause);
  });
  if (!found.isFile()) throw wrong(`${path} is no file.`, undefined);
  try {
    return await import(pathToFileURL(path).href);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw wrong(`${path} cannot be loaded: ${reason}`, cause);
  }
}

function isAuthActionFunction(value: unknown): value is AuthActionFunction {
  return typeof value === 'function';
}
