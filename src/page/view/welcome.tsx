import type { JSX } from 'preact';
import { answererText, isPersona, THIS_BROWSER } from '../catalogue.js';
import { hasAuthenticator } from '../environment.js';
import { answererOf } from '../flow/ask.js';
import { authenticate } from '../flow/authenticate.js';
import { blockedBecause } from '../flow/blocked.js';
import { createTestPasskey, isFirstVisit, knowsPasskey, offersTestPasskey } from '../flow/first-visit.js';
import { useApp, useAppState } from '../use-app.js';
import { Example } from './example.js';

/** What to do first, and what will happen. */
export function Welcome(): JSX.Element {
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
  const chosen = useAppState(answererOf);
  const personas = useAppState((state) => state.personas);
  const able = useAppState((state) => hasAuthenticator(state.notices, state.capabilities));
  const persona = isPersona(chosen);
  const bySoftware = chosen !== THIS_BROWSER || !able;
  const who = signedIn ? undefined : (first ?? 'test@example.com');
  return (
    <div id="welcome" class="welcome">
      <div class="welcome-text">
        <h2>{some ? 'Pick a ceremony from the list, or begin one' : 'See a passkey being made'}</h2>
        {some && <p class="hint">A test passkey, step by step:</p>}
        <ol class="will-happen">
          <li>{who === undefined ? '' : `This page signs in as ${who}. `}The server makes options, with a challenge.</li>
          <li>
            {bySoftware
              ? `A software authenticator of the server${persona ? ` (${answererText(chosen, personas)})` : ''} answers, without a dialog.`
              : 'Your browser asks you to create a passkey, and signs the challenge with its new key.'}
          </li>
          <li>The server checks the answer in 29 steps, and this page shows each of them, and every byte.</li>
        </ol>
        {offered && (
          <div class="actions">
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
        <p id="create-blocked" class="field-problem">
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
