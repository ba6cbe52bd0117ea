import { render } from 'preact';
import { asObject, isObject, parseJson } from '../kernel/json-value.js';
import { THIS_BROWSER, UNASKED } from './catalogue.js';
import { arrival, noticesFor, redirection } from './environment.js';
import { exchangeKey, keyFromAddress, refresh } from './flow/account.js';
import { createApp } from './flow/app.js';
import { createAutofill } from './flow/autofill.js';
import { permitted, readCapabilities } from './flow/browser-calls.js';
import { explainShared } from './flow/explain.js';
import { readShared } from './flow/link.js';
import { followStream, select } from './flow/live.js';
import { readSignalled } from './flow/signals.js';
import { listItems } from './items.js';
import { stringAt } from './json.js';
import { expectedFromFragment, expectedToFragment } from './setup/expected.js';
import { setupFromFragment, setupToFragment } from './setup/setup.js';
import { type AppState, createStore, statusLine } from './state.js';
import { AppContext } from './use-app.js';
import { loadLater } from './view/late.js';
import { Page } from './view/page.js';

const elsewhere = redirection(location.href);
if (elsewhere !== undefined) {
  location.replace(elsewhere);
  // Run nothing more on this page.
  await new Promise<never>(() => {});
}

const key = keyFromAddress();
/** Bearer token, stored per tab, because two tabs may have different users although they share the session cookie. */
const keptToken = storedText('sessionStorage', 'passkey-token');
/** Titles of this tab's runs, stored so that rows keep their titles when the page is loaded again. */
const keptTitles = storedText('sessionStorage', 'passkey-titles');
const keptAnswerer = storedText('sessionStorage', 'passkey-answer-with');
/** IDs of signalled passkeys, stored per browser because the browser's authenticators received the signals. */
const keptSignalled = storedText('localStorage', 'passkey-signalled');
const welcome = arrival(location.href);

const { setup, problems } = setupFromFragment(location.hash);
const shared = readShared(location.hash);
const addressed = ceremonyFromFragment(location.hash);
const store = createStore<AppState>({
  mode: 'unknown',
  server: undefined,
  user: undefined,
  token: keptToken.read(),
  passkeys: [],
  showRevoked: false,
  revokedHere: [],
  runs: [],
  titles: readTitles(keptTitles.read()),
  waiting: undefined,
  autofill: 'off',
  setup,
  expected: expectedFromFragment(location.hash),
  invalid: {},
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
  stream: [],
  details: new Map(),
  pasted: [],
  live: false,
  selected: addressed,
  addressed: addressed && `ceremony=${addressed}`,
  compared: undefined,
  filter: { which: 'all', search: '' },
  list: 'ceremonies',
  drawer: undefined,
  answerWith: keptAnswerer.read() ?? THIS_BROWSER,
  personas: UNASKED,
  mutations: UNASKED,
  expectations: UNASKED,
  tried: new Map(),
});

const app = createApp(store);
const autofill = createAutofill(app);

render(
  <AppContext.Provider value={app}>
    <Page autofill={autofill} />
  </AppContext.Provider>,
  document.body,
);

store.watch(({ token }) => keptToken.write(token), ['token']);
store.watch(({ titles }) => keptTitles.write(JSON.stringify(titles)), ['titles']);
store.watch(({ answerWith }) => keptAnswerer.write(answerWith), ['answerWith']);
store.watch(
  ({ server }) => {
    if (server?.site?.persona) store.set({ answerWith: server.site.persona });
  },
  ['server'],
);
store.watch(
  ({ answerWith, server }) => {
    if (!server?.site || answerWith === THIS_BROWSER || answerWith === server.site.persona) return;
    void app.api.call('POST', '/dev/site', { persona: answerWith });
    store.set({ server: { ...server, site: { ...server.site, persona: answerWith } } });
  },
  ['answerWith'],
);
store.watch(({ signalled }) => keptSignalled.write(signalled.length === 0 ? undefined : JSON.stringify(signalled)), ['signalled']);
/** Start of this visit. Keys of runs and pastes are valid only within one visit. */
const visit = Date.now();
/** Item that the newest entry of the tab's history shows. Back and Forward move through these entries. */
let inHistory = store.get().selected;
/** True while the selection comes from the current history entry, so that no new entry is needed. */
let arriving = true;
const keepInAddress = ({ setup: changed, expected, addressed, selected }: AppState) => {
  const fragment = [addressed ?? '', setupToFragment(changed), expectedToFragment(expected)].filter(Boolean).join('&');
  const url = fragment === '' ? location.pathname : `#${fragment}`;
  try {
    history[arriving || selected === inHistory ? 'replaceState' : 'pushState']({ selected, visit }, '', url);
  } catch {
    // Safari takes a hundred in half a minute. The next one has it all.
  }
  inHistory = selected;
};
// A fragment that could not be read stays in the address, where it can be fixed, until an option is set.
if (problems.length === 0) keepInAddress(store.get());
store.watch(keepInAddress, ['setup', 'expected', 'addressed', 'selected']);
/** Shows the ceremony that the address names: by its id at the server, or by the contents of a link. */
const arrive = async (id: string | undefined, text: Promise<string | undefined>) => {
  arriving = true;
  if (id !== undefined) select(app, id);
  await explainShared(app, await text);
  arriving = false;
};
addEventListener('popstate', ({ state }: PopStateEvent) => {
  if (!isObject(state)) return;
  const { hash } = location;
  const key = state['visit'] === visit ? stringAt(state, 'selected') : undefined;
  // It may have been of an earlier visit, or taken out of the list.
  const item = listItems(store.get()).find((one) => one.key === key);
  arriving = true;
  store.set({ selected: item?.key });
  arriving = false;
  if (item === undefined) void arrive(ceremonyFromFragment(hash), readShared(hash));
});
addEventListener('hashchange', () => {
  // Back or Forward, which leave the options as they are.
  if (history.state !== null) return;
  // The URL that serve printed, pasted into a tab in which the page is already open.
  const pasted = keyFromAddress();
  if (pasted !== undefined) void exchangeKey(app, pasted).then(() => refresh(app));
  const { hash } = location;
  const read = setupFromFragment(hash);
  const taken = { setup: read.setup, invalid: {}, expected: expectedFromFragment(hash) };
  store.set(read.problems.length > 0 ? statusLine(read.problems.join(' '), true) : taken);
  void arrive(ceremonyFromFragment(hash), readShared(hash));
});
// Another tab or process may have changed something in the meantime.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible' && store.get().waiting === undefined) void refresh(app);
});

if (key !== undefined) {
  await exchangeKey(app, key);
}
await refresh(app);
await arrive(undefined, shared);
followStream(app);
store.set({ capabilities: await readCapabilities() });
document.documentElement.dataset['ready'] = 'true';
// The first ceremony needs it at once.
void loadLater();

/** Reads the id of the ceremony in the page's address. */
function ceremonyFromFragment(fragment: string): string | undefined {
  return new URLSearchParams(fragment.replace(/^#/, '')).get('ceremony') ?? undefined;
}

function readTitles(text: string | undefined): AppState['titles'] {
  return Object.fromEntries(Object.entries(asObject(parseJson(text ?? ''))).filter(isText));
}

function isText(entry: readonly [string, unknown]): entry is [string, string] {
  return typeof entry[1] === 'string';
}

/** A string stored by the browser: in `sessionStorage` for this tab, or in `localStorage` for all tabs of the origin. */
interface StoredText {
  read(): string | undefined;
  /** Stores the string; undefined removes it. */
  write(text: string | undefined): void;
}

/** Opens a string in the browser's storage. If storage is blocked or full, the page works without storing anything. */
function storedText(area: 'localStorage' | 'sessionStorage', key: string): StoredText {
  return {
    read() {
      try {
        return window[area].getItem(key) ?? undefined;
      } catch {
        return undefined;
      }
    },
    write(text) {
      try {
        if (text === undefined) {
          window[area].removeItem(key);
        } else {
          window[area].setItem(key, text);
        }
      } catch {
        // The page still has the value in its state.
      }
    },
  };
}
