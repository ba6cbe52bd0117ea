import { join } from 'node:path';
import type { DevTools } from './devtools.js';
import { loadExtension } from './extension.js';
import { watchNetwork } from './network.js';
import { Session, type SessionOptions } from './session.js';

/**
 * Answers and follows the ceremonies of all pages of a browser.
 *
 * @param folder for the files of the extension.
 * @returns a function that ends it, and gives a browser that goes on its own authenticators back.
 */
export async function followBrowser(devtools: DevTools, folder: string, options: SessionOptions): Promise<() => Promise<void>> {
  const session = new Session(options);
  await watchNetwork(devtools, { now: options.now, onExchange: (exchange) => session.exchanged(exchange) });
  const unload =
    options.watch === true ? undefined : await loadExtension(devtools, join(folder, 'extension'), (call) => session.called(call));
  return async () => {
    await session.close();
    await unload?.();
  };
}
