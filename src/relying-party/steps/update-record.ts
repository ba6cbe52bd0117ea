import type { AuthenticatorData } from '../../webauthn/authenticator-data.js';
import type { RegisteredCredential } from './context.js';

/**
 * §7.2 step 24. `uvInitialized` stays: raising it should be authorized by a second factor as strong as user verification,
 * and there is none here, so that the standard's own sub-step is skipped.
 */
export function updatedState(
  { uvInitialized }: Pick<RegisteredCredential, 'uvInitialized'>,
  { signCount, flags }: AuthenticatorData,
): { readonly signCount: number; readonly backupState: boolean; readonly uvInitialized: boolean } {
  return { signCount, backupState: flags.bs, uvInitialized };
}
