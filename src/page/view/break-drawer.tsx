import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { answererText, type MutationRow, PLAIN, THIS_BROWSER } from '../catalogue.js';
import { findAnswerer } from '../flow/ask.js';
import { describeTried, firstMistakes, searchMutations, tryMutation, tryMutations } from '../flow/break-it.js';
import { loadMutations } from '../flow/catalogue.js';
import { nameBroken } from '../items.js';
import { useApp, useAppState, useMembers } from '../use-app.js';
import { Search } from './controls.js';
import { Drawer } from './drawer.js';
import { Hint } from './text.js';
import { useMore } from './use-more.js';

/** Drawer that lists the catalogue's mutations. One click runs a ceremony with one mistake. */
export function BreakDrawer(): JSX.Element {
  const app = useApp();
  const local = useAppState((state) => state.server?.local === true);
  const refusal = useAppState((state) => state.server?.refusal ?? 'the server has not answered.');
  // Asked for again when the server is back.
  const { mutations, live } = useMembers('mutations', 'live');
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
  const site = useAppState(({ server }) => server?.site);
  const first = useMemo(() => firstMistakes(rows), [rows]);
  const found = useMemo(() => searchMutations(rows, wanted), [rows, wanted]);
  const refused = (kind: MutationRow['ceremony']) => found.filter(({ ceremony, expected }) => ceremony === kind && expected === 'refused');
  return (
    <>
      <p class="hint">
        {site
          ? 'Each breaks one thing in the next ceremony at the site.'
          : 'Each runs one ceremony with one mistake and shows the server’s answer.'}
      </p>
      {!site && <AnsweredBy />}
      <Search
        id="break-find"
        name="Find a mistake"
        placeholder={`Find among ${rows.length}: origin, counter, signature…`}
        value={wanted}
        onSearch={setWanted}
      />
      {wanted.trim() === '' && (
        <>
          {!site && <Scorecard mistakes={first} />}
          <MistakeList id="break-first" title="Often tried" mistakes={first} withWhy />
        </>
      )}
      <MistakeList key={`a ${wanted}`} id="break-authentication" title="Log in" mistakes={refused('authentication')} />
      <MistakeList key={`r ${wanted}`} id="break-registration" title="Register a passkey" mistakes={refused('registration')} />
      <MistakeList
        key={`v ${wanted}`}
        id="break-accepted"
        title="Unusual, but accepted by a correct server"
        mistakes={found.filter(({ expected }) => expected === 'accepted')}
      />
      {found.length === 0 && <p class="hint">Nothing in the catalogue matches.</p>}
    </>
  );
}

/** Shows the authenticator whose response will be changed. */
function AnsweredBy(): JSX.Element {
  const { store } = useApp();
  const chosen = useAppState(findAnswerer);
  const personas = useAppState((state) => state.personas);
  if (chosen !== THIS_BROWSER) return <p class="note fine">Answered by: {answererText(chosen, personas)}.</p>;
  return (
    <p class="note fine">
      This browser answers logins, and its response is then changed. A software authenticator answers registrations, so that no passkeys are
      left in the browser, and mistakes that need a new signature.{' '}
      <button id="break-by-software" type="button" class="quiet" onClick={() => store.set({ answerWith: PLAIN })}>
        Use one for all
      </button>
    </p>
  );
}

/** Button that tries several common mistakes, one after the other, and the number of those that the server handled correctly. */
function Scorecard({ mistakes }: { readonly mistakes: readonly MutationRow[] }): JSX.Element {
  const app = useApp();
  const waiting = useAppState((state) => state.waiting !== undefined);
  const tried = useAppState((state) => state.tried);
  const fared = mistakes.flatMap((row) => {
    const result = tried.get(row.id);
    return result === undefined ? [] : [describeTried(row, result).tone];
  });
  const good = fared.filter((tone) => tone === 'good').length;
  const all = fared.length === mistakes.length;
  return (
    <div class="line">
      <button id="break-all" type="button" aria-disabled={waiting} onClick={() => void tryMutations(app, mistakes)}>
        Run these {mistakes.length}
      </button>
      <p id="scorecard" role="status" class={fared.length === 0 ? 'unseen' : `badge ${good === fared.length ? 'good' : 'bad'}`}>
        {fared.length > 0 && `${good} of ${all ? mistakes.length : fared.length} ${all ? 'refused, as they should be' : 'so far'}`}
      </p>
    </div>
  );
}

/** Number of mistakes shown at first, and with each press of “Show more”. */
const SHOWN_AT_ONCE = 40;

interface MistakeListProps {
  readonly id: string;
  readonly title: string;
  readonly mistakes: readonly MutationRow[];
  /** True if each mistake shows from the start why it matters. */
  readonly withWhy?: boolean;
}

function MistakeList({ id, title, mistakes, withWhy = false }: MistakeListProps): JSX.Element | null {
  const { list, limit, more } = useMore<HTMLUListElement>(SHOWN_AT_ONCE, SHOWN_AT_ONCE);
  if (mistakes.length === 0) return null;
  return (
    <section aria-labelledby={`${id}-heading`}>
      <h3 id={`${id}-heading`}>
        {title} <span class="count">{mistakes.length}</span>
      </h3>
      <ul id={id} ref={list} class="mistakes">
        {mistakes.slice(0, limit).map((row) => (
          <MistakeItem key={row.id} row={row} withWhy={withWhy} />
        ))}
      </ul>
      {mistakes.length > limit && (
        <button type="button" class="quiet" onClick={more}>
          Show {Math.min(SHOWN_AT_ONCE, mistakes.length - limit)} more
        </button>
      )}
    </section>
  );
}

interface MistakeItemProps {
  readonly row: MutationRow;
  readonly withWhy: boolean;
}

/** One mistake in the drawer: a button that tries the mistake, what it tests, and the result. */
function MistakeItem({ row, withWhy }: MistakeItemProps): JSX.Element {
  const app = useApp();
  const waiting = useAppState((state) => state.waiting !== undefined);
  const tried = useAppState((state) => state.tried.get(row.id));
  const fared = tried && describeTried(row, tried);
  return (
    <li class="stack mistake" data-mutation={row.id}>
      <div class="line">
        <button
          type="button"
          class="wrap mistake-run"
          aria-label={nameBroken(row.title)}
          aria-disabled={waiting || row.unfit !== undefined}
          title={row.id}
          onClick={() => void tryMutation(app, row)}
        >
          <span aria-hidden="true">▸</span> {row.title}
        </button>
        {fared !== undefined && tried !== undefined && (
          <button type="button" class={`badge ${fared.tone} fared end`} onClick={() => app.store.set({ selected: tried.key })}>
            {fared.text}
          </button>
        )}
      </div>
      <p class="line hint">
        {row.tests !== null && (
          <span title={row.tests.title}>
            §{row.tests.section} step {row.tests.number}
          </span>
        )}
        <span>{expectation(row)}</span>
        {row.signed_again && <span class="badge">signed anew by a software authenticator</span>}
      </p>
      {row.unfit !== undefined && <Hint text={`Not at this server: ${row.unfit}.`} />}
      {row.unfit === undefined && row.requires.length > 0 && (
        <Hint text={`Applies to a relying party if ${row.requires.join(', and ')}.`} />
      )}
      {row.why !== null && <Why text={row.why} open={withWhy} />}
    </li>
  );
}

function Why({ text, open }: { readonly text: string; readonly open: boolean }): JSX.Element {
  if (open) return <Hint text={text} />;
  return (
    <details class="why">
      <summary>Why it matters</summary>
      <Hint text={text} />
    </details>
  );
}

function expectation({ expected, code }: MutationRow): JSX.Element {
  return expected === 'accepted' ? <>to be accepted</> : <>to be refused{code === null ? '' : <code> {code}</code>}</>;
}
