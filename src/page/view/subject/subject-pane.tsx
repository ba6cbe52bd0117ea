import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { loadDetail } from '../../flow/live.js';
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
      <div class="pane-body">{item === undefined ? <Welcome /> : <Ceremony key={item.key} item={item} />}</div>
    </main>
  );
}
