import { algorithmName } from '../../webauthn/algorithms.js';
import type { AuthenticatorData } from '../../webauthn/authenticator-data.js';
import { readCoseAlgorithm } from '../../webauthn/cose-key.js';
import { count } from '../../webauthn/wording.js';
import { onAuthenticatorData } from './authenticator-data.js';
import { decoded, type RegistrationContext } from './context.js';
import { type Check, pass, skip } from './step.js';

/** §7.1 step 27: what a credential record takes from the authenticator data beside credential ID and public key. */
export function initialState({ signCount, flags }: AuthenticatorData): {
  readonly signCount: number;
  readonly uvInitialized: boolean;
  readonly backupEligible: boolean;
  readonly backupState: boolean;
} {
  return { signCount, uvInitialized: flags.uv, backupEligible: flags.be, backupState: flags.bs };
}

/** §7.1 step 27. */
export const newRecord: Check<RegistrationContext> = onAuthenticatorData((authenticatorData) => {
  const { attestedCredentialData } = authenticatorData;
  if (attestedCredentialData === undefined) {
    return skip('there is no attested credential data');
  }
  const { credentialId, credentialPublicKey } = attestedCredentialData;
  const alg = decoded(() => readCoseAlgorithm(credentialPublicKey));
  const state = Object.entries(initialState(authenticatorData)).map(([name, value]) => `${name} ${value}`);
  return pass(
    'id, publicKey, signCount, uvInitialized, backupEligible and backupState as received',
    [`id of ${count(credentialId.length, 'byte')}`, `publicKey of ${alg.ok ? algorithmName(alg.value) : 'no algorithm'}`, ...state].join(
      ', ',
    ),
  );
});
