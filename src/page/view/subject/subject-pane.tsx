import type { JSX } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { loadDetail } from '../../flow/live.js';
import type { Item } from '../../items.js';
import { useApp, useAppState, useItems } from '../../use-app.js';
import { late } from '../late.js';
import { Welcome } from '../welcome.js';

const Ceremony = late((later) => later.ceremony);

/** The right pane: the selected item whole, or what to do first. */
export function SubjectPane(): JSX.Element {
  const app = useApp();
  const selected = useAppState((state) => state.selected);
  const item = useItems().find(({ key }) => key === selected);
  const entry = item?.entry;
  useEffect(() => {
    if (entry !== undefined) void loadDetail(app, entry);
  }, [app, entry]);
  return (
    <main id="subject" class="pane subject-pane" tabIndex={-1} aria-label="The ceremony">
      <div class="pane-body">{item === undefined ? <Welcome /> : <Drawn key={item.key} item={item} />}</div>
    </main>
  );
}

/** A file may come from anywhere: what of it cannot be drawn must not take the page with it. */
function Drawn({ item }: { readonly item: Item }): JSX.Element {
  const [error] = useErrorBoundary();
  if (error === undefined) return <Ceremony item={item} />;
  return (
    <p class="explanation" role="alert">
      This page cannot draw it: {error instanceof Error ? error.message : String(error)}. {item.pasted === undefined ? HERE : FROM_A_FILE}
    </p>
  );
}

const HERE = 'That is a mistake of this page; the list still says how it ended.';
const FROM_A_FILE = 'The file was changed since a page saved it, or another version of this page did.';
