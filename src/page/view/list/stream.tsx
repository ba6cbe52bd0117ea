import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { isPersona } from '../../catalogue.js';
import { type Item, isShown } from '../../items.js';
import { useApp, useAppState, useItems } from '../../use-app.js';
import { useMore } from '../use-more.js';
import { usePersonas } from '../use-personas.js';
import { Row } from './row.js';

/** Rows drawn at first. Thousands would take a phone seconds. */
const SHOWN_AT_ONCE = 100;

/** Every ceremony at the server, newest first. Arrow keys walk through it, Enter goes to the ceremony. */
export function Stream(): JSX.Element {
  const app = useApp();
  const items = useItems();
  const filter = useAppState((state) => state.filter);
  const selected = useAppState((state) => state.selected);
  const { list, limit, more } = useMore<HTMLOListElement>(SHOWN_AT_ONCE, 5 * SHOWN_AT_ONCE);
  const found = useMemo(() => items.filter((item) => isShown(item, filter)), [items, filter]);
  const shown = found.slice(0, limit);

  const local = useAppState(({ server }) => server?.local === true);
  // For their titles.
  usePersonas(local && shown.some(({ software }) => isPersona(software?.persona)));

  const walk = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const rows = event.currentTarget instanceof Element ? [...event.currentTarget.querySelectorAll<HTMLElement>('.row')] : [];
    const at = rows.findIndex((row) => row === document.activeElement);
    const next = by === undefined || at === -1 ? undefined : rows[at + by];
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
    app.store.set({ selected: shown[at + (by ?? 0)]?.key });
  };

  if (found.length === 0) return <p class="hint pane-body nothing">{emptyText(items.length, filter.which)}</p>;
  return (
    <div class="pane-body" role="log" aria-labelledby="list-heading" aria-live="off">
      <ol ref={list} class="stream" onKeyDown={walk}>
        {shown.map((item, index) => (
          <Row key={item.key} item={item} selected={item.key === selected} heading={headingAbove(item, shown[index - 1])} />
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
  if (all === 0) return 'Nothing yet. Every ceremony at this server appears here: of this tab, other tabs, your own front end, curl.';
  return which === 'failed' ? 'No failed ceremony matches.' : 'No ceremony matches.';
}

/** What separates this item from the newer one above it: a start of the server, or a day. */
function headingAbove(item: Item, above: Item | undefined): string | undefined {
  if (item.before && above?.before !== true) return 'Before this start of the server';
  const day = new Date(item.at).toDateString();
  const dayAbove = above === undefined ? new Date().toDateString() : new Date(above.at).toDateString();
  return day === dayAbove ? undefined : new Date(item.at).toLocaleDateString(undefined, { dateStyle: 'medium' });
}
