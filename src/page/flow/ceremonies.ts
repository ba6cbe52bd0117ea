import { mayBeCancelled } from '../../explain/browser-errors/cancelled.js';
import { isObject, type JsonObject } from '../../kernel/json-value.js';
import type { CeremonyKind } from '../../webauthn/enumerations.js';
import { getPath, numberAt, stringAt } from '../json.js';
import { type BrowserLeg, describeFailure, type HttpLeg, type SignalOffer, succeeded } from '../run.js';
import { APP_NAME } from '../setup/own-options.js';
import { withGivenSelection } from '../setup/setup.js';
import { unverifiable } from '../setup/verifiable.js';
import { cut, quoted } from '../shown-text.js';
import { type AppState, type PasskeyRow, type ServerState, statusLine } from '../state.js';
import { ensureToken, refresh, refreshPasskeys, toUser } from './account.js';
import type { App } from './app.js';
import { ask, type Purpose } from './ask.js';
import type { RunHandle } from './run-log.js';
import { forget, unknownSignal } from './signals.js';

const REFUSED = 'The server refused its registration and did not store it.';
const ORPHAN = 'The authenticator keeps the passkey it created, which the server does not know.';

interface RegisterOptions {
  /** Name for the passkey. If empty, the server chooses one. */
  readonly label: string;
  readonly mediation?: 'conditional';
  readonly purpose?: Purpose;
}

/**
 * Registers a passkey (WebAuthn L3 §7.1): gets options, calls `create()` and sends the response to the server.
 *
 * @returns whether the server registered the passkey.
 */
export async function register(app: App, { label, mediation, purpose }: RegisterOptions): Promise<boolean> {
  if (isBlocked(app, 'registration')) return false;
  const title = mediation === undefined ? 'Register a passkey' : 'Register without a dialog (conditional create)';
  const run = app.runs.begin(purpose?.title ?? title, 'registration', { waits: true, silent: mediation !== undefined });
  if (!(await ensureToken(app, run))) return false;
  const options = await creationOptions(app, run, mediation, purpose?.options);
  if (options === undefined) return false;
  const { leg } = await ask(app, run, { ...purpose, call: 'create', options, ...(mediation === undefined ? {} : { mediation }) });
  if (leg.response === undefined) {
    endByBrowser(run, leg);
    return false;
  }
  const verdict = await run.http('POST', '/api/passkeys/register', { label: label === '' ? null : label, ...leg.response });
  if (!succeeded(verdict)) {
    const orphan = unknownSignal(stringAt(options, 'rp', 'id') ?? location.hostname, stringAt(leg.response, 'id') ?? '', REFUSED);
    run.end('rejected', `${describeFailure(verdict)} ${ORPHAN}`, orphan);
    return false;
  }
  await refresh(app);
  run.end(
    'verified',
    `Registered ${quoted(stringAt(verdict.answer, 'passkey', 'label') ?? '')} as passkey ${numberAt(verdict.answer, 'passkey', 'id')}.`,
  );
  return true;
}

async function creationOptions(
  app: App,
  run: RunHandle,
  mediation: 'conditional' | undefined,
  more: JsonObject = {},
): Promise<JsonObject | undefined> {
  const { setup, server } = app.store.get();
  const wanted = { ...setup.registration, ...more };
  // A conditional create may answer without user presence, which the server must know (§7.1 step 15). Only `/dev/*` can say so.
  const changed = server?.local === true && (Object.keys(wanted).length > 0 || mediation !== undefined);
  const leg = await run.http('POST', changed ? '/dev/register/options' : '/api/passkeys/register/options', {
    app_name: setup.appName || APP_NAME,
    app_url: setup.appUrl || location.origin,
    ...(changed && mediation !== undefined ? { mediation } : {}),
    ...(changed ? { options: withGivenSelection(wanted, server.policy) } : {}),
  });
  if (succeeded(leg) && isObject(leg.answer)) return leg.answer;
  run.end('rejected', describeFailure(leg));
  return undefined;
}

/**
 * Ends a run whose browser call threw: cancelled, timed out, impossible, or aborted by the page. If the user may have cancelled, does not
 * show an error.
 */
function endByBrowser(run: RunHandle, { error, milliseconds, software }: BrowserLeg): void {
  const { name, explanation } = error ?? { name: 'Error', explanation: undefined };
  run.end(
    mayBeCancelled(name, milliseconds, software?.persona !== undefined) ? 'cancelled' : 'browser-error',
    `${name}: ${explanation?.title ?? ''}.`,
  );
}

interface AuthenticateOptions {
  /** Passkey to log in with; undefined to let the user choose any discoverable passkey that the browser offers. */
  readonly passkey: PasskeyRow | undefined;
  /** Endpoint that checks the response: `login` opens a session or issues a token, `verify` only checks. */
  readonly endpoint: 'login' | 'verify';
  readonly purpose?: Purpose;
}

/** Authenticates with a passkey (WebAuthn L3 §7.2): gets options, calls `get()` and sends the response to the server. */
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

/**
 * Gets request options from the server. `more` replaces members of the setup. If the server sends no options, ends the run and returns
 * undefined.
 */
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
  if (succeeded(leg) && isObject(leg.answer)) return leg.answer;
  const offer = passkey === undefined ? undefined : offerFor(leg, passkey.rp_id, passkey.credential_id);
  run.end('rejected', leg.status === 404 ? await failureAndSession(app, leg) : describeFailure(leg), offer);
  return undefined;
}

/** Sends the browser's response to the server, and keeps the session or token of a login. */
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
    run.end('verified', `Verified: passkey ${numberAt(verdict.answer, 'passkey', 'id')} of ${owner}. No user was logged in.`);
    return;
  }
  // The user who logged in need not be the one whose bearer token this tab held.
  app.store.set({ token: stringAt(verdict.answer, 'token'), user: toUser(getPath(verdict.answer, ['user'])) });
  await refresh(app);
  run.end('verified', `Logged in as ${cut(app.store.get().user?.name ?? 'the user')}.`);
}

/**
 * Describes a failed response, after loading the user and the passkeys again because the session may have ended together with a removed
 * passkey. The loading comes first, so that the status line keeps the refusal.
 */
async function failureAndSession(app: App, leg: HttpLeg): Promise<string> {
  const before = app.store.get().user;
  await refreshPasskeys(app);
  const ended = before !== undefined && app.store.get().user === undefined;
  return ended ? `${describeFailure(leg)} Your session ended as well. Sign in again.` : describeFailure(leg);
}

/**
 * Creates the signal to offer if the server does not know the passkey. The page sends the signal only on request, because another project
 * may know the passkey: all of `localhost` is one RP ID.
 */
function offerFor(leg: HttpLeg, rpId = location.hostname, credentialId?: string): SignalOffer | undefined {
  return credentialId !== undefined && stringAt(leg.answer, 'code') === 'passkey_not_found' ? unknownSignal(rpId, credentialId) : undefined;
}

/** Parts of the state that decide whether a ceremony's options can be used. */
type Blocking = Pick<AppState, 'invalid' | 'setup'> & { readonly server: Pick<ServerState, 'local' | 'verifiable'> | undefined };

/** Finds the reason why a ceremony's options, from the editor or from the page's address, cannot be used; undefined if they can. */
export function unusableBecause({ invalid, setup, server }: Blocking, dictionary: CeremonyKind): string | undefined {
  const asked = server?.local === true ? unverifiable(dictionary, setup[dictionary], server.verifiable).join(' ') : '';
  return invalid[dictionary]?.problem ?? (asked === '' ? undefined : asked);
}

/** Finds the reason why a ceremony cannot begin now; undefined if it can. */
export function blockedBecause(state: Pick<AppState, 'waiting'> & Blocking, kind: CeremonyKind): string | undefined {
  const { waiting } = state;
  if (waiting !== undefined) return `“${waiting.title}” is still waiting. Answer or cancel it first.`;
  const problem = unusableBecause(state, kind);
  return problem && `The options to ${kind === 'registration' ? 'register' : 'log in'} cannot be used. ${problem}`;
}

/** Tests whether a ceremony is blocked now. If its options are the reason, opens the options drawer, which shows what is wrong. */
export function isBlocked({ store }: App, kind: CeremonyKind): boolean {
  const state = store.get();
  const because = blockedBecause(state, kind);
  if (because !== undefined && state.waiting === undefined) store.set({ drawer: 'options', ...statusLine(because, true) });
  return because !== undefined;
}
