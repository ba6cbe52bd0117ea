import type { JSX } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { answererText, isPersona, THIS_BROWSER } from '../catalogue.js';
import { hasAuthenticator } from '../environment.js';
import { findAnswerer } from '../flow/ask.js';
import { authenticate, blockedBecause } from '../flow/ceremonies.js';
import { createTestPasskey, isFirstVisit, knowsPasskey, offersTestPasskey } from '../flow/first-visit.js';
import { loadDetail } from '../flow/live.js';
import { addressPasted } from '../flow/share.js';
import type { Item } from '../items.js';
import { useApp, useAppState, useItems } from '../use-app.js';
import { late } from './late.js';
import { PasteBox } from './paste-box.js';

const Ceremony = late((later) => later.ceremony);
const Example = late((later) => later.example);

/** Right pane of the page: the selected item in full, or a suggestion what to do first. */
export function SubjectPane(): JSX.Element {
  const app = useApp();
  const selected = useAppState((state) => state.selected);
  const item = useItems().find(({ key }) => key === selected);
  const entry = item?.entry;
  useEffect(() => {
    if (entry !== undefined) void loadDetail(app, entry);
  }, [app, entry]);
  // The one that the address names comes with the list.
  const id = item === undefined ? selected : entry?.id;
  useEffect(() => {
    app.store.set({ addressed: id && `ceremony=${id}` });
    if (item?.pasted !== undefined) void addressPasted(app, item);
  }, [app, id, item?.pasted]);
  const local = useAppState(({ server }) => server?.local !== false);
  return (
    <main id="subject" class="pane subject-pane" tabIndex={-1} aria-label="The ceremony">
      <div class="pane-body">
        {local && (selected === undefined || item?.pasted !== undefined) && <PasteBox />}
        {item !== undefined ? (
          <Drawn key={item.key} item={item} />
        ) : selected !== undefined && local ? (
          <p class="hint">Asking the server for the ceremony…</p>
        ) : (
          <Welcome />
        )}
        {/* On a phone, where the list is far above. */}
        <button type="button" id="to-list" onClick={() => document.getElementById('list-heading')?.focus()}>
          ↑ List
        </button>
      </div>
    </main>
  );
}

/** Draws an item and catches errors, because a file may come from anywhere, and a part that cannot be drawn must not break the page. */
function Drawn({ item }: { readonly item: Item }): JSX.Element {
  const [error] = useErrorBoundary();
  if (error === undefined) return <Ceremony item={item} />;
  return (
    <p class="stack note warn explanation" role="alert">
      This page cannot draw it: {error instanceof Error ? error.message : String(error)}. {item.pasted === undefined ? HERE : FROM_A_FILE}
    </p>
  );
}

const HERE = 'That is a fault of this page; the list still shows the result.';
const FROM_A_FILE = 'The file was changed, or another version of this page saved it.';

/** Welcome on the first visit: the question that this page answers, an example, and the button that creates the first passkey. */
function Welcome(): JSX.Element {
  const app = useApp();
  const blocked = useAppState((state) => blockedBecause(state, 'registration'));
  const local = useAppState((state) => state.server?.local === true);
  const unknown = useAppState((state) => state.mode === 'unknown');
  const signedIn = useAppState((state) => state.user !== undefined);
  const offered = useAppState(offersTestPasskey);
  const known = useAppState(knowsPasskey);
  const site = useAppState(({ server }) => server?.site);
  const first = useAppState(isFirstVisit);
  const users = useAppState((state) => state.server?.users ?? []);
  const chosen = useAppState(findAnswerer);
  const personas = useAppState((state) => state.personas);
  const able = useAppState((state) => hasAuthenticator(state.notices, state.capabilities));
  const reason = chosen === THIS_BROWSER ? 'This browser has no authenticator here, so a' : 'A';
  const named = isPersona(chosen) ? ` (${answererText(chosen, personas)})` : '';
  const bySoftware = chosen !== THIS_BROWSER || !able;
  const signsIn = signedIn ? '' : `This page signs in as ${users.at(-1)?.email ?? 'test@example.com'}. `;
  return (
    <div id="welcome" class="stack welcome">
      <h2>
        {first
          ? 'Or begin with a passkey of your own'
          : site
            ? 'Or pick a ceremony of the site from the list'
            : 'Or pick a ceremony from the list'}
      </h2>
      {offered && !known && (
        <div class="line">
          <button
            id="create-test-passkey"
            type="button"
            class="primary big"
            aria-disabled={blocked !== undefined}
            aria-describedby="create-blocked"
            onClick={() => void createTestPasskey(app)}
          >
            Register a test passkey
          </button>
          {local && !bySoftware && (
            <button
              type="button"
              class="quiet"
              id="create-by-software"
              aria-disabled={blocked !== undefined}
              onClick={() => void createTestPasskey(app, true)}
            >
              with a software authenticator
            </button>
          )}
          {/* Where there are users, one of them may have a passkey, and the bar has no buttons yet. */}
          {first && users.length > 0 && (
            <button
              type="button"
              class="quiet"
              id="log-in-instead"
              onClick={() => void authenticate(app, { passkey: undefined, endpoint: 'login' })}
            >
              or log in with a passkey you have
            </button>
          )}
        </div>
      )}
      {offered && !known && (
        <p class="hint">
          {signsIn}
          {bySoftware
            ? `${reason} software authenticator${named} of the server answers, without a dialog.`
            : 'Your browser asks you to create a passkey.'}
        </p>
      )}
      <p id="create-blocked" class="problem">
        {offered && blocked}
      </p>
      {chosen === THIS_BROWSER && !able && !local && <p class="hint">{UNABLE}</p>}
      {!local && !signedIn && !unknown && <p class="hint">Sign in first, at the top right: this server takes bearer tokens only.</p>}
      {first && local && <Example />}
    </div>
  );
}

const UNABLE = 'This browser has no authenticator here, and only a browser on the server’s own machine may use its software authenticator.';
