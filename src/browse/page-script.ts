import type { DevTools } from './devtools.js';

/** A script that this project adds to the documents of a page or frame. It runs before the page's own scripts. */
export interface PageScript {
  readonly source: string;
  /**
   * Name of the isolated world in which the script runs, invisible to the page. Without a name, the script runs in the page's own world.
   */
  readonly world?: string;
  /**
   * Name of the function by which the script calls this process back. The argument of the call arrives in the event
   * `Runtime.bindingCalled`.
   */
  readonly binding?: string;
}

/** Adds scripts to the present and future documents of a page or frame. */
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
