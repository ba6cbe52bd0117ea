import type { JSX } from 'preact';
import { isShown, itemsOf } from '../../items.js';
import { useApp, useAppState } from '../../use-app.js';
import { formatClock } from '../time.js';
import { VerdictBadge } from '../verdict-badge.js';

/** Every ceremony at the server, newest first. */
export function Stream(): JSX.Element {
  const { store } = useApp();
  const runs = useAppState((state) => state.runs);
  const stream = useAppState((state) => state.stream);
  const pasted = useAppState((state) => state.pasted);
  const filter = useAppState((state) => state.filter);
  const selected = useAppState((state) => state.selected);
  const items = itemsOf({ runs, stream, pasted }).filter((item) => isShown(item, filter));
  return (
    <ol class="stream pane-body">
      {items.map((item) => (
        <li key={item.key}>
          <button type="button" class="row" aria-current={item.key === selected} onClick={() => store.set({ selected: item.key })}>
            <time>{formatClock(item.at)}</time> <VerdictBadge verdict={item.verdict} /> {item.title} {item.source}
          </button>
        </li>
      ))}
    </ol>
  );
}
