import type { JSX } from 'preact';
import { answererText, THIS_BROWSER } from '../catalogue.js';
import { hasAuthenticator } from '../environment.js';
import { answererOf } from '../flow/ask.js';
import { createTestPasskey } from '../flow/first-visit.js';
import { useApp, useAppState } from '../use-app.js';
import { Example } from './example.js';

/** What to do first, and what will happen. */
export function Welcome(): JSX.Element {
  const app = useApp();
  const waiting = useAppState((state) => state.waiting !== undefined);
  const local = useAppState((state) => state.server?.local === true);
  const unknown = useAppState((state) => state.mode === 'unknown');
  const signedIn = useAppState((state) => state.user !== undefined);
  const some = useAppState((state) => state.runs.length + state.stream.length > 0);
  const first = useAppState((state) => state.server?.users.at(-1)?.email);
  const chosen = useAppState(answererOf);
  const personas = useAppState((state) => state.personas);
  const able = useAppState((state) => hasAuthenticator(state.notices, state.capabilities));
  const bySoftware = chosen !== THIS_BROWSER || !able;
  const who = signedIn ? undefined : (first ?? 'test@example.com');
  return (
    <div id="welcome" class="welcome">
      <div class="welcome-text">
        <h2>{some ? 'Pick a ceremony from the list, or begin one' : 'See a passkey being made'}</h2>
        <ol class="will-happen">
          <li>{who === undefined ? '' : `This page signs in as ${who}. `}The server makes options, with a challenge.</li>
          <li>
            {bySoftware
              ? `A software authenticator of the server (${chosen === THIS_BROWSER ? answererText('plain') : answererText(chosen, personas)}) answers, without a dialog.`
              : 'Your browser asks you to create a passkey, and signs the challenge with its new key.'}
          </li>
          <li>The server checks the answer in 29 steps, and this page shows each of them, and every byte.</li>
        </ol>
        {(local || signedIn) && (
          <div class="actions">
            <button
              id="create-test-passkey"
              type="button"
              class="primary big"
              aria-disabled={waiting}
              onClick={() => void createTestPasskey(app)}
            >
              Create a test passkey
            </button>
            {local && !bySoftware && (
              <button
                type="button"
                class="quiet"
                id="create-by-software"
                aria-disabled={waiting}
                onClick={() => void createTestPasskey(app, true)}
              >
                with a software authenticator
              </button>
            )}
          </div>
        )}
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
