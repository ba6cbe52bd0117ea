import { type TimelineEntry, timelineEntry } from '../timeline.js';
import type { App } from './app.js';
import { refresh } from './refresh.js';

const KEPT = 100;
/** Milliseconds in which the changes of others are gathered into one look at the server. */
const GATHERED = 250;
const TYPES = ['ceremony-finished', 'passkey-renamed', 'passkey-revoked', 'passkey-restored'];

/**
 * Follows `GET /dev/events` while the tab is in view: a browser opens few connections to one server, and a hidden tab must not hold
 * one. What was missed meanwhile is asked for by the id of the last event.
 */
export function followTimeline(app: App): void {
  let source: EventSource | undefined;
  // No event has this id: the first stream begins with all that the server has kept.
  let last = '0';
  let news: ReturnType<typeof setTimeout> | undefined;

  const lookAgain = () => {
    clearTimeout(news);
    news = setTimeout(() => void refresh(app), GATHERED);
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
      lookAgain();
    }
  };
  const open = () => {
    const stream = new EventSource(`/dev/events?after=${encodeURIComponent(last)}`);
    let lost = false;
    source = stream;
    stream.onopen = () => {
      app.store.set({ live: true, ...(lost ? { status: 'The server answers again.', statusFailed: false } : {}) });
      if (lost) {
        lost = false;
        lookAgain();
      }
    };
    stream.onerror = () => {
      if (app.store.get().live) {
        lost = true;
        app.store.set({ live: false, status: `The server at ${location.origin} has gone. The page looks for it.`, statusFailed: true });
      }
      // Otherwise the browser tries again by itself; a server without timeline (--production) ends that.
      if (stream.readyState === EventSource.CLOSED) {
        source = undefined;
        lookAgain();
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

/** Somebody else has changed what this tab shows. */
function concerns({ own, owner, outcome }: TimelineEntry, user: string | undefined): boolean {
  return !own && owner !== undefined && owner === user && outcome !== 'rejected';
}
