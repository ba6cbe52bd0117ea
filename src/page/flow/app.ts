import type { Api } from '../api.js';
import type { AppState, Store } from '../state.js';
import type { BrowserCalls } from './browser-calls.js';
import type { RunLog } from './run-log.js';

/** What every flow works on. */
export interface App {
  readonly store: Store<AppState>;
  readonly api: Api;
  readonly runs: RunLog;
  readonly calls: BrowserCalls;
}
