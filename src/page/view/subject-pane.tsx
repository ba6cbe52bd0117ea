import type { JSX } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { answererText, isPersona, THIS_BROWSER } from '../catalogue.js';
import { hasAuthenticator } from '../environment.js';
import { findAnswerer } from '../flow/ask.js';
import { authenticate, blockedBecause } from '../flow/ceremonies.js';
import { createTestPasskey, isFirstVisit, knowsPasskey, offersTestPasskey } from '../flow/first-visit.js';
import { loadDetail } from '../flow/live.js';
import type { Item } from '../items.js';
import { useApp, useAppState, useItems } from '../use-app.js';
import { late } from './late.js';
import { groundStyle } from './monogram.js';

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
  // The one that the address names comes with the list.
  const addressed = item === undefined ? selected : entry?.id;
  useEffect(() => app.store.set({ addressed }), [app, addressed]);
  const local = useAppState(({ server }) => server?.local !== false);
  return (
    <main id="subject" class="pane subject-pane" tabIndex={-1} aria-label="The ceremony">
      <div class="pane-body">
        {item !== undefined ? (
          <Drawn key={item.key} item={item} />
        ) : selected !== undefined && local ? (
          <p class="hint">Asking the server for the ceremony…</p>
        ) : (
          <Welcome />
        )}
      </div>
    </main>
  );
}

/** A file may come from anywhere: what of it cannot be drawn must not take the page with it. */
function Drawn({ item }: { readonly item: Item }): JSX.Element {
  const [error] = useErrorBoundary();
  if (error === undefined) return <Ceremony item={item} />;
  return (
    <p class="stack note warn explanation" role="alert">
      This page cannot draw it: {error instanceof Error ? error.message : String(error)}. {item.pasted === undefined ? HERE : FROM_A_FILE}
    </p>
  );
}

const HERE = 'That is a mistake of this page; the list still says how it ended.';
const FROM_A_FILE = 'The file was changed since a page saved it, or another version of this page did.';

/** The first step for a new user, and what follows from it. */
function Welcome(): JSX.Element {
  const app = useApp();
  const blocked = useAppState((state) => blockedBecause(state, 'registration'));
  const local = useAppState((state) => state.server?.local === true);
  const unknown = useAppState((state) => state.mode === 'unknown');
  const signedIn = useAppState((state) => state.user !== undefined);
  const offered = useAppState(offersTestPasskey);
  const known = useAppState(knowsPasskey);
  // Where there are users, one of them may have a passkey, and the bar has no buttons yet.
  const mayLogIn = useAppState((state) => isFirstVisit(state) && (state.server?.users.length ?? 0) > 0);
  const some = useAppState((state) => state.runs.length + state.stream.length > 0);
  const first = useAppState((state) => state.server?.users.at(-1)?.email);
  const chosen = useAppState(findAnswerer);
  const personas = useAppState((state) => state.personas);
  const able = useAppState((state) => hasAuthenticator(state.notices, state.capabilities));
  const persona = isPersona(chosen);
  const bySoftware = chosen !== THIS_BROWSER || !able;
  const who = signedIn ? undefined : (first ?? 'test@example.com');
  return (
    <div id="welcome" class="welcome">
      <div class="stack">
        <h2>{some ? 'Pick a ceremony from the list, or begin one' : 'See a passkey being made'}</h2>
        {some && <p class="hint">A test passkey, step by step:</p>}
        <ol class="stack will-happen">
          <li>{who === undefined ? '' : `This page signs in as ${who}. `}The server makes options, with a challenge.</li>
          <li>
            {bySoftware
              ? `A software authenticator of the server${persona ? ` (${answererText(chosen, personas)})` : ''} answers, without a dialog.`
              : 'Your browser asks you to create a passkey, and signs the challenge with its new key.'}
          </li>
          <li>The server checks the answer in 29 steps, and this page shows each of them, and every byte.</li>
        </ol>
        {offered && (
          <div class="line">
            <button
              id="create-test-passkey"
              type="button"
              class={known ? 'big' : 'primary big'}
              aria-disabled={blocked !== undefined}
              aria-describedby="create-blocked"
              onClick={() => void createTestPasskey(app)}
            >
              Create a test passkey
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
            {mayLogIn && (
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
        <p id="create-blocked" class="problem">
          {offered && blocked}
        </p>
        {chosen === THIS_BROWSER && !able && <p class="hint">{local ? UNABLE : UNABLE_HERE}</p>}
        {!local && !signedIn && !unknown && <p class="hint">Sign in first, at the top right: this server takes bearer tokens only.</p>}
      </div>
      <Example />
    </div>
  );
}

const UNABLE =
  'This browser has no authenticator here, so a software authenticator of the server answers. “Answer with”, at the top, chooses another.';
const UNABLE_HERE =
  'This browser has no authenticator here, and only a browser on the server’s own machine may use its software authenticator.';

const STEPS = [
  'The client data are of a registration',
  'The challenge is the one that was given',
  'The origin is the expected one',
  'The RP ID hash is that of localhost',
] as const;

/** Tone and length of the segments of an attestation object: hash, flags, count, AAGUID, ID, key. */
const SEGMENTS = [
  [1, 32],
  [4, 3],
  [6, 5],
  [3, 16],
  [2, 22],
  [5, 40],
] as const;

/** A picture of a ceremony on this page. Hidden from screen readers. */
function Example(): JSX.Element {
  return (
    <div class="stack example" aria-hidden="true">
      <p class="fact">Example</p>
      <b>✓ Verified</b>
      <ul class="stack">
        {STEPS.map((step) => (
          <li key={step}>✓ {step}</li>
        ))}
        <li>  25 more</li>
      </ul>
      <div class="strip">
        {SEGMENTS.map(([tone, length]) => (
          <span key={tone} class="ground" style={{ ...groundStyle(tone), flex: length }} />
        ))}
      </div>
      <p class="fact line">
        <code>rpIdHash</code> <code>flags</code> <code>credentialId</code> <code>publicKey</code>
      </p>
    </div>
  );
}
