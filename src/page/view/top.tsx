import type { JSX } from 'preact';
import { useApp, useAppState } from '../use-app.js';
import { Answerer } from './people/answerer.js';
import { Switcher } from './people/switcher.js';

/** Name, place, and who is signed in. */
export function Top(): JSX.Element {
  const { store } = useApp();
  const live = useAppState((state) => state.live);
  const mode = useAppState((state) => state.mode);
  return (
    <header class="top">
      <h1 class="brand">
        <Mark /> passkey
      </h1>
      <p class="where">
        <span class={live ? 'dot live' : 'dot'} aria-hidden="true" />
        {location.origin}
        <span class="unseen">{live ? ', connected' : mode === 'unreachable' ? ', not reachable' : ''}</span>
      </p>
      <button
        type="button"
        class="quiet icon"
        aria-label="This browser and keys"
        title="This browser and keys (?)"
        onClick={() => store.set({ drawer: store.get().drawer === 'browser' ? undefined : 'browser' })}
      >
        ?
      </button>
      <Answerer />
      <Switcher />
    </header>
  );
}

/** The product's mark: a key whose bow is a finger's whorl. */
export function Mark(): JSX.Element {
  return (
    <svg class="mark" viewBox="0 0 32 20" width="32" height="20" aria-hidden="true">
      <g fill="none" stroke="currentColor" stroke-width="2.6" stroke-linecap="round">
        <path d="M10 17.5a7.5 7.5 0 1 1 7-10" />
        <path d="M10 13.2a3.2 3.2 0 1 1 3-4.4" />
        <path d="M14.5 10H30M25 10v5M29.6 10v3.4" />
      </g>
    </svg>
  );
}
