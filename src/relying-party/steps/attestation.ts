import { count } from '../../kernel/wording.js';
import { decodeAttestationObject } from '../../webauthn/attestation-object.js';
import { readFinding } from '../../webauthn/decoding-error.js';
import { ATTESTATION_FORMAT_IDS, knownValue, type SelfAttestationRule } from '../../webauthn/enumerations.js';
import type { SubCheck } from '../attestation/sub-check.js';
import { type AttestationReport, findOpenCheck } from '../attestation/verify-attestation.js';
import type { AttestationTrust } from '../credential-record.js';
import { malformedHint } from '../diagnosis/hints.js';
import { showText } from '../show.js';
import { malformedAuthenticatorData, onAuthenticatorData } from './authenticator-data.js';
import { type RegistrationContext } from './context.js';
import { type Check, fail, leaveOpen, pass, type StepResult, skip } from './step.js';

type RegistrationCheck = Check<RegistrationContext>;

/**
 * §7.1 step 13: the attestation object contains fmt, attStmt and authData and is followed by no other bytes, and authData contains attested
 * credential data (§6.5.1).
 */
export const attestationObject: RegistrationCheck = ({ attestationObject: decoded, authenticatorData, attestationObjectBytes }) => {
  if (!decoded.ok) {
    return fail('attestation_malformed', {
      expected: 'one CBOR map with fmt, attStmt and authData',
      received: readFinding(decoded.error),
      hint: malformedHint(
        { member: 'attestationObject', bytes: attestationObjectBytes, decode: decodeAttestationObject },
        'Send response.attestationObject byte for byte as the browser gave it.',
      ),
    });
  }
  if (authenticatorData?.ok === false) {
    return malformedAuthenticatorData(readFinding(authenticatorData.error), decoded.value.authData);
  }
  return authenticatorData?.value.attestedCredentialData === undefined
    ? malformedAuthenticatorData('no attested credential data (the AT flag is not set), so there is no credential to register')
    : pass('one CBOR map with fmt, attStmt and authData', count(attestationObjectBytes.length, 'byte'));
};

function onAttestationObject(check: (fmt: string, context: RegistrationContext) => StepResult): RegistrationCheck {
  return (context) =>
    context.attestationObject.ok ? check(context.attestationObject.value.fmt, context) : skip('the attestation object could not be read');
}

const isKnown = (fmt: string): boolean => knownValue(fmt, ATTESTATION_FORMAT_IDS) !== undefined;

/** §7.1 step 21: the attestation format is known. */
export const attestationFormat: RegistrationCheck = onAttestationObject((fmt) =>
  isKnown(fmt)
    ? pass(ATTESTATION_FORMAT_IDS.join(', '), showText(fmt))
    : fail('attestation_format_unsupported', {
        expected: ATTESTATION_FORMAT_IDS.join(', '),
        received: showText(fmt),
        hint: 'Request attestation "none", or name a supported format in attestationFormats.',
      }),
);

/** §7.1 step 22: the statement verifies by the procedure of its format (§8). */
export const attestationStatement: RegistrationCheck = (context) => {
  const { attestation, authenticatorData } = context;
  const report = attestation();
  if (report === undefined) {
    return skip('the attestation object could not be read');
  }
  if (authenticatorData?.ok !== true || authenticatorData.value.attestedCredentialData === undefined) {
    return skip('there is no attested credential data for the statement');
  }
  if (!isKnown(report.fmt)) {
    return skip('the format is not supported');
  }
  const failed = report.checks.find((check) => check.status === 'fail' && !(assessesTrust(context) && isOfChain(check)));
  if (failed !== undefined) {
    return fail('attestation_malformed', {
      expected: `${failed.expected} (${failed.reference})`,
      received: failed.received,
      hint: `${failed.hint ?? 'The statement violates the rules of its format (§8).'} Send response.attestationObject unchanged, register another authenticator, or request attestation "none" if you do not need it.`,
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

/** §7.1 step 23: names the trust anchors that are acceptable for the attestation. */
export const trustAnchors: RegistrationCheck = (context) => {
  const { attestation, attestationRoots, metadata } = context;
  if (!assessesTrust(context)) {
    return skip(NOT_ASSESSED);
  }
  const report = attestation();
  return report === undefined || statementFails(report)
    ? skip(report === undefined ? 'the attestation object could not be read' : UNVERIFIED)
    : pass(
        'trust anchors from policy',
        `${count(attestationRoots.length, 'root certificate')}${metadata === undefined ? '' : `, FIDO metadata number ${metadata.no}`}`,
      );
};

/** Makes the check of §7.1 step 18 (flag BE) or 19 (flag BS). */
export function backupFlag(flag: 'be' | 'bs'): RegistrationCheck {
  return onAuthenticatorData(({ flags }) =>
    skip(`${flag.toUpperCase()} is ${flags[flag] ? 'set' : 'not set'}; the policy has no rule about it`),
  );
}

/**
 * Tells whether a check is about the certification path. A broken path leads to no root. If roots are given, step 24 reports that. Without
 * roots, step 24 would not notice, so step 22 fails.
 */
function isOfChain({ slug }: SubCheck): boolean {
  return /(?:^|\/)chain-/.test(slug);
}

/**
 * Finds the attestation trust for the credential record: `untrusted` unless the statement verifies and its certificates lead to one of the
 * roots. Self attestation has no certificate, so it is never trusted, even if §7.1 step 24 accepts it.
 */
export function readTrust({ fmt, trust, verdict }: AttestationReport): AttestationTrust {
  return fmt === 'none' ? 'none' : verdict === 'accepted' && trust.status === 'trusted' ? 'trusted' : 'untrusted';
}

/**
 * Tells whether a statement has no certificate and is signed with the credential's own key. This is also true of a compound attestation
 * with such a statement.
 */
function isSelfAttestation({ attestationType, trust, parts = [] }: AttestationReport): boolean {
  return trust.status === 'none' && [attestationType, ...parts.map((part) => part.attestationType)].includes('self');
}

/** Tells whether §7.1 step 22 fails. Steps 23 and 24 depend on its outcome, so they do not apply in that case. */
function statementFails({ checks }: AttestationReport): boolean {
  return checks.some((check) => check.status === 'fail' && !isOfChain(check));
}

/** Tells whether the policy requires that a trusted authority vouches for the attestation. */
function assessesTrust({ attestationRoots, metadata }: RegistrationContext): boolean {
  return attestationRoots.length > 0 || metadata !== undefined;
}

/**
 * §7.1 step 24: the attestation is trustworthy according to the policy. Each refusal names the rule of the policy that it is based on: the
 * rule on roots, on self attestation, or on missing attestation.
 */
export const attestationTrust: Check<RegistrationContext> = (context) => {
  const { attestation, attestationRoots, selfAttestation = 'accept', metadata } = context;
  const report = attestation();
  if (report === undefined) {
    return skip('the attestation object could not be read');
  }
  const isSelf = isSelfAttestation(report);
  if (!assessesTrust(context) && !isSelf) {
    return skip(NOT_ASSESSED);
  }
  if (statementFails(report)) {
    return skip(UNVERIFIED);
  }
  if (isSelf) {
    return selfTrust(report, selfAttestation);
  }
  const { check } = report.trust;
  const given = `${attestationRoots.length} given${metadata === undefined ? '' : ', and those of FIDO metadata'}`;
  const expected = `${check.expected} (${given})`;
  const broken = report.checks.find((candidate) => candidate.status === 'fail' && isOfChain(candidate));
  if (report.fmt !== 'none' && broken !== undefined) {
    return fail('attestation_untrusted', { expected: broken.expected, received: broken.received, hint: broken.hint ?? HINT });
  }
  switch (readTrust(report)) {
    case 'none':
      return fail('attestation_untrusted', {
        expected: `an attestation, since roots are configured (${given})`,
        received: 'no attestation (format "none")',
        hint: HOW_TO_GET_ATTESTATION,
      });
    case 'trusted':
      return ofBadModel(report) ?? pass(expected, `a path to ${check.received}`);
    case 'untrusted':
      return fail('attestation_untrusted', { expected, ...whyUntrusted(report) });
  }
};

function selfTrust(report: AttestationReport, rule: SelfAttestationRule): StepResult {
  if (rule === 'refuse') {
    return fail('attestation_untrusted', {
      expected: 'an attestation other than self attestation, which the policy refuses',
      received: SELF,
      hint: 'Register an authenticator that attests with a certificate, or accept self attestation (--self-attestation accept).',
    });
  }
  return report.verdict === 'undetermined'
    ? fail('attestation_untrusted', { expected: 'a statement that verifies', ...whyUntrusted(report) })
    : (ofBadModel(report) ?? pass('self attestation, which the policy accepts, or better', SELF));
}

const SELF = 'self attestation, which no root vouches for';

function ofBadModel({ statuses }: AttestationReport): StepResult | undefined {
  const refused = statuses.find(({ severity }) => severity === 'fail');
  return refused && fail('attestation_untrusted', { expected: GOOD_STATUS, received: refused.message, hint: HINT });
}

const GOOD_STATUS = 'a model for which FIDO metadata reports neither a revocation nor a compromise';

function whyUntrusted({ trust, verdict }: AttestationReport): { readonly received: string; readonly hint: string } {
  if (trust.status === 'none') {
    return { received: 'statements without any certificate', hint: HINT };
  }
  if (trust.status === 'not-assessed') {
    return { received: 'FIDO metadata without a root for this authenticator model', hint: HINT };
  }
  return verdict === 'undetermined'
    ? {
        received: 'a statement that cannot be verified here (step 22)',
        hint: 'A newer version of Node may support the algorithm; until then register an authenticator whose attestation can be verified.',
      }
    : { received: trust.check.received, hint: HINT };
}

const NOT_ASSESSED = 'no attestation roots or FIDO metadata are configured, so trust is not assessed';

const UNVERIFIED = 'the attestation statement does not verify';

const HINT = 'Register an authenticator of a trusted model, or add the root of this model to --attestation-roots.';

const HOW_TO_GET_ATTESTATION =
  'Request attestation "direct" and register an authenticator that attests, such as a security key (synced passkeys do not, and people may decline); to accept passkeys without attestation, configure no roots.';
