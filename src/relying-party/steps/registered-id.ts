import { equalBytes } from '../../webauthn/bytes.js';
import { MAX_CREDENTIAL_ID_BYTES } from '../../webauthn/limits.js';
import { count } from '../../webauthn/wording.js';
import { onAuthenticatorData } from './authenticator-data.js';
import type { RegistrationContext } from './context.js';
import { showId } from './show.js';
import { type Check, fail, pass, skip } from './step.js';

/**
 * §7.1 step 25. That the attested credential ID is also the one in `id` has no step of its own: a browser copies it
 * from there (§5.1.3), and only the attested one is authenticated.
 */
export const credentialId: Check<RegistrationContext> = onAuthenticatorData(({ attestedCredentialData }, { id }) => {
  if (attestedCredentialData === undefined) {
    return skip('there is no attested credential data');
  }
  const { credentialId: attested } = attestedCredentialData;
  if (attested.length > MAX_CREDENTIAL_ID_BYTES) {
    return fail('credential_id_too_long', {
      expected: `at most ${MAX_CREDENTIAL_ID_BYTES} bytes`,
      received: count(attested.length, 'byte'),
      hint: 'The authenticator made a credential ID that the standard forbids (§6.5.1); register with another one.',
    });
  }
  return equalBytes(attested, id)
    ? pass(`at most ${MAX_CREDENTIAL_ID_BYTES} bytes, and equal to id`, showId(attested))
    : fail('credential_id_mismatch', {
        expected: `${showId(attested)} as attested`,
        received: `${showId(id)} as id`,
        hint: 'Send id and rawId as the browser gave them; they name the credential of the attestation object.',
      });
});

/** §7.1 step 26. Revoked passkeys keep their credential ID. */
export const credentialIdUnused: Check<RegistrationContext> = ({ id, credentialKnown }) => {
  if (credentialKnown === undefined) {
    return skip('no store was asked');
  }
  return credentialKnown
    ? fail('credential_already_registered', {
        expected: 'a credential ID that is not registered, for this user or another',
        received: `${showId(id)}, which is`,
        hint: 'Give excludeCredentials in the options; a revoked passkey can be restored, but not registered again.',
      })
    : pass('a credential ID that is not registered', showId(id));
};
