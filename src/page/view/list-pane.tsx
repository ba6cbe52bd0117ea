import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { isPersona } from '../catalogue.js';
import type { App } from '../flow/app.js';
import { isFirstVisit } from '../flow/first-visit.js';
import { clearStream } from '../flow/live.js';
import { type Item, isShown } from '../items.js';
import { type AppState, type Filter, isRevoked } from '../state.js';
import { useApp, useAppState, useItems, useMembers } from '../use-app.js';
import { Search } from './controls.js';
import { Passkeys } from './passkeys.js';
import { Row } from './row.js';
import { useMore } from './use-more.js';
import { usePersonas } from './use-personas.js';

const LISTS: readonly (readonly [AppState['list'], string])[] = [
  ['ceremonies', 'Ceremonies'],
  ['passkeys', 'Passkeys'],
];

/** Moves the focus through the rows with the arrow keys, also from the heading and the search field. Enter opens the ceremony. */
function walk({ store }: App, event: KeyboardEvent): void {
  const { key, target, currentTarget } = event;
  const by = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (by === undefined || !(currentTarget instanceof Element) || !(target instanceof Element)) return;
  const rows = [...currentTarget.querySelectorAll<HTMLElement>('.row')];
  const at = rows.findIndex((row) => row === target);
  const begins = by === 1 && target.matches('#list-heading, #list-search');
  const next = begins ? rows.find(({ tabIndex }) => tabIndex === 0) : at === -1 ? undefined : rows[at + by];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
  store.set({ selected: next.closest('li')?.dataset['key'] });
}

/** Left pane: the list of ceremonies, or the passkeys. */
export function ListPane(): JSX.Element {
  const app = useApp();
  const { store } = app;
  const list = useAppState((state) => state.list);
  const first = useAppState(isFirstVisit);
  const count = useAppState(countPasskeys);
  const site = useAppState(({ server }) => server?.site);
  return (
    <section class="pane list-pane" aria-labelledby="list-heading" onKeyDown={(event) => walk(app, event)}>
      <div class={first || site ? 'unseen' : 'line pane-head'}>
        <h2 id="list-heading" tabIndex={-1} class="unseen">
          {list === 'ceremonies' ? 'Ceremonies at this server' : 'Passkeys'}
        </h2>
        {!first && !site && (
          <div class="segments" role="group" aria-label="What the list shows">
            {LISTS.map(([name, text]) => (
              <button key={name} id={`show-${name}`} type="button" aria-pressed={list === name} onClick={() => store.set({ list: name })}>
                {text}
                {name === 'passkeys' && count !== undefined && <span class="count">{count}</span>}
              </button>
            ))}
          </div>
        )}
      </div>
      {list === 'ceremonies' && !first && <StreamTools />}
      {list === 'ceremonies' ? <Stream /> : <Passkeys />}
    </section>
  );
}

/** Counts the live passkeys of the user. If no user is signed in, counts those of the whole store; undefined if that has none. */
function countPasskeys({ user, passkeys, server }: AppState): number | undefined {
  const own = passkeys.filter((passkey) => !isRevoked(passkey)).length;
  return user === undefined ? server?.stored || undefined : own;
}

const FILTERS: readonly (readonly [Filter['which'], string, string])[] = [
  ['all', 'All', 'All ceremonies'],
  ['mine', 'Mine', 'Mine: ceremonies of this tab'],
  ['failed', 'Failed', 'Failed ceremonies'],
];

/** Filters and search field for the list of ceremonies, and a button that empties the list. */
function StreamTools(): JSX.Element {
  const app = useApp();
  const filter = useAppState((state) => state.filter);
  const empty = useAppState(({ runs, stream, pasted }) => runs.length + stream.length + pasted.length === 0);
  const [asking, ask] = useState(false);
  const set = (change: Partial<Filter>) => app.store.set({ filter: { ...filter, ...change } });
  if (asking) {
    return (
      <div class="line tools" role="group" aria-label="Empty the list">
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
    <div class="line tools">
      <div class="segments" role="group" aria-label="Which ceremonies">
        {FILTERS.map(([which, text, name]) => (
          <button key={which} type="button" aria-label={name} aria-pressed={filter.which === which} onClick={() => set({ which })}>
            {text}
          </button>
        ))}
      </div>
      <Search
        id="list-search"
        name="Search the ceremonies"
        placeholder="Search"
        value={filter.search}
        onSearch={(search) => set({ search })}
      />
      <button type="button" id="clear" class="quiet" disabled={empty} onClick={() => ask(true)}>
        Empty…
      </button>
    </div>
  );
}

/** Number of rows drawn at first, because a phone would take seconds to draw thousands. */
const SHOWN_AT_ONCE = 100;

/** Number of rows that are laid out even before they become visible. It is more than any pane shows at once. */
const LAID_OUT = 40;

/** List of every ceremony at the server, newest first. */
function Stream(): JSX.Element {
  const items = useItems();
  const { filter, selected, waiting, personas } = useMembers('filter', 'selected', 'waiting', 'personas');
  const { list, limit, more } = useMore<HTMLOListElement>(SHOWN_AT_ONCE, 5 * SHOWN_AT_ONCE);
  const found = useMemo(() => items.filter((item) => isShown(item, filter, personas)), [items, filter, personas]);
  const shown = found.slice(0, limit);

  const local = useAppState(({ server }) => server?.local === true);
  // For their titles.
  usePersonas(local && shown.some(({ software }) => isPersona(software?.persona)));

  const tabStop = shown.find(({ key }) => key === selected) ?? shown[0];

  if (found.length === 0) return <p class="hint pane-body nothing">{emptyText(items.length, filter.which)}</p>;
  return (
    <div class="pane-body" role="log" aria-labelledby="list-heading" aria-live="off">
      <ol ref={list} class="stream">
        {shown.map((item, index) => (
          <Row
            key={item.key}
            item={item}
            selected={item.key === selected}
            tabStop={item === tabStop}
            far={index >= LAID_OUT}
            heading={headingAbove(item, shown[index - 1])}
            waiting={waiting !== undefined && item.run?.id === waiting.run ? waiting : undefined}
            personas={personas}
          />
        ))}
      </ol>
      {shown.length < found.length && (
        <button id="show-older" type="button" class="quiet more" onClick={more}>
          Show older ({found.length - shown.length})
        </button>
      )}
    </div>
  );
}

function emptyText(all: number, which: string): string {
  if (all === 0) return 'Nothing yet. Every ceremony at this server appears here: from this tab, other tabs, your own front end, curl.';
  return which === 'failed' ? 'No failed ceremony matches.' : 'No ceremony matches.';
}

/** Finds the heading to show above an item: its day, if the newer item above it is of another day. */
function headingAbove(item: Item, above: Item | undefined): string | undefined {
  const day = new Date(item.at).toDateString();
  const dayAbove = above === undefined ? new Date().toDateString() : new Date(above.at).toDateString();
  return day === dayAbove ? undefined : new Date(item.at).toLocaleDateString(undefined, { dateStyle: 'medium' });
}
