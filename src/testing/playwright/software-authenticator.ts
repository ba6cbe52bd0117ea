import { randomUUID } from 'node:crypto';
import type { BrowserContext, Frame, Page } from '@playwright/test';
import { pageScript } from '../../../generated/init-script.js';
import type { Connection } from '../credentials/connection.js';
import { BROWSER_OPTIONS, type BrowserCredentials, type BrowserOptions, createHost, type Host } from '../credentials/host.js';
import type { Reply } from '../credentials/messages.js';
import { refuseUnknown } from '../refuse-unknown.js';
import { originOfOpener, readCallingPage } from './calling-page.js';
import type { Envelope } from './init-script.js';

/** Our authenticator behind the pages of a browser context, or behind one page, until it is uninstalled. */
export interface PageAuthenticator extends BrowserCredentials {
  /** Restores the `navigator.credentials` of the pages, and aborts pending calls. */
  uninstall(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const taken = new WeakSet<BrowserContext | Page>();

/**
 * Installs a software authenticator behind `navigator.credentials` of every page and frame of a browser context, or of one page, including
 * those already open. Leaves the browser's own authenticators alone, including virtual ones. As in browsers, a page outside a secure
 * context has no WebAuthn.
 *
 * @throws TypeError for wrong options, and if a software authenticator is already installed.
 */
export async function addSoftwareAuthenticator(target: BrowserContext | Page, options: BrowserOptions = {}): Promise<PageAuthenticator> {
  refuseUnknown('addSoftwareAuthenticator()', options, BROWSER_OPTIONS);
  const around = 'pages' in target ? [target, ...target.pages()] : [target, target.context()];
  if (around.some((each) => taken.has(each))) {
    throw new TypeError('Expected no software authenticator behind these pages yet; there is one. Call its uninstall() first.');
  }
  const host = createHost(options);
  taken.add(target);
  const documents = createDocuments(host);
  const name = `passkey-${randomUUID()}`;
  const install = `{${pageScript}passkeyInPage.installInPage(${JSON.stringify(name)});}`;
  const removals = [
    await target.exposeBinding(name, async ({ frame }, envelope: Envelope) => await documents.answer(frame, envelope)),
    await target.addInitScript({ content: install }),
  ];
  await everywhere(target, install);

  const { controls } = host;
  const uninstall = async () => {
    documents.close();
    taken.delete(target);
    for (const removal of removals.splice(0)) await removal.dispose();
    await everywhere(target, `globalThis[${JSON.stringify(`${name}-undo`)}]?.();`);
  };
  return {
    ...controls,
    get waiting() {
      return controls.waiting;
    },
    uninstall,
    [Symbol.asyncDispose]: uninstall,
  };
}

/** Runs a script in every open document. Ignores a document that closes meanwhile, because it no longer needs the script. */
async function everywhere(target: BrowserContext | Page, script: string): Promise<void> {
  const pages = 'pages' in target ? target.pages() : [target];
  const frames = pages.flatMap((page) => page.frames());
  await Promise.allSettled(frames.map((frame) => frame.evaluate(script)));
}

/** Keeps track of the documents in each frame, and ends a document's calls when the document ends. */
function createDocuments({ connect }: Host) {
  interface Known {
    readonly document: string;
    readonly connection: Connection;
    readonly opener: Promise<string>;
  }
  const current = new Map<Frame, Known>();
  const watched = new WeakSet<Page>();
  const leave = (frame: Frame): void => {
    current.get(frame)?.connection.close();
    current.delete(frame);
  };
  const watch = (page: Page): void => {
    if (watched.has(page)) return;
    watched.add(page);
    page.on('framedetached', leave);
    page.on('close', () => {
      for (const frame of current.keys()) if (frame.page() === page) leave(frame);
    });
  };
  const knownOf = (frame: Frame, document: string): Known => {
    const before = current.get(frame);
    if (before?.document === document) return before;
    leave(frame);
    watch(frame.page());
    const known = { document, connection: connect(frame.page()), opener: originOfOpener(frame) };
    current.set(frame, known);
    return known;
  };
  return {
    async answer(frame: Frame, { document, message }: Envelope): Promise<Reply> {
      const { connection, opener } = knownOf(frame, document);
      const url = frame.url();
      return await connection.answer(message, async () => await readCallingPage(frame, url, opener));
    },
    close(): void {
      for (const frame of current.keys()) leave(frame);
    },
  };
}
