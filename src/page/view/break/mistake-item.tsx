import type { JSX } from 'preact';
import { fareOf, type Mistake } from '../../break-it.js';
import type { MutationRow } from '../../catalogue.js';
import { tryMutation } from '../../flow/break-it.js';
import { useApp, useAppState } from '../../use-app.js';
import { Hint } from '../hint.js';

interface MistakeItemProps {
  readonly mistake: Mistake;
  readonly withWhy: boolean;
}

/** One mistake: a button that makes it, what it tests, and how it fared. */
export function MistakeItem({ mistake: { name, row }, withWhy }: MistakeItemProps): JSX.Element {
  const app = useApp();
  const waiting = useAppState((state) => state.waiting !== undefined);
  const tried = useAppState((state) => state.tried.get(row.id));
  const fared = tried && fareOf(row, tried);
  return (
    <li class="mistake" data-mutation={row.id}>
      <div class="mistake-line">
        <button
          type="button"
          class="mistake-run"
          aria-label={`Break it: ${name}`}
          aria-disabled={waiting}
          title={row.id}
          onClick={() => void tryMutation(app, row)}
        >
          <span aria-hidden="true">▸</span> {name}
        </button>
        {fared !== undefined && tried !== undefined && (
          <button type="button" class={`badge ${fared.tone} fared`} onClick={() => app.store.set({ selected: tried.key })}>
            {fared.text}
          </button>
        )}
      </div>
      <p class="mistake-facts">
        {row.tests !== null && (
          <span title={row.tests.title}>
            §{row.tests.section} step {row.tests.number}
          </span>
        )}
        <span>{expectation(row)}</span>
        {row.signed_again && <span class="badge">signed anew by a software authenticator</span>}
      </p>
      {row.requires.length > 0 && <Hint text={`Of a relying party of which this is so: ${row.requires.join(', and ')}.`} />}
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
