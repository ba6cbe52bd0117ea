import { malformedAuthenticatorData, onAuthenticatorData } from './authenticator-data.js';
import type { RegistrationContext } from './context.js';
import { count, showText } from './show.js';
import { type Check, fail, pass, type StepResult, skip } from './step.js';

/** Those that the verification library knows (WebAuthn L3 §8, without compound). */
export const ATTESTATION_FORMATS = ['none', 'packed', 'tpm', 'android-key', 'android-safetynet', 'fido-u2f', 'apple'] as const;

type RegistrationCheck = Check<RegistrationContext>;

/** §7.1 step 13: fmt, attStmt and authData, and nothing after them; authData with attested credential data (§6.5.1). */
export const attestationObject: RegistrationCheck = ({ attestationObject: decoded, authenticatorData, attestationObjectBytes }) => {
  if (!decoded.ok) {
    return fail('attestation_malformed', {
      expected: 'one CBOR map with fmt, attStmt and authData',
      received: decoded.error.message,
      hint: 'Send response.attestationObject byte for byte as the browser gave it.',
    });
  }
  if (authenticatorData?.ok === false) {
    return malformedAuthenticatorData(authenticatorData.error.message);
  }
  return authenticatorData?.value.attestedCredentialData === undefined
    ? malformedAuthenticatorData('no attested credential data (the AT flag is not set), so that there is no credential to register')
    : pass('one CBOR map with fmt, attStmt and authData', count(attestationObjectBytes.length, 'byte'));
};

function onAttestationObject(check: (fmt: string, context: RegistrationContext) => StepResult): RegistrationCheck {
  return (context) =>
    context.attestationObject.ok ? check(context.attestationObject.value.fmt, context) : skip('the attestation object could not be read');
}

/** §7.1 step 21. */
export const attestationFormat: RegistrationCheck = onAttestationObject((fmt) =>
  (ATTESTATION_FORMATS as readonly string[]).includes(fmt)
    ? pass(ATTESTATION_FORMATS.join(', '), showText(fmt))
    : fail('attestation_format_unsupported', {
        expected: ATTESTATION_FORMATS.join(', '),
        received: showText(fmt),
        hint: 'Ask for attestation "none", or name a supported format in attestationFormats.',
      }),
);

/** §7.1 step 22. An empty statement is judged here; for the others the library's verdict counts. */
export const attestationStatement: RegistrationCheck = onAttestationObject((fmt, { attestationObject: decoded, library }) => {
  if (fmt === 'none') {
    const size = decoded.ok ? decoded.value.attStmt.size : 0;
    return size === 0
      ? pass('an empty statement', 'an empty statement')
      : fail('attestation_malformed', {
          expected: 'an empty statement for fmt "none" (§8.7)',
          received: `a statement with ${count(size, 'member')}`,
          hint: 'The client must empty the statement when it sets fmt to "none".',
        });
  }
  if (library === undefined) {
    return skip('the statement was not verified');
  }
  return library.verdict === 'verified'
    ? pass(`a ${fmt} statement that verifies`, 'a statement that verifies')
    : fail('attestation_malformed', {
        expected: `a ${fmt} statement that verifies`,
        received: library.reason,
        hint: 'The attestation statement is not what §8 asks of its format; ask for attestation "none" if you do not need it.',
      });
});

/** §7.1 step 23. */
export const trustAnchors: RegistrationCheck = ({ attestationRoots }) =>
  attestationRoots.length === 0
    ? skip('no attestation roots are configured, so that trust is not assessed')
    : pass('trust anchors from policy', count(attestationRoots.length, 'root certificate'));

/** §7.1 steps 18 and 19. */
export function backupFlag(flag: 'be' | 'bs'): RegistrationCheck {
  return onAuthenticatorData(({ flags }) =>
    skip(`${flag.toUpperCase()} is ${flags[flag] ? 'set' : 'not set'}; the policy has no rule about it`),
  );
}
