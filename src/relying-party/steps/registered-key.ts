import { algorithmName } from '../../webauthn/algorithms.js';
import { decodeCoseKey, readCoseAlgorithm } from '../../webauthn/cose-key.js';
import { publicKeyHint } from '../diagnosis/public-key.js';
import { onAuthenticatorData } from './authenticator-data.js';
import { decoded, type RegistrationContext } from './context.js';
import { type Check, fail, pass, type StepResult, skip } from './step.js';

/** §7.1 step 20. The key itself is looked at too: it must be one that the algorithm can use (§6.5.1.1, §5.8.5). */
export const registeredAlgorithm: Check<RegistrationContext> = onAuthenticatorData(({ attestedCredentialData }, { algorithms }) => {
  if (attestedCredentialData === undefined) {
    return skip('there is no attested credential data');
  }
  const { credentialPublicKey } = attestedCredentialData;
  const expected = algorithms.map(showAlgorithm).join(' or ');
  const alg = decoded(() => readCoseAlgorithm(credentialPublicKey));
  if (!alg.ok) {
    return malformedKey(credentialPublicKey, alg.error.message);
  }
  if (!algorithms.includes(alg.value)) {
    return fail('algorithm_not_allowed', {
      expected,
      received: showAlgorithm(alg.value),
      hint: 'The authenticator must choose among pubKeyCredParams; add the algorithm to the policy (--algorithms) to accept it.',
    });
  }
  const key = decoded(() => decodeCoseKey(credentialPublicKey));
  return key.ok ? pass(expected, showAlgorithm(alg.value)) : malformedKey(credentialPublicKey, key.error.message);
});

function showAlgorithm(alg: number): string {
  return `${algorithmName(alg)} (${alg})`;
}

function malformedKey(bytes: Uint8Array, received: string): StepResult {
  return fail('public_key_malformed', {
    expected: 'a COSE_Key with the parameters that its algorithm requires, and no others',
    received,
    hint: publicKeyHint(
      bytes,
      'The authenticator made a key that nobody can verify signatures with; coordinates are padded to the length of the field.',
    ),
  });
}
