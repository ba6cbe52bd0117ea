/**
 * The part that runs in the page, before its own scripts: esbuild bundles it into generated/init-script.js. It finds the function that reaches our
 * client under a name that no page can guess, and takes it out of the page's sight.
 */
import { type Ask, installContainer } from '../credentials/container.js';
import type { PageMessage, Reply } from '../credentials/messages.js';

/** Distinguishes a document from the next one in the same frame. */
export interface Envelope {
  readonly document: string;
  readonly message: PageMessage;
}

type Binding = (envelope: Envelope) => Promise<Reply>;

/** @param name of the function that reaches the client; with `-undo`, of the one that restores this document. */
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
