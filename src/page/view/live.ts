import { count } from '../../webauthn/wording.js';
import { byId, h, hint } from '../dom.js';
import type { App } from '../flow/app.js';
import type { TimelineEntry } from '../timeline.js';
import { formatTime } from './time.js';
import { problemView } from './verdict.js';

const OUTCOMES = { verified: 'verified', rejected: 'refused', changed: 'changed' } as const;

/** What happens at the server, in this tab or elsewhere. Only new entries are drawn, so that open ones stay open. */
export function mountLive(app: App): void {
  const list = byId('live', HTMLOListElement);
  const summary = byId('live-summary', HTMLSpanElement);
  const drawn = new Map<string, HTMLLIElement>();
  app.store.watch(['timeline', 'live', 'server'], ({ timeline, live, server }) => {
    byId('live-card', HTMLElement).hidden = server?.local !== true;
    const elsewhere = timeline.filter(({ own }) => !own).length;
    const events = count(timeline.length, 'event');
    const origins = elsewhere === 0 ? events : `${events}, ${elsewhere} from elsewhere`;
    summary.textContent = `${live ? '' : 'not connected · '}${timeline.length === 0 ? 'nothing yet' : origins}`;
    const items = timeline.map((entry) => drawn.get(entry.id) ?? item(entry));
    drawn.clear();
    timeline.forEach((entry, index) => {
      const element = items[index];
      if (element !== undefined) {
        drawn.set(entry.id, element);
      }
    });
    const added = items.filter((element) => !element.isConnected);
    list.prepend(...added);
    for (const gone of [...list.children].slice(items.length)) {
      gone.remove();
    }
  });
}

function item({ id, at, outcome, sentence, own, via, userAgent, problem }: TimelineEntry): HTMLLIElement {
  const who = own ? 'this tab' : userAgent === navigator.userAgent ? 'another tab of this browser' : userAgent;
  const kind = outcome === 'verified' ? 'good' : outcome === 'rejected' ? 'bad' : '';
  return h(
    'li',
    { 'data-event': id, 'data-own': String(own) },
    h('p', {}, h('span', { class: `badge ${kind}` }, OUTCOMES[outcome]), ' ', sentence),
    hint([formatTime(at, 'medium'), via, who].filter((part) => part !== undefined && part !== '').join(' · ')),
    problem === undefined ? undefined : h('details', { class: 'part' }, h('summary', {}, 'The step'), problemView(problem)),
  );
}
