import { statusLine } from '../state.js';
import { CHANGES, type TimelineEntry, timelineEntry } from '../timeline.js';
import type { App } from './app.js';
import { refresh } from './refresh.js';

const KEPT = 100;
/** Milliseconds to collect changes made elsewhere before one refresh. */
const COLLECTED = 250;
const TYPES = ['ceremony-finished', ...Object.keys(CHANGES)];

/**
 * Follows `GET /dev/events` while the tab is visible. Browsers open only a few connections per server, so a hidden tab must not hold
 * one. When the tab is visible again, it asks for the events since the last one it saw.
 */
export function followTimeline(app: App): void {
  let source: EventSource | undefined;
  // No event has this id, so the first stream begins with every event that the server has kept.
  let last = '0';
  let refreshing: ReturnType<typeof setTimeout> | undefined;

  const refreshSoon = () => {
    clearTimeout(refreshing);
    refreshing = setTimeout(() => void refresh(app), COLLECTED);
  };
  const receive = ({ data, lastEventId }: MessageEvent<string>) => {
    last = lastEventId;
    const entry = timelineEntry(lastEventId, data, app.isOwn);
    const { timeline, user } = app.store.get();
    if (entry === undefined || timeline.some(({ id }) => id === entry.id)) {
      return;
    }
    app.store.set({ timeline: [entry, ...timeline].slice(0, KEPT) });
    if (concerns(entry, user?.owner)) {
      refreshSoon();
    }
  };
  const open = () => {
    const stream = new EventSource(`/dev/events?after=${encodeURIComponent(last)}`);
    let lost = false;
    source = stream;
    stream.onopen = () => {
      app.store.set({ live: true, ...(lost ? statusLine('Connected to the server again.') : {}) });
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
      // Otherwise the browser reconnects by itself, unless the server has no timeline (--production).
      if (stream.readyState === EventSource.CLOSED) {
        source = undefined;
        refreshSoon();
      }
    };
    for (const type of TYPES) {
      stream.addEventListener(type, receive);
    }
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
  app.store.watch(['server'], follow);
}

/** Whether a change made elsewhere affects what this tab shows. */
function concerns({ own, owner, outcome }: TimelineEntry, user: string | undefined): boolean {
  return !own && owner !== undefined && owner === user && outcome !== 'rejected';
}
