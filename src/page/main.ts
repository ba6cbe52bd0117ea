import { storedText } from './dom.js';
import { arrival, noticesFor, redirection } from './environment.js';
import { exchangeKey, keyFromAddress } from './flow/account.js';
import { createApp } from './flow/app.js';
import { createAutofill } from './flow/autofill.js';
import { permitted } from './flow/browser-calls.js';
import { followTimeline } from './flow/live.js';
import { refresh } from './flow/refresh.js';
import { setupFromFragment, setupToFragment } from './setup/setup.js';
import { readSignalled } from './signal-offers.js';
import type { AppState } from './state.js';
import { createStore, statusLine } from './state.js';
import { mountActions } from './view/actions.js';
import { mountCapabilities, mountNotices, readCapabilities } from './view/environment.js';
import { mountLive } from './view/live.js';
import { mountOptions } from './view/options-panel.js';
import { mountPasskeys } from './view/passkeys.js';
import { mountRuns } from './view/runs.js';
import { mountUser } from './view/user.js';

const elsewhere = redirection(location.href);
if (elsewhere !== undefined) {
  location.replace(elsewhere);
  // Run nothing more on this page.
  await new Promise<never>(() => {});
}

const key = keyFromAddress();
/** Per tab: two tabs may have two users, though they share the session cookie. */
const keptToken = storedText('sessionStorage', 'passkey-token');
/** Per browser, like the authenticators it has signalled to. */
const keptSignalled = storedText('localStorage', 'passkey-signalled');
const welcome = arrival(location.href);

const { setup, problems } = setupFromFragment(location.hash);
const store = createStore<AppState>({
  mode: 'unknown',
  server: undefined,
  user: undefined,
  token: keptToken.read(),
  passkeys: [],
  showRevoked: false,
  revokedHere: [],
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
  status: problems.length > 0 ? problems.join(' ') : welcome,
  statusFailed: problems.length > 0,
  signalled: readSignalled(keptSignalled.read()),
  timeline: [],
  live: false,
});

const app = createApp(store);
const autofill = createAutofill(app);

mountNotices(app);
mountUser(app);
mountPasskeys(app);
mountOptions(app);
mountRuns(app);
mountLive(app);
mountCapabilities(app);
mountActions(app, autofill);

store.watch(['token'], ({ token }) => {
  keptToken.write(token);
});
store.watch(['signalled'], ({ signalled }) => {
  keptSignalled.write(signalled.length === 0 ? undefined : JSON.stringify(signalled));
});
store.watch(['setup'], (state) => {
  // A fragment that could not be read stays in the address, where it can be fixed, until an option is set.
  if (state.setup !== setup || problems.length === 0) {
    const fragment = setupToFragment(state.setup);
    history.replaceState(null, '', fragment === '' ? location.pathname : `#${fragment}`);
  }
});
addEventListener('hashchange', () => {
  // The URL that serve printed, pasted into a tab in which the page is already open.
  const pasted = keyFromAddress();
  if (pasted !== undefined) {
    void exchangeKey(app, pasted).then(() => refresh(app));
  }
  const read = setupFromFragment(location.hash);
  store.set(read.problems.length > 0 ? statusLine(read.problems.join(' '), true) : { setup: read.setup });
});
// Another tab or process may have changed something in the meantime.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible' && store.get().busy === undefined) {
    void refresh(app);
  }
});

if (key !== undefined) {
  await exchangeKey(app, key);
}
await refresh(app);
followTimeline(app);
store.set({ capabilities: await readCapabilities() });
document.documentElement.dataset['ready'] = 'true';
