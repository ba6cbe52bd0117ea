import type { JSX } from 'preact';
import { type AppState, isRevoked } from '../../state.js';
import { useApp, useAppState } from '../../use-app.js';
import { Passkeys } from '../passkeys/passkeys.js';
import { Stream } from './stream.js';
import { StreamTools } from './stream-tools.js';

const LISTS: readonly (readonly [AppState['list'], string])[] = [
  ['ceremonies', 'Ceremonies'],
  ['passkeys', 'Passkeys'],
];

/** The left pane: what happened, or the passkeys that there are. */
export function ListPane(): JSX.Element {
  const { store } = useApp();
  const list = useAppState((state) => state.list);
  const count = useAppState((state) => state.passkeys.filter((passkey) => !isRevoked(passkey)).length);
  return (
    <section class="pane list-pane" aria-labelledby="list-heading">
      <div class="pane-head">
        <h2 id="list-heading" tabIndex={-1} class="unseen">
          {list === 'ceremonies' ? 'Ceremonies at this server' : 'Passkeys'}
        </h2>
        <div class="segments" role="group" aria-label="What the list shows">
          {LISTS.map(([name, text]) => (
            <button key={name} id={`show-${name}`} type="button" aria-pressed={list === name} onClick={() => store.set({ list: name })}>
              {text}
              {name === 'passkeys' && <span class="count">{count}</span>}
            </button>
          ))}
        </div>
      </div>
      {list === 'ceremonies' && <StreamTools />}
      {list === 'ceremonies' ? <Stream /> : <Passkeys />}
    </section>
  );
}
