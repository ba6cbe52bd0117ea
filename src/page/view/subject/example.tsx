import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { loadExample } from '../../flow/explain.js';
import { type Item, listItems } from '../../items.js';
import { useApp } from '../../use-app.js';
import { Ceremony } from './ceremony.js';

/**
 * Example on the first visit: a recorded login that a server refuses, explained like pasted data. It is not in the list and cannot be
 * exported.
 */
export function Example(): JSX.Element | null {
  const app = useApp();
  const [item, setItem] = useState<Item>();
  useEffect(() => {
    void loadExample(app).then((explained) => {
      const pasted = explained === undefined ? [] : [{ ...explained, id: 0, at: Date.now() }];
      setItem(listItems({ runs: [], stream: [], pasted })[0]);
    });
  }, [app]);
  if (item === undefined) return null;
  return (
    <section class="stack example" aria-label="Example">
      <p class="badge">Example</p>
      <Ceremony item={{ ...item, title: 'Log in', source: 'an example of this page' }} example />
    </section>
  );
}
