import { decodeBase64 } from '../webauthn/base64url.js';
import { isLoopbackHost } from '../webauthn/loopback.js';
import type { SignalOffer } from './run.js';
import type { PasskeyRow, User } from './state.js';

/*
 * The signal methods of WebAuthn L3 §5.1.10 tell the credential provider what the server knows, so that it stops offering
 * passkeys that cannot work. Providers may delete for good, and they go by RP ID, credential ID and user handle: they cannot
 * tell two projects on localhost apart. So each is a button that says what it may do.
 */

/** Bytes below which a user handle is likely to be a number or a name, which other projects count up to as well. */
const LONG_ENOUGH = 16;

/** A credential that the server does not know, or is said not to. `about` is the sentence on what the server has to do with it. */
export function unknownSignal(rpId: string, credentialId: string, about = unlessAnothers(rpId)): SignalOffer {
  return {
    method: 'signalUnknownCredential',
    options: { rpId, credentialId },
    button: 'Tell the authenticator this passkey is unknown',
    warning: `The authenticator may delete this passkey for RP ID ${rpId} for good. ${about}`,
    mayHide: [credentialId],
  };
}

/**
 * All that the server still accepts of the passkey's user. `passkeys` is the server's whole list for that user: one that is
 * missing from it may be deleted. Undefined where rp.id and user handle are not known.
 */
export function acceptedSignal({ rpId, userHandle }: PasskeyRow, passkeys: readonly PasskeyRow[]): SignalOffer | undefined {
  if (rpId === undefined || userHandle === undefined) {
    return undefined;
  }
  const same = passkeys.filter((one) => one.rpId === rpId && one.userHandle === userHandle);
  const idsOf = (rows: readonly PasskeyRow[]) => rows.map(({ credentialId }) => credentialId);
  return {
    method: 'signalAllAcceptedCredentials',
    options: { rpId, userId: userHandle, allAcceptedCredentialIds: idsOf(same.filter(({ revokedAt }) => revokedAt === undefined)) },
    button: 'Tell the authenticator which passkeys are accepted',
    warning: `The authenticator may delete for good every passkey for RP ID ${rpId} with user handle ${userHandle} that is not accepted here: those revoked, and those that another project or another store made with the same user handle.${shortHandle(rpId, userHandle)}`,
    mayHide: idsOf(same.filter(({ revokedAt }) => revokedAt !== undefined)),
  };
}

/** The user's names, which are what a provider shows; the label of a passkey is the server's own. */
export function detailsSignal({ rpId, userHandle }: PasskeyRow, { email, name }: User): SignalOffer | undefined {
  if (rpId === undefined || userHandle === undefined) {
    return undefined;
  }
  return {
    method: 'signalCurrentUserDetails',
    options: { rpId, userId: userHandle, name: email, displayName: name },
    button: 'Tell the authenticator the user’s names',
    warning: `The authenticator may change the names on every passkey for RP ID ${rpId} with user handle ${userHandle} to ${email} (${name}), also on those of another project.${shortHandle(rpId, userHandle)}`,
    mayHide: [],
  };
}

function unlessAnothers(rpId: string): string {
  return `${othersAt(rpId)}: if another one made this passkey, it is lost there.`;
}

function othersAt(rpId: string): string {
  return isLoopbackHost(rpId) ? `All projects on ${rpId} share this RP ID` : 'Every server with this RP ID shares it';
}

function shortHandle(rpId: string, userHandle: string): string {
  const bytes = decodeBase64(userHandle)?.bytes.length ?? 0;
  return bytes < LONG_ENOUGH
    ? ` The handle is short (${bytes} ${bytes === 1 ? 'byte' : 'bytes'}). ${othersAt(rpId)} and may well use the same handle.`
    : '';
}
