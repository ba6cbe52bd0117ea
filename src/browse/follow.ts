import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createAutofill, MARK_BYTES } from './autofill.js';
import type { DevTools } from './devtools.js';
import { loadExtension } from './extension.js';
import { watchNetwork } from './network.js';
import { Session, type SessionOptions } from './session.js';
import { timeLimit } from './wait.js';

/**
 * Answers calls of `navigator.credentials` in all pages of a browser, and reports the ceremonies.
 *
 * @param folder where the files of the extension are written.
 * @returns a function that stops following, and restores the browser's own authenticators.
 */
export async function followBrowser(
  devtools: DevTools,
  folder: string,
  options: Omit<SessionOptions, 'autofill'> & { readonly prepare?: ((session: string) => Promise<void>) | undefined },
): Promise<() => Promise<void>> {
  const autofill = options.watch === true ? undefined : createAutofill(devtools, () => new Uint8Array(randomBytes(MARK_BYTES)));
  const session = new Session({ ...options, autofill });
  const prepare = async (page: string) => void (await Promise.all([autofill?.prepare(page), options.prepare?.(page)]));
  await watchNetwork(devtools, { now: options.now, onExchange: (exchange) => session.exchanged(exchange), prepare });
  const unload =
    autofill === undefined
      ? undefined
      : await loadExtension(devtools, join(folder, 'extension'), (call, signal) => session.called(call, signal));
  return async () => {
    await session.close();
    // A browser that hangs answers nothing.
    await Promise.all([Promise.race([autofill?.leave(), timeLimit(LEAVE_WITHIN)]), unload?.()]);
  };
}

/** How long pages may take to restore the browser's own functions, in milliseconds. */
const LEAVE_WITHIN = 2_000;
