import type { JsonObject } from '../../kernel/json-value.js';
import { count } from '../../kernel/wording.js';
import { decodeBase64 } from '../../webauthn/base64url.js';
import { isLoopbackHost } from '../../webauthn/loopback.js';
import { describeFailure, type SignalLeg, type SignalMethod, type SignalOffer } from '../run.js';
import { quoted } from '../shown-text.js';
import { isRevoked, type PasskeyRow, type User } from '../state.js';
import { ALL_PASSKEYS, passkeyRows } from './account.js';
import type { App } from './app.js';

/*
 * The signal methods of WebAuthn L3 §5.1.10 tell the credential provider what the server knows, so that it stops offering
 * passkeys that cannot work. Providers may delete passkeys permanently, and they identify them by RP ID, credential ID and user
 * handle: they cannot tell two projects on localhost apart. So each signal is a button that says what it may do.
 */

/**
 * Length in bytes from which a user handle is probably unique. A shorter handle is probably a number or a name, which another project may
 * use too.
 */
const LONG_ENOUGH = 16;

/** Creates the signal that the server does not know a credential. `about` is a sentence about what the server does know. */
export function unknownSignal(rpId: string, credentialId: string, about = unlessAnothers(rpId)): SignalOffer {
  return {
    method: 'signalUnknownCredential',
    options: { rpId, credentialId },
    button: 'Tell the authenticator this passkey is unknown',
    warning: `The authenticator may permanently delete this passkey for RP ID ${rpId}. ${about}`,
    mayHide: [credentialId],
  };
}

/**
 * Creates the signal that lists the passkeys that the server still accepts for the passkey's user. `passkeys` must be the server's complete
 * list for that user, because the authenticator may delete any passkey that is not in the list. Undefined if the RP ID or the user handle
 * is unknown.
 */
export function acceptedSignal(
  { rp_id: rpId, user_handle: userHandle }: PasskeyRow,
  passkeys: readonly PasskeyRow[],
): SignalOffer | undefined {
  if (rpId === undefined || userHandle === undefined) return undefined;
  const same = passkeys.filter((one) => one.rp_id === rpId && one.user_handle === userHandle);
  const listIds = (rows: readonly PasskeyRow[]) => rows.map(({ credential_id }) => credential_id);
  return {
    method: 'signalAllAcceptedCredentials',
    options: { rpId, userId: userHandle, allAcceptedCredentialIds: listIds(same.filter((one) => !isRevoked(one))) },
    button: 'Tell the authenticator which passkeys are accepted',
    warning: `The authenticator may permanently delete every passkey for RP ID ${rpId} with user handle ${userHandle} that this server does not accept: revoked ones, and those that another project or another store created with the same user handle.${shortHandle(rpId, userHandle)}`,
    mayHide: listIds(same.filter(isRevoked)),
  };
}

/** Creates the signal with the user's names, which providers show. Does not include the passkey's label, which only the server has. */
export function detailsSignal({ rp_id: rpId, user_handle: userHandle }: PasskeyRow, { email, name }: User): SignalOffer | undefined {
  if (rpId === undefined || userHandle === undefined) return undefined;
  return {
    method: 'signalCurrentUserDetails',
    options: { rpId, userId: userHandle, name: email, displayName: name },
    button: 'Tell the authenticator the user’s names',
    warning: `The authenticator may change the names on every passkey for RP ID ${rpId} with user handle ${userHandle} to ${email} (${name}), including passkeys of another project.${shortHandle(rpId, userHandle)}`,
    mayHide: [],
  };
}

function unlessAnothers(rpId: string): string {
  return `${othersAt(rpId)}: if another one created this passkey, it is lost there.`;
}

function othersAt(rpId: string): string {
  return isLoopbackHost(rpId) ? `All projects on ${rpId} share this RP ID` : 'Every server with this RP ID shares it';
}

function shortHandle(rpId: string, userHandle: string): string {
  const bytes = decodeBase64(userHandle)?.bytes.length ?? 0;
  return bytes < LONG_ENOUGH ? ` The handle is short (${count(bytes, 'byte')}). ${othersAt(rpId)} and may use the same handle.` : '';
}

/** Number of signalled credential IDs to remember. The oldest are dropped first. */
const REMEMBERED = 200;

/** Adds the ID (base64url) of a passkey that the browser was asked to hide or delete. */
function remember(signalled: readonly string[], credentialId: string): readonly string[] {
  return [...forget(signalled, credentialId), credentialId].slice(-REMEMBERED);
}

/** Removes the ID of a passkey that was used after the signal. */
export function forget(signalled: readonly string[], credentialId: string): readonly string[] {
  return signalled.filter((id) => id !== credentialId);
}

/** Reads the IDs that an earlier visit stored; empty if they cannot be read. */
export function readSignalled(text: string | undefined): readonly string[] {
  try {
    const ids: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(ids) && ids.every((id) => typeof id === 'string') ? ids : [];
  } catch {
    return [];
  }
}

/** Sends the signal that a run offers, and adds it to that run. */
export async function sendFromRun(app: App, runId: number, offer: SignalOffer): Promise<void> {
  const leg = await send(app, offer);
  app.runs.addTo(runId, leg);
  app.store.set({ status: describeSignal(leg), statusFailed: leg.outcome !== 'sent' });
}

/** Sends a signal about a passkey in the list of passkeys, in a separate run. */
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
  run.end(leg.outcome === 'sent' ? 'verified' : 'failed', describeSignal(leg));
}

function describeSignal({ method, outcome, detail }: SignalLeg): string {
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
  if (leg.outcome !== 'sent') return leg;
  app.store.set({ signalled: mayHide.reduce(remember, app.store.get().signalled) });
  return mayHide.length === 0
    ? leg
    : { ...leg, detail: 'Restoring a passkey on the server does not bring back what the authenticator has deleted.' };
}

/** The browser's signal methods. Any of them may be missing, because many browsers are older than the methods. */
type Signaller = Partial<Record<SignalMethod, (options: JsonObject) => Promise<void>>>;

async function call(method: SignalMethod, options: JsonObject): Promise<SignalLeg> {
  const leg = (outcome: SignalLeg['outcome'], detail?: string): SignalLeg => ({ kind: 'signal', method, options, outcome, detail });
  const holder: object | undefined = 'PublicKeyCredential' in window ? PublicKeyCredential : undefined;
  const signaller: Signaller | undefined = holder;
  if (typeof signaller?.[method] !== 'function') return leg('not supported');
  try {
    await signaller[method](options);
    return leg('sent');
  } catch (error) {
    return leg('failed', error instanceof Error || error instanceof DOMException ? `${error.name}: ${error.message}` : String(error));
  }
}
