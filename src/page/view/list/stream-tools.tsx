import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { clearStream } from '../../flow/live.js';
import type { Filter } from '../../state.js';
import { useApp, useAppState } from '../../use-app.js';

const FILTERS: readonly (readonly [Filter['which'], string, string])[] = [
  ['all', 'All', 'All ceremonies'],
  ['mine', 'Mine', 'Mine: ceremonies of this tab'],
  ['failed', 'Failed', 'Failed ceremonies'],
];

/** Filters and search of the list of ceremonies, and the way to empty it. */
export function StreamTools(): JSX.Element {
  const app = useApp();
  const filter = useAppState((state) => state.filter);
  const empty = useAppState(({ runs, stream, pasted }) => runs.length + stream.length + pasted.length === 0);
  const [asking, ask] = useState(false);
  const set = (change: Partial<Filter>) => app.store.set({ filter: { ...filter, ...change } });
  if (asking) {
    return (
      <div class="stream-tools" role="group" aria-label="Empty the list">
        <span>Empty the list, here and at the server?</span>
        <button
          type="button"
          id="clear-confirm"
          onClick={() => {
            ask(false);
            void clearStream(app).then(() => document.getElementById('list-heading')?.focus());
          }}
        >
          Empty it
        </button>
        <button type="button" class="quiet" ref={(button) => button?.focus()} onClick={() => ask(false)}>
          Keep it
        </button>
      </div>
    );
  }
  return (
    <div class="stream-tools">
      <div class="segments" role="group" aria-label="Which ceremonies">
        {FILTERS.map(([which, text, name]) => (
          <button key={which} type="button" aria-label={name} aria-pressed={filter.which === which} onClick={() => set({ which })}>
            {text}
          </button>
        ))}
      </div>
      <input
        id="list-search"
        type="search"
        aria-label="Search the ceremonies"
        placeholder="Search"
        autocomplete="off"
        value={filter.search}
        onInput={({ currentTarget }) => set({ search: currentTarget.value })}
      />
      <button type="button" id="clear" class="quiet" disabled={empty} onClick={() => ask(true)}>
        Empty…
      </button>
    </div>
  );
}
