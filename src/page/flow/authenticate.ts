import type { JsonObject } from '../../webauthn/json-value.js';
import { isObject } from '../../webauthn/json-value.js';
import { getPath, numberAt, stringAt } from '../json.js';
import type { BrowserLeg, HttpLeg, SignalOffer } from '../run.js';
import { describeFailure, succeeded } from '../run.js';
import { forget, unknownSignal } from '../signal-offers.js';
import type { PasskeyRow } from '../state.js';
import type { App } from './app.js';
import { refresh, refreshPasskeys, toUser } from './refresh.js';
import { endByBrowser } from './register.js';
import type { RunHandle } from './run-log.js';

export interface AuthenticateOptions {
  /** Undefined: whatever discoverable passkey the browser offers. */
  readonly passkey: PasskeyRow | undefined;
  /** `login` opens a session or hands out a token; `verify` only checks. */
  readonly endpoint: 'login' | 'verify';
}

/** WebAuthn L3 §7.2 from the page's side: options, `get()`, the answer to the server. */
export async function authenticate(app: App, { passkey, endpoint }: AuthenticateOptions): Promise<void> {
  if (app.store.get().busy !== undefined) {
    return;
  }
  const verb = endpoint === 'login' ? 'Log in' : 'Verify';
  const title = passkey === undefined ? `${verb} with a discoverable passkey` : `${verb} with “${passkey.label}”`;
  const run = app.runs.begin(title, 'authentication');
  app.store.set({ busy: title });
  try {
    const options = await requestOptions(app, run, passkey);
    if (options === undefined) {
      return;
    }
    const { leg } = await app.calls.run({ call: 'get', options });
    run.add(leg);
    await finishAuthentication(app, run, leg, endpoint);
  } finally {
    app.store.set({ busy: undefined });
  }
}

/** Request options of the server; undefined when it gave none, the run being ended then. */
export async function requestOptions(app: App, run: RunHandle, passkey: PasskeyRow | undefined): Promise<JsonObject | undefined> {
  const { setup, server } = app.store.get();
  const changed = server?.local === true && Object.keys(setup.authentication).length > 0;
  const base = changed ? '/dev' : '/api/passkeys';
  const options = changed ? { options: setup.authentication } : {};
  const leg =
    passkey === undefined
      ? await run.http('POST', `${base}/login/options`, { ...(setup.appUrl === '' ? {} : { app_url: setup.appUrl }), ...options })
      : await run.http('POST', `${base}/verify/options`, { credential_id: passkey.credential_id, ...options });
  if (succeeded(leg) && isObject(leg.answer)) {
    return leg.answer;
  }
  run.end('rejected', describeFailure(leg), passkey === undefined ? undefined : offerFor(leg, passkey.rp_id, passkey.credential_id));
  if (leg.status === 404) {
    await refreshPasskeys(app);
  }
  return undefined;
}

/** Sends what the browser answered to the server, and takes over what a login opens. */
export async function finishAuthentication(app: App, run: RunHandle, leg: BrowserLeg, endpoint: 'login' | 'verify'): Promise<void> {
  if (leg.response === undefined) {
    endByBrowser(run, leg);
    return;
  }
  const verdict = await run.http('POST', `/api/passkeys/${endpoint}`, leg.response);
  if (!succeeded(verdict)) {
    run.end('rejected', describeFailure(verdict), offerFor(verdict, stringAt(leg.options, 'rpId'), stringAt(leg.response, 'id')));
    await refreshPasskeys(app);
    return;
  }
  const { signalled } = app.store.get();
  app.store.set({ signalled: forget(signalled, stringAt(leg.response, 'id') ?? '') });
  if (endpoint === 'verify') {
    await refreshPasskeys(app);
    const owner = `${stringAt(verdict.answer, 'passkeeable_type')} ${numberAt(verdict.answer, 'passkeeable_id')}`;
    run.end('verified', `Verified: passkey ${numberAt(verdict.answer, 'passkey', 'id')} of ${owner}. Nobody was logged in.`);
    return;
  }
  // The user who logged in may be another than the one whose bearer token this tab held.
  app.store.set({ token: stringAt(verdict.answer, 'token'), user: toUser(getPath(verdict.answer, ['user'])) });
  await refresh(app);
  run.end('verified', `Logged in as ${app.store.get().user?.name ?? 'somebody'}.`);
}

/**
 * What the authenticator can be told when the server does not know the passkey. Offered only: another project may know it, for
 * all of `localhost` is one RP ID.
 */
function offerFor(leg: HttpLeg, rpId = location.hostname, credentialId?: string): SignalOffer | undefined {
  return credentialId !== undefined && stringAt(leg.answer, 'code') === 'passkey_not_found' ? unknownSignal(rpId, credentialId) : undefined;
}
