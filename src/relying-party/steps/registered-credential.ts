import { equalBytes } from '../../kernel/bytes.js';
import { count } from '../../kernel/wording.js';
import { algorithmName } from '../../webauthn/algorithms.js';
import type { AuthenticatorData } from '../../webauthn/authenticator-data.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import { readCoseAlgorithm } from '../../webauthn/cose-key.js';
import { readFinding } from '../../webauthn/decoding-error.js';
import { MAX_CREDENTIAL_ID_BYTES } from '../../webauthn/limits.js';
import { hexIdHint } from '../diagnosis/hints.js';
import { publicKeyHint } from '../diagnosis/public-key.js';
import { showId } from '../show.js';
import { onAuthenticatorData } from './authenticator-data.js';
import { decoded, type RegistrationContext } from './context.js';
import { type Check, fail, pass, type StepResult, skip } from './step.js';

/** §7.1 step 20: the server offered the algorithm of the key. Also checks that the algorithm fits the key (§6.5.1, §5.8.5). */
export const registeredAlgorithm: Check<RegistrationContext> = onAuthenticatorData(
  ({ attestedCredentialData }, { algorithms, credentialKey }) => {
    if (attestedCredentialData === undefined || credentialKey === undefined) {
      return skip('there is no attested credential data');
    }
    const { credentialPublicKey } = attestedCredentialData;
    const expected = algorithms.map(showAlgorithm).join(' or ');
    // The algorithm counts also where the rest of the key is wrong.
    const alg = decoded(() => (credentialKey.ok ? credentialKey.value.alg : readCoseAlgorithm(credentialPublicKey)));
    if (!alg.ok) {
      return malformedKey(credentialPublicKey, readFinding(alg.error));
    }
    if (!algorithms.includes(alg.value)) {
      return fail('algorithm_not_allowed', {
        expected,
        received: showAlgorithm(alg.value),
        hint: 'The authenticator must choose from pubKeyCredParams; add the algorithm to the policy (--algorithms) to accept it.',
      });
    }
    return credentialKey.ok
      ? pass(expected, showAlgorithm(alg.value))
      : malformedKey(credentialPublicKey, readFinding(credentialKey.error));
  },
);

function showAlgorithm(alg: number): string {
  return `${algorithmName(alg)} (${alg})`;
}

function malformedKey(bytes: Uint8Array, received: string): StepResult {
  return fail('public_key_malformed', {
    expected: 'a COSE_Key with the parameters that its algorithm requires, and no others',
    received,
    hint: publicKeyHint(bytes, 'The authenticator made a key that cannot verify any signature; register with another one.'),
  });
}

/**
 * §7.1 step 25: the credential ID has a valid length. No step compares the attested credential ID with `id` of the response: a browser
 * copies `id` from the attested one (§5.1.3), and only the attested one is authenticated.
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
        hint:
          hexIdHint(encodeBase64url(id)) ??
          'Send id and rawId as the browser gave them; they must identify the credential of the attestation object.',
      });
});

/** §7.1 step 26: the credential ID is not registered yet. The credential IDs of revoked passkeys count as registered. */
export const credentialIdUnused: Check<RegistrationContext> = ({ id, credentialKnown }) => {
  if (credentialKnown === undefined) {
    return skip('no store was searched');
  }
  return credentialKnown
    ? fail('credential_already_registered', {
        expected: 'a credential ID that is not registered yet, by this or another user',
        received: `${showId(id)}, which is`,
        hint: 'Give excludeCredentials in the options; a revoked passkey can be restored, but not registered again.',
      })
    : pass('a credential ID that is not registered', showId(id));
};

/**
 * Reads the values of a new credential record that come from the authenticator data, except the credential ID and the public key (§7.1 step
 * 27).
 */
export function initialState({ signCount, flags }: AuthenticatorData): {
  readonly signCount: number;
  readonly uvInitialized: boolean;
  readonly backupEligible: boolean;
  readonly backupState: boolean;
} {
  return { signCount, uvInitialized: flags.uv, backupEligible: flags.be, backupState: flags.bs };
}

/** §7.1 step 27: describes the new credential record. */
export const newRecord: Check<RegistrationContext> = onAuthenticatorData((authenticatorData, { credentialKey }) => {
  const { attestedCredentialData } = authenticatorData;
  if (attestedCredentialData === undefined) {
    return skip('there is no attested credential data');
  }
  const { credentialId } = attestedCredentialData;
  const state = Object.entries(initialState(authenticatorData)).map(([name, value]) => `${name} ${value}`);
  return pass(
    'id, publicKey, signCount, uvInitialized, backupEligible and backupState as received',
    [
      `id of ${count(credentialId.length, 'byte')}`,
      `publicKey of ${credentialKey?.ok === true ? algorithmName(credentialKey.value.alg) : 'no algorithm'}`,
      ...state,
    ].join(', '),
  );
});
