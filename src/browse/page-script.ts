import type { DevTools } from './devtools.js';

/** A script of ours in the documents of a page or frame, before the page's own. */
export interface PageScript {
  readonly source: string;
  /** Name of the world that it runs in, which no page sees; without it, the page's own. */
  readonly world?: string;
  /** Function of that world that calls back: `Runtime.bindingCalled` has its argument. */
  readonly binding?: string;
}

/** Runs scripts in the documents that a session of a page or frame has, and in those to come. */
export async function addPageScripts(devtools: DevTools, session: string, scripts: readonly PageScript[]): Promise<void> {
  // Without them the browser keeps the scripts and functions, and uses none.
  const sent = ['Page.enable', 'Runtime.enable'].map((method) => devtools.send(method, {}, session));
  for (const { source, world, binding } of scripts) {
    if (binding !== undefined) sent.push(devtools.send('Runtime.addBinding', { name: binding, executionContextName: world }, session));
    const named = world === undefined ? {} : { worldName: world };
    sent.push(devtools.send('Page.addScriptToEvaluateOnNewDocument', { source, runImmediately: true, ...named }, session));
  }
  await Promise.all(sent);
}
