import { findOpenCheck, VERIFIED_FORMATS } from '../attestation/verify-attestation.js';
import { isOfChain, statementFails, UNVERIFIED } from './attestation-trust.js';
import { malformedAuthenticatorData, onAuthenticatorData } from './authenticator-data.js';
import type { RegistrationContext } from './context.js';
import { count, showText } from './show.js';
import { type Check, fail, leaveOpen, pass, type StepResult, skip } from './step.js';

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
  VERIFIED_FORMATS.includes(fmt)
    ? pass(VERIFIED_FORMATS.join(', '), showText(fmt))
    : fail('attestation_format_unsupported', {
        expected: VERIFIED_FORMATS.join(', '),
        received: showText(fmt),
        hint: 'Ask for attestation "none", or name a supported format in attestationFormats.',
      }),
);

/** §7.1 step 22, by the procedure of each format (§8). */
export const attestationStatement: RegistrationCheck = ({ attestation, attestationRoots, authenticatorData }) => {
  const report = attestation();
  if (report === undefined) {
    return skip('the attestation object could not be read');
  }
  if (authenticatorData?.ok !== true || authenticatorData.value.attestedCredentialData === undefined) {
    return skip('there is no attested credential data that it could be about');
  }
  if (!VERIFIED_FORMATS.includes(report.fmt)) {
    return skip('the format is not supported');
  }
  const failed = report.checks.find((check) => check.status === 'fail' && !(attestationRoots.length > 0 && isOfChain(check)));
  if (failed !== undefined) {
    return fail('attestation_malformed', {
      expected: `${failed.expected} (${failed.reference})`,
      received: failed.received,
      hint: failed.hint ?? STATEMENT_HINT,
    });
  }
  if (report.verdict === 'undetermined') {
    return leaveOpen(findOpenCheck(report.checks)?.received ?? 'the statement cannot be verified here');
  }
  return report.fmt === 'none'
    ? pass('an empty statement', 'an empty statement')
    : pass(
        `a statement of format ${report.fmt} that verifies`,
        `${count(report.checks.filter(({ status }) => status === 'pass').length, 'requirement')} met, type ${report.attestationType}`,
      );
};

const STATEMENT_HINT = 'The attestation statement is not what §8 asks of its format; ask for attestation "none" if you do not need it.';

/** §7.1 step 23. */
export const trustAnchors: RegistrationCheck = ({ attestation, attestationRoots }) => {
  if (attestationRoots.length === 0) {
    return skip('no attestation roots are configured, so that trust is not assessed');
  }
  const report = attestation();
  return report === undefined || statementFails(report)
    ? skip(report === undefined ? 'the attestation object could not be read' : UNVERIFIED)
    : pass('trust anchors from policy', count(attestationRoots.length, 'root certificate'));
};

/** §7.1 steps 18 and 19. */
export function backupFlag(flag: 'be' | 'bs'): RegistrationCheck {
  return onAuthenticatorData(({ flags }) =>
    skip(`${flag.toUpperCase()} is ${flags[flag] ? 'set' : 'not set'}; the policy has no rule about it`),
  );
}
