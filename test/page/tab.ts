import type { JsonObject } from '../../src/kernel/json-value.js';
import type { Api, Method } from '../../src/page/api.js';
import type { App } from '../../src/page/flow/app.js';
import { createRunLog } from '../../src/page/flow/run-log.js';
import type { HttpLeg } from '../../src/page/run.js';
import { NOTHING_EXPECTED } from '../../src/page/setup/expected.js';
import { PLAIN_SETUP } from '../../src/page/setup/setup.js';
import { type AppState, createStore, type ServerState } from '../../src/page/state.js';
import { DEFAULT_POLICY } from '../../src/relying-party/policy.js';
import { VERIFIABLE } from '../../src/server/verifiable.js';
import { httpLeg } from './runs.js';

/** A server on this machine, as `GET /dev/state` describes it. */
export const SERVER: ServerState = {
  local: true,
  refusal: undefined,
  policy: { ...DEFAULT_POLICY, residentKey: 'required' },
  verifiable: VERIFIABLE,
  users: [],
  stored: 0,
  site: undefined,
};

export type Answer = Pick<HttpLeg, 'status' | 'answer'> & { readonly failure?: string };

/** What a server does that has gone. */
export const GONE: Answer = { status: undefined, answer: undefined, failure: 'The server did not answer.' };

const NO_BROWSER: App['calls'] = {
  run: () => Promise.reject(new Error('Expected no call of the browser.')),
  abort: () => Promise.resolve(),
};

interface TabParts {
  readonly answer: (
    path: string,
    method: Method,
    signal: AbortSignal | undefined,
    body: JsonObject | undefined,
  ) => Answer | Promise<Answer>;
  readonly state?: Partial<AppState>;
  readonly calls?: App['calls'];
}

/** A tab of the page whose server answers like this, what was asked of it, and the same with methods and tokens that are tried. */
export function tab({ answer, state, calls = NO_BROWSER }: TabParts) {
  const asked: { readonly path: string; readonly body: JsonObject | undefined }[] = [];
  const sent: string[] = [];
  const initial: AppState = {
    mode: 'development',
    user: undefined,
    token: undefined,
    showRevoked: false,
    revokedHere: [],
    titles: {},
    waiting: undefined,
    autofill: 'off',
    capabilities: {},
    notices: [],
    statusFailed: false,
    live: false,
    selected: undefined,
    addressed: undefined,
    compared: undefined,
    filter: { which: 'all', search: '' },
    list: 'ceremonies',
    drawer: undefined,
    personas: { status: 'unasked' },
    tried: new Map(),
    runs: [],
    stream: [],
    passkeys: [],
    signalled: [],
    invalid: {},
    details: new Map(),
    mutations: { status: 'unasked' },
    server: SERVER,
    setup: PLAIN_SETUP,
    expected: NOTHING_EXPECTED,
    pasted: [],
    expectations: { status: 'unasked' },
    answerWith: 'plain',
    status: '',
    ...state,
  };
  const store = createStore(initial);
  const api: Api = {
    async call(method, path, body, { signal, token } = {}) {
      asked.push({ path, body });
      sent.push([method, path, ...(token === undefined ? [] : [`with ${token}`])].join(' '));
      return httpLeg({ method, path, body, ...(await answer(path, method, signal, body)) });
    },
  };
  const app: App = { store, api, runs: createRunLog(store, api, () => 0), calls, isOwn: () => true };
  return { app, store, asked, sent };
}
