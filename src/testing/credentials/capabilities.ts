import type { AuthenticatorInfo } from '../../authenticator/ports.js';
import { listNames } from '../../webauthn/enumerations.js';
import { EXTENSION_INPUTS, findExtensionInput } from '../../webauthn/extensions.js';
import { type Capabilities, SIGNALS } from './messages.js';

/** Extensions that the client processes alone (§10.1.1 to §10.1.3). */
const OF_THE_CLIENT: readonly string[] = ['appid', 'appidExclude', 'credProps'];

/** The answer of `getClientCapabilities()` (§5.1.7) on a client with this authenticator. */
export function readCapabilities(info: AuthenticatorInfo, { relatedOrigins }: { readonly relatedOrigins: boolean }): Capabilities {
  const verifyingPlatform = info.attachment === 'platform' && info.userVerification;
  const hybrid = info.transports.includes('hybrid');
  return {
    conditionalCreate: info.residentKey,
    conditionalGet: info.residentKey,
    hybridTransport: hybrid,
    passkeyPlatformAuthenticator: info.residentKey && (verifyingPlatform || hybrid),
    userVerifyingPlatformAuthenticator: verifyingPlatform,
    relatedOrigins,
    ...Object.fromEntries(SIGNALS.map((name) => [name, true])),
    ...Object.fromEntries(listNames(EXTENSION_INPUTS).map((name) => [`extension:${name}`, hasExtension(info, name)])),
  };
}

function hasExtension({ extensions = [] }: AuthenticatorInfo, name: string): boolean {
  const { authenticator } = findExtensionInput(name) ?? {};
  return OF_THE_CLIENT.includes(name) || extensions.includes(name) || (authenticator !== undefined && extensions.includes(authenticator));
}
