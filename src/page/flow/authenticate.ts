import type { JsonObject } from '../../kernel/json-value.js';
import { isObject } from '../../kernel/json-value.js';
import { getPath, numberAt, stringAt } from '../json.js';
import type { BrowserLeg, HttpLeg, SignalOffer } from '../run.js';
import { describeFailure, succeeded } from '../run.js';
import { cut, quoted } from '../shown-text.js';
import { forget, unknownSignal } from '../signal-offers.js';
import type { PasskeyRow } from '../state.js';
import type { App } from './app.js';
import { ask, type Purpose } from './ask.js';
import { isBlocked } from './blocked.js';
import { refresh, refreshPasskeys, toUser } from './refresh.js';
import { endByBrowser } from './register.js';
import type { RunHandle } from './run-log.js';

export interface AuthenticateOptions {
  /** Undefined: any discoverable passkey that the browser offers. */
  readonly passkey: PasskeyRow | undefined;
  /** `login` opens a session or issues a token; `verify` only checks. */
  readonly endpoint: 'login' | 'verify';
  readonly purpose?: Purpose;
}

/** WebAuthn L3 §7.2 as the page sees it: gets options, calls `get()` and sends the response to the server. */
export async function authenticate(app: App, { passkey, endpoint, purpose }: AuthenticateOptions): Promise<void> {
  if (isBlocked(app, 'authentication')) return;
  const verb = endpoint === 'login' ? 'Log in' : 'Verify';
  const title = passkey === undefined ? `${verb} with a discoverable passkey` : `${verb} with ${quoted(passkey.label)}`;
  const run = app.runs.begin(purpose?.title ?? title, 'authentication', { waits: true });
  const options = await requestOptions(app, run, passkey, purpose?.options);
  if (options === undefined) return;
  const { leg } = await ask(app, run, { credentialId: passkey?.credential_id, ...purpose, call: 'get', options });
  await finishAuthentication(app, run, leg, endpoint);
}

/** Request options from the server. `more` overwrites members of the setup. If it gives none, ends the run and returns undefined. */
export async function requestOptions(
  app: App,
  run: RunHandle,
  passkey: PasskeyRow | undefined,
  more: JsonObject = {},
): Promise<JsonObject | undefined> {
  const { setup, server } = app.store.get();
  const wanted = { ...setup.authentication, ...more };
  const changed = server?.local === true && Object.keys(wanted).length > 0;
  const base = changed ? '/dev' : '/api/passkeys';
  const options = changed ? { options: wanted } : {};
  const leg =
    passkey === undefined
      ? await run.http('POST', `${base}/login/options`, { ...(setup.appUrl === '' ? {} : { app_url: setup.appUrl }), ...options })
      : await run.http('POST', `${base}/verify/options`, { credential_id: passkey.credential_id, ...options });
  if (succeeded(leg) && isObject(leg.answer)) {
    return leg.answer;
  }
  const offer = passkey === undefined ? undefined : offerFor(leg, passkey.rp_id, passkey.credential_id);
  run.end('rejected', leg.status === 404 ? await failureAndSession(app, leg) : describeFailure(leg), offer);
  return undefined;
}

/** Sends the browser's response to the server, and adopts the session or token of a login. */
export async function finishAuthentication(app: App, run: RunHandle, leg: BrowserLeg, endpoint: 'login' | 'verify'): Promise<void> {
  if (leg.response === undefined) {
    endByBrowser(run, leg);
    return;
  }
  const verdict = await run.http('POST', `/api/passkeys/${endpoint}`, leg.response);
  if (!succeeded(verdict)) {
    const offer = offerFor(verdict, stringAt(leg.options, 'rpId'), stringAt(leg.response, 'id'));
    run.end('rejected', await failureAndSession(app, verdict), offer);
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
  // The user who logged in need not be the one whose bearer token this tab held.
  app.store.set({ token: stringAt(verdict.answer, 'token'), user: toUser(getPath(verdict.answer, ['user'])) });
  await refresh(app);
  run.end('verified', `Logged in as ${cut(app.store.get().user?.name ?? 'somebody')}.`);
}

/**
 * Reads the passkeys again before the run ends, so that the status line keeps the refusal. A passkey that is gone may have taken the
 * session with it.
 */
async function failureAndSession(app: App, leg: HttpLeg): Promise<string> {
  const before = app.store.get().user;
  await refreshPasskeys(app);
  const ended = before !== undefined && app.store.get().user === undefined;
  return ended ? `${describeFailure(leg)} Your session ended as well. Sign in again.` : describeFailure(leg);
}

/**
 * The signal to offer when the server does not know the passkey. It is never sent unasked: another project may know the passkey,
 * since all of `localhost` is one RP ID.
 */
function offerFor(leg: HttpLeg, rpId = location.hostname, credentialId?: string): SignalOffer | undefined {
  return credentialId !== undefined && stringAt(leg.answer, 'code') === 'passkey_not_found' ? unknownSignal(rpId, credentialId) : undefined;
}
