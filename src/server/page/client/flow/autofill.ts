import type { App } from './app.js';
import { finishAuthentication, requestOptions } from './authenticate.js';

/** The browser's offer of passkeys in the autofill of a text field (conditional mediation). */
export interface Autofill {
  /** Begins to wait, or begins anew with a fresh challenge. Does nothing while it is switched off or already waits. */
  arm(): Promise<void>;
  disarm(): Promise<void>;
}

/** Before a challenge runs out the request is replaced: a passkey picked later would meet `challenge_expired`. */
const RENEWED_AFTER = 0.8;

export function createAutofill(app: App): Autofill {
  let waiting = false;
  let renewal: ReturnType<typeof setTimeout> | undefined;

  /** One request; true when it should be followed by another. */
  const once = async (): Promise<boolean> => {
    const run = app.runs.begin('Log in by autofill', 'authentication', { hidden: true });
    const options = await requestOptions(app, run, undefined);
    if (options === undefined) {
      run.show();
      return false;
    }
    if (!wanted(app)) {
      return false;
    }
    let expired = false;
    renewal = setTimeout(
      () => {
        expired = true;
        void app.calls.abort();
      },
      (app.store.get().server?.challengeTtl ?? 60_000) * RENEWED_AFTER,
    );
    app.store.set({ autofill: 'armed' });
    const { leg, aborted } = await app.calls.run({ call: 'get', options, mediation: 'conditional' });
    clearTimeout(renewal);
    if (aborted) {
      return expired;
    }
    run.add(leg);
    run.show();
    await finishAuthentication(app, run, leg, 'login');
    return false;
  };

  return {
    async arm() {
      if (waiting || !wanted(app)) {
        return;
      }
      waiting = true;
      app.store.set({ autofill: 'arming' });
      try {
        if (!(await conditionalMediation())) {
          app.store.set({ autofill: 'unavailable' });
          return;
        }
        while (await once()) {
          // Renewed with a fresh challenge.
        }
        app.store.set({ autofill: 'off' });
      } finally {
        waiting = false;
      }
    },
    async disarm() {
      clearTimeout(renewal);
      if (waiting) {
        await app.calls.abort();
      }
    },
  };
}

/** Not while a ceremony with a dialog is under way: the browser has room for one, and the visible one goes first. */
function wanted(app: App): boolean {
  const { setup, busy, mode } = app.store.get();
  return setup.autofill && busy === undefined && mode !== 'unknown';
}

async function conditionalMediation(): Promise<boolean> {
  return 'PublicKeyCredential' in window && typeof PublicKeyCredential.isConditionalMediationAvailable === 'function'
    ? PublicKeyCredential.isConditionalMediationAvailable()
    : false;
}
