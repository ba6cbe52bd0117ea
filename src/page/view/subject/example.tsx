import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import fixture from '../../../../fixtures/recorded/login-discoverable.json' with { type: 'json' };
import { explainExample } from '../../flow/explain.js';
import { type Item, listItems } from '../../items.js';
import { useApp } from '../../use-app.js';
import { Ceremony } from './ceremony.js';

/** The most common mistake: the server expects the origin of another port. */
const EXPECTED = { origin: 'http://localhost:3000' };

/** A recorded login that a server refuses, explained as all that is pasted. It is in no list and leaves the page by no export. */
export function Example(): JSX.Element | null {
  const app = useApp();
  const [item, setItem] = useState<Item>();
  useEffect(() => {
    void explainExample(app, JSON.stringify(fixture), EXPECTED).then((explained) => {
      const pasted = explained === undefined ? [] : [{ ...explained, id: 0, at: Date.parse(fixture.provenance.recordedAt) }];
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
