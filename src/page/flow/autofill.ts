import type { Setup } from '../setup/setup.js';
import type { App } from './app.js';
import { finishAuthentication, requestOptions, unusableBecause } from './ceremonies.js';

/** Control of the request that offers passkeys in the autofill of a text field (conditional mediation). */
export interface Autofill {
  /** Starts an autofill request with a fresh challenge. Does nothing if autofill is switched off or a request is already waiting. */
  arm(): Promise<void>;
  /** Replaces the waiting request if the options have changed. */
  renew(): Promise<void>;
  disarm(): Promise<void>;
}

/** Title of autofill runs in the list. */
export const AUTOFILL_TITLE = 'Log in by autofill';

/**
 * Fraction of a challenge's lifetime after which the waiting request is replaced by a new one. A passkey picked after the whole lifetime
 * would fail with `challenge_expired`.
 */
const RENEWED_AFTER = 0.8;

export function createAutofill(app: App): Autofill {
  let waiting = false;
  /** Setup with which the waiting request was made. */
  let asked: Setup | undefined;
  /** True if another autofill request should follow when the present one is aborted. */
  let again = false;
  let renewal: ReturnType<typeof setTimeout> | undefined;

  /** Makes one autofill request. Returns true if another should follow. */
  const once = async (): Promise<boolean> => {
    const run = app.runs.begin(AUTOFILL_TITLE, 'authentication', { hidden: true });
    again = false;
    asked = app.store.get().setup;
    const options = await requestOptions(app, run, undefined);
    if (options === undefined) {
      run.show();
      return false;
    }
    if (!wanted(app)) return false;
    if (stale(asked, app.store.get().setup)) return true;
    renewal = setTimeout(() => void replaceRequest(), (app.store.get().server?.policy.challengeTtl ?? 60_000) * RENEWED_AFTER);
    app.store.set({ autofill: 'armed' });
    const { leg, aborted } = await app.calls.run({ call: 'get', options, mediation: 'conditional' }, run.signal);
    clearTimeout(renewal);
    if (aborted) return again;
    run.add(leg);
    run.show();
    await finishAuthentication(app, run, leg, 'login');
    return false;
  };

  const replaceRequest = async () => {
    again = true;
    await app.calls.abort();
  };

  return {
    async arm() {
      if (waiting || !wanted(app)) return;
      waiting = true;
      app.store.set({ autofill: 'arming' });
      try {
        if (!(await conditionalMediation())) {
          app.store.set({ autofill: 'unavailable' });
          return;
        }
        while (wanted(app) && (await once())) {
          // The next request has a fresh challenge and the current options.
        }
        app.store.set({ autofill: 'off' });
      } finally {
        waiting = false;
      }
    },
    async renew() {
      const { autofill, setup } = app.store.get();
      if (waiting && autofill === 'armed' && asked !== undefined && stale(asked, setup)) {
        await replaceRequest();
      }
    },
    async disarm() {
      clearTimeout(renewal);
      if (waiting) await app.calls.abort();
    },
  };
}

/**
 * Tests whether autofill may run. It must not run during a ceremony with a dialog: the browser runs only one request at a time, and the
 * visible one has priority.
 */
function wanted(app: App): boolean {
  const state = app.store.get();
  const { setup, waiting, mode } = state;
  return setup.autofill && waiting === undefined && mode !== 'unknown' && unusableBecause(state, 'authentication') === undefined;
}

function stale(asked: Setup, now: Setup): boolean {
  return asked.authentication !== now.authentication || asked.appUrl !== now.appUrl;
}

async function conditionalMediation(): Promise<boolean> {
  return 'PublicKeyCredential' in window && typeof PublicKeyCredential.isConditionalMediationAvailable === 'function'
    ? PublicKeyCredential.isConditionalMediationAvailable()
    : false;
}
