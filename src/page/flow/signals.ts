import type { JsonObject } from '../../kernel/json-value.js';
import type { SignalLeg, SignalMethod, SignalOffer } from '../run.js';
import { describeFailure } from '../run.js';
import { quoted } from '../shown-text.js';
import { acceptedSignal, remember } from '../signal-offers.js';
import type { PasskeyRow } from '../state.js';
import type { App } from './app.js';
import { ALL_PASSKEYS, passkeyRows } from './refresh.js';

/** Sends the signal that a run offers, and adds it to that run. */
export async function sendFromRun(app: App, runId: number, offer: SignalOffer): Promise<void> {
  const leg = await send(app, offer);
  app.runs.addTo(runId, leg);
  app.store.set({ status: summaryOf(leg), statusFailed: leg.outcome !== 'sent' });
}

/** Sends a signal about a passkey in the list, as a run of its own. */
export async function sendFromPasskey(app: App, passkey: PasskeyRow, offered: SignalOffer): Promise<void> {
  const run = app.runs.begin(`${offered.button}: ${quoted(passkey.label)}`, 'other');
  let offer = offered;
  if (offered.method === 'signalAllAcceptedCredentials') {
    // The authenticator may delete what the list lacks, and another tab or program may have registered a passkey since it was drawn.
    const list = await run.http('GET', ALL_PASSKEYS);
    const passkeys = passkeyRows(list);
    if (passkeys === undefined) {
      run.end('rejected', `${describeFailure(list)} Nothing was sent.`);
      return;
    }
    // If another user is signed in by now, their list would have every passkey of this user deleted.
    if (!passkeys.some(({ credential_id }) => credential_id === passkey.credential_id)) {
      run.end('failed', `The server's list belongs to another user or store: ${quoted(passkey.label)} is not in it. Nothing was sent.`);
      return;
    }
    offer = acceptedSignal(passkey, passkeys) ?? offered;
  }
  const leg = await send(app, offer);
  run.add(leg);
  run.end(leg.outcome === 'sent' ? 'verified' : 'failed', summaryOf(leg));
}

function summaryOf({ method, outcome, detail }: SignalLeg): string {
  switch (outcome) {
    case 'sent':
      return `Sent ${method}. Browsers do not report what the authenticator does with it.`;
    case 'not supported':
      return `This browser has no PublicKeyCredential.${method}().`;
    case 'failed':
      return `${method} failed. ${detail}`;
  }
}

async function send(app: App, { method, options, mayHide }: SignalOffer): Promise<SignalLeg> {
  const leg = await call(method, options);
  if (leg.outcome !== 'sent') {
    return leg;
  }
  app.store.set({ signalled: mayHide.reduce(remember, app.store.get().signalled) });
  return mayHide.length === 0
    ? leg
    : { ...leg, detail: 'Restoring a passkey on the server does not bring back what the authenticator has deleted.' };
}

/** Any of the methods may be missing: most browsers are older than they are. */
type Signaller = Partial<Record<SignalMethod, (options: JsonObject) => Promise<void>>>;

async function call(method: SignalMethod, options: JsonObject): Promise<SignalLeg> {
  const leg = (outcome: SignalLeg['outcome'], detail?: string): SignalLeg => ({ kind: 'signal', method, options, outcome, detail });
  const holder: object | undefined = 'PublicKeyCredential' in window ? PublicKeyCredential : undefined;
  const signaller: Signaller | undefined = holder;
  if (typeof signaller?.[method] !== 'function') {
    return leg('not supported');
  }
  try {
    await signaller[method](options);
    return leg('sent');
  } catch (error) {
    return leg('failed', error instanceof Error || error instanceof DOMException ? `${error.name}: ${error.message}` : String(error));
  }
}
