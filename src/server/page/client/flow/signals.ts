import type { JsonObject } from '../json.js';
import type { SignalLeg } from '../run.js';
import type { PasskeyRow, User } from '../state.js';

/*
 * The signal methods of WebAuthn L3 §5.1.10 tell the credential provider what the server knows, so that it stops offering
 * passkeys that cannot work. They answer nothing about whether the provider did anything.
 */

export const MAY_BE_GONE =
  'The browser was asked to hide or delete this passkey; `passkey restore` may not bring it back on the authenticator.';

/** After a 404: the server does not know this credential. */
export async function signalUnknown(rpId: string, credentialId: string, detail = MAY_BE_GONE): Promise<SignalLeg> {
  return signal('signalUnknownCredential', { rpId, credentialId }, detail);
}

/** After a revocation or a restoration: these are all that the server still takes from the user. */
export async function signalAccepted(of: PasskeyRow, passkeys: readonly PasskeyRow[], detail?: string): Promise<SignalLeg> {
  if (of.rpId === undefined || of.userHandle === undefined) {
    return notSent('signalAllAcceptedCredentials');
  }
  const accepted = passkeys.filter((one) => one.revokedAt === undefined && one.rpId === of.rpId && one.userHandle === of.userHandle);
  const options = { rpId: of.rpId, userId: of.userHandle, allAcceptedCredentialIds: accepted.map((one) => one.credentialId) };
  return signal('signalAllAcceptedCredentials', options, detail);
}

/** After a rename. The label itself is the server's; what a provider shows are the user's names. */
export async function signalDetails(of: PasskeyRow, user: User): Promise<SignalLeg> {
  return of.rpId === undefined || of.userHandle === undefined
    ? notSent('signalCurrentUserDetails')
    : signal('signalCurrentUserDetails', { rpId: of.rpId, userId: of.userHandle, name: user.email, displayName: user.name });
}

type SignalMethod = 'signalUnknownCredential' | 'signalAllAcceptedCredentials' | 'signalCurrentUserDetails';
/** Older than the newest of browsers: none of the methods is sure to be there. */
type Signaller = Partial<Record<SignalMethod, (options: JsonObject) => Promise<void>>>;

/** To a bearer token from elsewhere the server tells neither of what the signal is made of. */
function notSent(method: SignalMethod): SignalLeg {
  const detail =
    'The page does not know rp.id and user handle of this passkey: the server tells them to a browser on its own machine only.';
  return { kind: 'signal', method, options: {}, outcome: 'not sent', detail };
}

async function signal(method: SignalMethod, options: JsonObject, whenSent?: string): Promise<SignalLeg> {
  const leg = (outcome: SignalLeg['outcome'], detail?: string): SignalLeg => ({ kind: 'signal', method, options, outcome, detail });
  const holder: object | undefined = 'PublicKeyCredential' in window ? PublicKeyCredential : undefined;
  const signaller = holder as Signaller | undefined;
  if (typeof signaller?.[method] !== 'function') {
    return leg('not supported');
  }
  try {
    await signaller[method](options);
    return leg('sent', whenSent);
  } catch (error) {
    return leg('failed', error instanceof Error || error instanceof DOMException ? `${error.name}: ${error.message}` : String(error));
  }
}
