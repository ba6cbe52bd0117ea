import { type Api, createApi } from '../api.js';
import type { AppState, Store } from '../state.js';
import { type BrowserCalls, createBrowserCalls, explainThrown } from './browser-calls.js';
import { createRunLog, type RunLog } from './run-log.js';

/** Parts of the application that every flow uses. */
export interface App {
  readonly store: Store<AppState>;
  readonly api: Api;
  readonly runs: RunLog;
  readonly calls: BrowserCalls;
  /** Tests whether this tab sent the request with this id. */
  readonly isOwn: (requestId: string) => boolean;
}

export function createApp(store: Store<AppState>): App {
  const clock = () => performance.now();
  // Every request id of this tab starts with it, so that the tab recognises its own entries in the server's timeline.
  const tab = `page-${Array.from(crypto.getRandomValues(new Uint32Array(2)), (number) => number.toString(36)).join('')}-`;
  let requests = 0;
  const api = createApi({
    fetch: (path, init) => fetch(path, { ...init, cache: 'no-store' }),
    token: () => store.get().token,
    requestId: () => `${tab}${++requests}`,
    origin: location.origin,
    clock,
  });
  return {
    store,
    api,
    runs: createRunLog(store, api, () => Date.now()),
    calls: createBrowserCalls({
      clock,
      signalled: () => store.get().signalled,
      explain: (thrown) => explainThrown(api, thrown),
    }),
    isOwn: (requestId) => requestId.startsWith(tab),
  };
}
