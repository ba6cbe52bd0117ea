import type { JSX } from 'preact';
import type { Autofill } from '../flow/autofill.js';
import { isFirstVisit } from '../flow/first-visit.js';
import { runKey } from '../flow/run-log.js';
import { shownText } from '../shown-text.js';
import { statusLine } from '../state.js';
import { useApp, useAppState, useMembers } from '../use-app.js';
import { ActionBar } from './action-bar.js';
import { Answerer } from './answerer.js';
import { useFocus, useResultFocus } from './focus.js';
import { late } from './late.js';
import { ListPane } from './list-pane.js';
import { useShortcuts } from './shortcuts.js';
import { SubjectPane } from './subject-pane.js';
import { Switcher } from './switcher.js';
import { useTabFace } from './tab-face.js';

const DRAWERS = {
  options: late((later) => later.options),
  break: late((later) => later.break),
  browser: late((later) => later.browser),
};

/** The whole page: actions, the list of ceremonies, and one ceremony in full. */
export function Page({ autofill }: { readonly autofill: Autofill }): JSX.Element {
  const drawer = useAppState((state) => state.drawer);
  const Open = drawer === undefined ? undefined : DRAWERS[drawer];
  useShortcuts();
  useFocus();
  useResultFocus();
  useTabFace();
  return (
    <>
      <a class="skip" href="#subject">
        Skip to the ceremony
      </a>
      <Top />
      <Notices />
      <ActionBar autofill={autofill} />
      <div class="panes" data-drawer={drawer}>
        <ListPane />
        <SubjectPane />
        {Open && <Open />}
      </div>
      <StatusLine />
    </>
  );
}

/** Header with the product's name, the page's address, and the signed-in user. */
function Top(): JSX.Element {
  const { store } = useApp();
  const { live, mode } = useMembers('live', 'mode');
  const first = useAppState(isFirstVisit);
  const site = useAppState(({ server }) => server?.site);
  return (
    <header class="top">
      <h1 class="brand">
        <Mark /> passkey
      </h1>
      <p class="where mono">
        <span class={live ? 'dot live good' : 'dot'} aria-hidden="true" />
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
      {!first && <Answerer />}
      {!site && <Switcher />}
    </header>
  );
}

/** Logo of the product: a key with a bow shaped like the whorl of a fingerprint. */
function Mark(): JSX.Element {
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

/** Notices at the top of the page about reasons why passkeys will not work here. */
function Notices(): JSX.Element {
  const notices = useAppState((state) => state.notices);
  return (
    <div id="notices" class="notices" role="alert">
      {notices.map(({ severity, title, detail, link }) => (
        <div key={title} class={`notice ${severity === 'error' ? 'bad' : 'warn'}`}>
          <strong>{title}</strong> {detail} {link !== undefined && <a href={link}>Open {link}</a>}
        </div>
      ))}
    </div>
  );
}

/**
 * Announces the latest event to screen readers, and shows it to all users if nothing else on the page does. The event belongs to the newest
 * run, which may not be the selected one.
 */
function StatusLine(): JSX.Element {
  const { store } = useApp();
  const { status, statusFailed: failed, saveInstead } = useMembers('status', 'statusFailed', 'saveInstead');
  const newest = useAppState((state) => state.runs[0]);
  return (
    <div class={failed ? 'status failed' : 'status unseen'}>
      <p id="status" role="status" data-run={newest && runKey(newest.id)} data-outcome={newest?.outcome}>
        {shownText(status)}
      </p>
      {saveInstead && (
        <button type="button" onClick={saveInstead}>
          Save as one file
        </button>
      )}
      {failed && (
        <button type="button" class="quiet icon" aria-label="Dismiss the message" onClick={() => store.set(statusLine(''))}>
          ×
        </button>
      )}
    </div>
  );
}
