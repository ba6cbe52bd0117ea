/**
 * This module runs in the page before the page's own scripts; esbuild bundles it into generated/init-script.js. It finds the function that
 * reaches our client under a name that no page can guess, and hides that function from the page.
 */
import { type Ask, installContainer } from '../credentials/container.js';
import type { PageMessage, Reply } from '../credentials/messages.js';

/** A message together with an identifier of its document, which distinguishes this document from the next one in the same frame. */
export interface Envelope {
  readonly document: string;
  readonly message: PageMessage;
}

type Binding = (envelope: Envelope) => Promise<Reply>;

/**
 * Installs our `navigator.credentials` in this document.
 *
 * @param name name of the global function that reaches the client. The function that restores this document gets the same name with `-undo`
 * appended.
 */
export function installInPage(name: string): void {
  const binding: Binding | undefined = Reflect.get(globalThis, name);
  const undoName = `${name}-undo`;
  if (binding === undefined || Reflect.has(globalThis, undoName)) return;
  const document = `${Math.random()}`;
  const ask: Ask = async (message) => await binding({ document, message });
  Reflect.deleteProperty(globalThis, name);
  const uninstall = Reflect.get(globalThis, 'isSecureContext') === true ? installContainer(globalThis, ask) : () => undefined;
  const undo = () => {
    Reflect.deleteProperty(globalThis, undoName);
    uninstall();
  };
  Object.defineProperty(globalThis, undoName, { value: undo, configurable: true });
  // Nothing of this page depends on the answer.
  ask({ operation: 'begin' }).catch(() => undefined);
}
