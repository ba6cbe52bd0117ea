import { createApi } from './api.js';
import { noticesFor } from './environment.js';
import type { App } from './flow/app.js';
import { createAutofill } from './flow/autofill.js';
import { createBrowserCalls, permitted } from './flow/browser-calls.js';
import { refresh } from './flow/refresh.js';
import { createRunLog } from './flow/run-log.js';
import { setupFromFragment, setupToFragment } from './setup/setup.js';
import type { AppState } from './state.js';
import { createStore } from './state.js';
import { mountActions } from './view/actions.js';
import { mountCapabilities, readCapabilities } from './view/capabilities.js';
import { mountNotices } from './view/notices.js';
import { mountOptions } from './view/options-panel.js';
import { mountPasskeys } from './view/passkeys.js';
import { mountRuns } from './view/runs.js';
import { mountUser } from './view/user.js';

/** Of this tab only: two tabs may be two users, though they share the session cookie. */
const TOKEN_KEY = 'passkey-token';

const { setup, problems } = setupFromFragment(location.hash);
const store = createStore<AppState>({
  mode: 'unknown',
  server: undefined,
  user: undefined,
  token: sessionStorage.getItem(TOKEN_KEY) ?? undefined,
  passkeys: [],
  showRevoked: false,
  runs: [],
  busy: undefined,
  autofill: 'off',
  setup,
  capabilities: {},
  notices: noticesFor({
    url: location.href,
    secureContext: isSecureContext,
    webAuthn: 'PublicKeyCredential' in window,
    framed: window.top !== window,
    mayCreate: permitted('publickey-credentials-create'),
    mayGet: permitted('publickey-credentials-get'),
  }),
  status: problems.join(' '),
  statusFailed: problems.length > 0,
  signalled: [],
});

const clock = () => performance.now();
const api = createApi({ fetch: (path, init) => fetch(path, init), token: () => store.get().token, clock });
const app: App = {
  store,
  api,
  runs: createRunLog(store, api, () => Date.now()),
  calls: createBrowserCalls(clock, () => store.get().signalled),
};
const autofill = createAutofill(app);

mountNotices(app);
mountUser(app);
mountPasskeys(app);
mountOptions(app);
mountRuns(app);
mountCapabilities(app);
mountActions(app, autofill);

store.watch(['token'], ({ token }) => {
  if (token === undefined) {
    sessionStorage.removeItem(TOKEN_KEY);
  } else {
    sessionStorage.setItem(TOKEN_KEY, token);
  }
});
store.watch(['setup'], (state) => {
  const fragment = setupToFragment(state.setup);
  history.replaceState(null, '', fragment === '' ? location.pathname : `#${fragment}`);
});
addEventListener('hashchange', () => store.set({ setup: setupFromFragment(location.hash).setup }));
// Another tab or another process may have changed something meanwhile.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible' && store.get().busy === undefined) {
    void refresh(app);
  }
});

await refresh(app);
store.set({ capabilities: await readCapabilities() });
document.documentElement.dataset['ready'] = 'true';
