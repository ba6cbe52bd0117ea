import { isObject, parseJson } from '../../kernel/json-value.js';
import type { StreamDetail, StreamEntry } from '../../server/schemas/stream.js';
import { listItems } from '../items.js';
import { getPath } from '../json.js';
import { describeFailure, succeeded } from '../run.js';
import type { Detail } from '../state.js';
import { statusLine } from '../state.js';
import { refresh } from './account.js';
import type { App } from './app.js';

/** Maximum number of entries in the list, the same as on the server. */
const KEPT = 1_000;
/** Milliseconds to wait for more changes from other tabs or programs before a refresh. */
const COLLECTED = 250;

/**
 * Follows the server's stream of ceremonies while the tab is visible. A hidden tab closes the connection, because browsers open only a few
 * per server. When it becomes visible again, it loads the whole list.
 */
export function followStream(app: App): void {
  let source: EventSource | undefined;
  let refreshing: ReturnType<typeof setTimeout> | undefined;

  const refreshSoon = () => {
    clearTimeout(refreshing);
    refreshing = setTimeout(() => void refresh(app), COLLECTED);
  };
  const receive = ({ data }: MessageEvent<string>) => {
    const entry = streamEntry(data);
    if (entry === undefined) return;
    put(app, entry);
    if (concerns(app, entry)) refreshSoon();
  };
  const open = () => {
    const stream = new EventSource('/dev/events');
    let lost = false;
    source = stream;
    stream.onopen = () => {
      app.store.set({ live: true, ...(lost ? statusLine('Connected to the server again.') : {}) });
      void loadStream(app);
      if (lost) {
        lost = false;
        refreshSoon();
      }
    };
    stream.onerror = () => {
      if (app.store.get().live) {
        lost = true;
        app.store.set({ live: false, ...statusLine(`Lost the server at ${location.origin}. Trying to reconnect.`, true) });
      }
      // Otherwise the browser reconnects by itself; not where another server answers now.
      if (stream.readyState === EventSource.CLOSED) {
        source = undefined;
        refreshSoon();
      }
    };
    stream.addEventListener('stream', receive);
    stream.addEventListener('stream-cleared', () => app.store.set({ stream: [], details: new Map() }));
  };
  const close = () => {
    source?.close();
    source = undefined;
    app.store.set({ live: false });
  };
  const follow = () => {
    const wanted = app.store.get().server?.local === true && document.visibilityState === 'visible';
    if (wanted && source === undefined) {
      open();
    } else if (!wanted && source !== undefined) {
      close();
    }
  };
  document.addEventListener('visibilitychange', follow);
  app.store.watch(follow, ['server']);
  follow();
}

/** Loads the whole list from the server. Entries that arrive by the stream before the response count as newer than the response. */
async function loadStream(app: App): Promise<void> {
  const before = new Set(app.store.get().stream);
  const leg = await app.api.call('GET', '/dev/stream');
  const entries = getPath(leg.answer, ['entries']);
  if (!succeeded(leg) || !Array.isArray(entries)) return;
  const arrived = app.store.get().stream.filter((entry) => !before.has(entry));
  const listed = entries.filter(isEntry).filter(({ id }) => !arrived.some((entry) => entry.id === id));
  app.store.set({ stream: [...arrived, ...listed] });
  const { selected } = app.store.get();
  if (selected !== undefined) select(app, selected);
}

/** Shows the item with this key or server id. Ignores an id that no longer exists, such as one in an old address. */
export function select({ store }: App, id: string): void {
  const item = listItems(store.get()).find(({ key, entry }) => key === id || entry?.id === id);
  const gone = statusLine('The server does not have this ceremony any more. Choose another from the list.', true);
  store.set({ selected: item?.key, ...(item === undefined && gone) });
}

/** Empties the list, on this page and on the server. Keeps a ceremony that is still waiting. */
export async function clearStream(app: App): Promise<void> {
  const { waiting, runs } = app.store.get();
  const leg = await app.api.call('DELETE', '/dev/stream');
  if (!succeeded(leg)) {
    app.store.set(statusLine(describeFailure(leg), true));
    return;
  }
  app.store.set({
    runs: runs.filter(({ id }) => id === waiting?.run),
    stream: [],
    titles: {},
    details: new Map(),
    pasted: [],
    selected: undefined,
    compared: undefined,
    ...statusLine('Emptied the list.'),
  });
}

/** Loads the full entry of a ceremony, and loads it again after the entry has changed. */
export async function loadDetail(app: App, entry: StreamEntry): Promise<void> {
  const { details } = app.store.get();
  const known = details.get(entry.id);
  if (known?.status === 'loading' || (known?.status === 'loaded' && isCurrent(known.detail, entry))) return;
  const put = (detail: Detail) => {
    app.store.set({ details: new Map(app.store.get().details).set(entry.id, detail) });
  };
  put({ status: 'loading' });
  const leg = await app.api.call('GET', `/dev/stream/${encodeURIComponent(entry.id)}`);
  if (!succeeded(leg) || !isDetail(leg.answer)) {
    put({ status: 'failed', why: describeFailure(leg) });
    return;
  }
  put({ status: 'loaded', detail: leg.answer });
  // It may have ended while the server answered.
  const latest = app.store.get().stream.find(({ id }) => id === entry.id);
  if (leg.answer.state === 'open' && latest !== undefined && !isCurrent(leg.answer, latest)) await loadDetail(app, latest);
}

/**
 * Tests whether the loaded details are up to date. They are not if the ceremony has ended since, or if a page has reported an error of its
 * browser since.
 */
function isCurrent(detail: StreamDetail, { state, browser }: StreamEntry): boolean {
  return detail.state === state && detail.browser?.error === browser?.error;
}

function put(app: App, entry: StreamEntry): void {
  const { stream } = app.store.get();
  const known = stream.findIndex(({ id }) => id === entry.id);
  app.store.set({ stream: known === -1 ? [entry, ...stream].slice(0, KEPT) : stream.with(known, entry) });
}

function streamEntry(data: string): StreamEntry | undefined {
  const entry = parseJson(data);
  return isEntry(entry) ? entry : undefined;
}

/**
 * Tests whether a value is an entry of the stream. Checks few members: our own server follows its schema, and values of other servers lack
 * even these members.
 */
function isEntry(value: unknown): value is StreamEntry {
  return isObject(value) && typeof value['id'] === 'string' && Array.isArray(value['request_ids']);
}

function isDetail(value: unknown): value is StreamDetail {
  return isEntry(value) && 'explanation' in value;
}

/** Tests whether a change made in another tab or program affects the passkeys that this tab shows, or the site that it follows. */
function concerns(app: App, { owner, state, request_ids: requestIds, site }: StreamEntry): boolean {
  // What was to be broken there has been.
  if (site !== undefined) return true;
  const ours = owner !== null && owner === app.store.get().user?.owner;
  return ours && (state === 'verified' || state === 'changed') && !requestIds.some(app.isOwn);
}
