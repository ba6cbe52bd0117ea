import type { CredentialSignal } from '../authenticator/ports.js';
import { determineRpId } from './caller.js';
import { Members } from './members.js';
import type { Platform } from './platform.js';

/** Options of `signalUnknownCredential()`: UnknownCredentialOptions (§5.1.10.1). */
export interface UnknownCredentialInput {
  readonly rpId: string;
  /** Credential ID as base64url. */
  readonly credentialId: string;
}

/** Options of `signalAllAcceptedCredentials()`: AllAcceptedCredentialsOptions (§5.1.10.2), with IDs as base64url. */
export interface AllAcceptedCredentialsInput {
  readonly rpId: string;
  readonly userId: string;
  readonly allAcceptedCredentialIds: readonly string[];
}

/** Options of `signalCurrentUserDetails()`: CurrentUserDetailsOptions (§5.1.10.3). */
export interface CurrentUserDetailsInput {
  readonly rpId: string;
  /** User handle as base64url. */
  readonly userId: string;
  readonly name: string;
  readonly displayName: string;
}

/** Tells the authenticators that the relying party does not know a credential, by the Signal API (W3C WebAuthn L3 §5.1.10). */
export async function signalUnknownCredential(platform: Platform, input: UnknownCredentialInput): Promise<void> {
  await send(platform, input, (options, rpId) => ({ type: 'unknownCredential', rpId, credentialId: options.bytes('credentialId') }));
}

export async function signalAllAcceptedCredentials(platform: Platform, input: AllAcceptedCredentialsInput): Promise<void> {
  await send(platform, input, (options, rpId) => ({
    type: 'allAcceptedCredentials',
    rpId,
    userId: options.bytes('userId'),
    allAcceptedCredentialIds: options.listOfBytes('allAcceptedCredentialIds'),
  }));
}

export async function signalCurrentUserDetails(platform: Platform, input: CurrentUserDetailsInput): Promise<void> {
  await send(platform, input, (options, rpId) => ({
    type: 'currentUserDetails',
    rpId,
    userId: options.bytes('userId'),
    name: options.string('name'),
    displayName: options.string('displayName'),
  }));
}

/**
 * Reads the options of a signal, checks the RP ID, and passes the signal to every authenticator. The page does not learn the result.
 *
 * @throws TypeError naming the member that is missing, of the wrong type, or not base64url.
 * @throws DOMException `SecurityError` for an RP ID that the caller may not use.
 */
async function send(platform: Platform, input: unknown, read: (options: Members, rpId: string) => CredentialSignal): Promise<void> {
  const options = Members.of(input, 'options', platform.reading);
  const rpId = options.string('rpId');
  const signal = asTypeError(() => read(options, rpId));
  await determineRpId(platform, rpId, 'options.rpId');
  for (const authenticator of platform.authenticators) await authenticator.signal?.(signal);
}

function asTypeError<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && error.name === 'EncodingError') throw new TypeError(error.message, { cause: error });
    throw error;
  }
}
