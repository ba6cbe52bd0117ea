import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { firstMistakes, type Mistake, searchMutations } from '../../break-it.js';
import { answererText, type MutationRow, PLAIN, THIS_BROWSER } from '../../catalogue.js';
import { answererOf } from '../../flow/ask.js';
import { loadMutations } from '../../flow/catalogue.js';
import { useApp, useAppState } from '../../use-app.js';
import { Drawer } from '../drawer.js';
import { Hint } from '../hint.js';
import { MistakeList } from './mistake-list.js';

/** The catalogue's mutations: one click, one refusal. */
export function BreakDrawer(): JSX.Element {
  const app = useApp();
  const local = useAppState((state) => state.server?.local === true);
  const refusal = useAppState((state) => state.server?.refusal ?? 'the server has not answered.');
  const mutations = useAppState((state) => state.mutations);
  // Asked for again when the server is back.
  const live = useAppState((state) => state.live);
  useEffect(() => {
    if (local) void loadMutations(app);
  }, [app, local, live]);
  return (
    <Drawer id="break" title="Break it">
      {!local && <p class="hint">Not here: {refusal}</p>}
      {local && mutations.status === 'failed' && <Hint text={mutations.why} />}
      {local && (mutations.status === 'loading' || mutations.status === 'unasked') && (
        <p class="hint">Asking the server for its catalogue…</p>
      )}
      {local && mutations.status === 'loaded' && <Catalogue rows={mutations.rows} />}
    </Drawer>
  );
}

function Catalogue({ rows }: { readonly rows: readonly MutationRow[] }): JSX.Element {
  const [wanted, setWanted] = useState('');
  const first = useMemo(() => firstMistakes(rows), [rows]);
  const found = useMemo(() => searchMutations(rows, wanted), [rows, wanted]);
  const all = (ceremony: MutationRow['ceremony']): readonly Mistake[] =>
    found.filter((row) => row.ceremony === ceremony).map((row) => ({ name: row.title, row }));
  const logins = all('authentication');
  const registrations = all('registration');
  return (
    <>
      <p class="hint">Each runs one ceremony with one thing wrong, and shows what the server says to it.</p>
      <AnsweredBy />
      <input
        id="break-find"
        type="search"
        class="break-find"
        autocomplete="off"
        aria-label="Find a mistake"
        placeholder={`Find among ${rows.length}: origin, counter, signature…`}
        value={wanted}
        onInput={({ currentTarget }) => setWanted(currentTarget.value)}
      />
      {wanted.trim() === '' && <MistakeList id="break-first" title="Often tried" mistakes={first} withWhy />}
      <MistakeList key={`a ${wanted}`} id="break-authentication" title="Log in" mistakes={logins} />
      <MistakeList key={`r ${wanted}`} id="break-registration" title="Register" mistakes={registrations} />
      {found.length === 0 && <p class="hint">Nothing in the catalogue matches.</p>}
    </>
  );
}

/** Who answers, before it is broken. */
function AnsweredBy(): JSX.Element {
  const { store } = useApp();
  const chosen = useAppState(answererOf);
  const personas = useAppState((state) => state.personas);
  if (chosen !== THIS_BROWSER) return <p class="answered-by">Answered by: {answererText(chosen, personas)}.</p>;
  return (
    <p class="answered-by">
      Answered by this browser, then changed; what needs a new signature, by a software authenticator.{' '}
      <button id="break-by-software" type="button" class="quiet" onClick={() => store.set({ answerWith: PLAIN })}>
        Use one for all
      </button>
    </p>
  );
}
