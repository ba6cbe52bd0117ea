import { mayBeCancelled } from '../../explain/browser-errors/cancelled.js';
import type { JsonObject } from '../../kernel/json-value.js';
import { isObject } from '../../kernel/json-value.js';
import { numberAt, stringAt } from '../json.js';
import type { BrowserLeg } from '../run.js';
import { describeFailure, succeeded } from '../run.js';
import { APP_NAME } from '../setup/own-options.js';
import { withGivenSelection } from '../setup/setup.js';
import { quoted } from '../shown-text.js';
import { unknownSignal } from '../signal-offers.js';
import { ensureToken } from './account.js';
import type { App } from './app.js';
import { ask, type Purpose } from './ask.js';
import { isBlocked } from './blocked.js';
import { refresh } from './refresh.js';
import type { RunHandle } from './run-log.js';

const REFUSED = 'The server refused its registration and did not store it.';
const ORPHAN = 'The authenticator keeps the passkey it created, which the server does not know.';

export interface RegisterOptions {
  /** Empty: the server names the passkey. */
  readonly label: string;
  readonly mediation?: 'conditional';
  readonly purpose?: Purpose;
}

/**
 * WebAuthn L3 §7.1 as the page sees it: gets options, calls `create()` and sends the response to the server.
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
    ...(changed ? { options: withGivenSelection(wanted, server) } : {}),
  });
  if (succeeded(leg) && isObject(leg.answer)) {
    return leg.answer;
  }
  run.end('rejected', describeFailure(leg));
  return undefined;
}

/** Ends a run whose call threw: cancelled, timed out, impossible, or aborted by the page. What may be a cancel is no error. */
export function endByBrowser(run: RunHandle, { error, milliseconds, software }: BrowserLeg): void {
  const { name, explanation } = error ?? { name: 'Error', explanation: undefined };
  run.end(
    mayBeCancelled(name, milliseconds, software?.persona !== undefined) ? 'cancelled' : 'browser-error',
    `${name}: ${explanation?.title ?? ''}.`,
  );
}
