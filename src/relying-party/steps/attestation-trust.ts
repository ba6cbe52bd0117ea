import type { SubCheck } from '../attestation/sub-check.js';
import type { AttestationReport } from '../attestation/verify-attestation.js';
import type { AttestationTrust } from '../credential-record.js';
import type { RegistrationContext } from './context.js';
import { type Check, fail, pass, skip } from './step.js';

/**
 * Certificates that are no path in themselves lead to no root: with roots that is what step 24 finds. Without, nothing would come of it there, and
 * step 22 refuses them.
 */
export function isOfChain({ slug }: SubCheck): boolean {
  return /(?:^|\/)chain-/.test(slug);
}

/**
 * §7.1 step 24, by a policy of ours: a statement is `untrusted` unless it verifies and its certificates lead to one of the roots. So self
 * attestation, which has no certificate, is never trusted. What carries no attestation is recorded as `none`, which passes without roots only.
 */
export function trustOf({ fmt, trust, verdict }: AttestationReport): AttestationTrust {
  return fmt === 'none' ? 'none' : verdict === 'accepted' && trust.status === 'trusted' ? 'trusted' : 'untrusted';
}

/** §7.1 steps 23 and 24 go by the outcome of step 22: a statement that fails there has none. */
export function statementFails({ checks }: AttestationReport): boolean {
  return checks.some((check) => check.status === 'fail' && !isOfChain(check));
}

/** Whether a registration needs a statement that somebody vouches for. */
export function assessesTrust({ attestationRoots, metadata }: RegistrationContext): boolean {
  return attestationRoots.length > 0 || metadata !== undefined;
}

export const attestationTrust: Check<RegistrationContext> = (context) => {
  const { attestation, attestationRoots, metadata } = context;
  const report = attestation();
  if (report === undefined) {
    return skip('the attestation object could not be read');
  }
  if (!assessesTrust(context)) {
    return skip(NOT_ASSESSED);
  }
  if (statementFails(report)) {
    return skip(UNVERIFIED);
  }
  const { check } = report.trust;
  const expected = `${check.expected} (${attestationRoots.length} given${metadata === undefined ? '' : ', and those of FIDO metadata'})`;
  const broken = report.checks.find((candidate) => candidate.status === 'fail' && isOfChain(candidate));
  if (report.fmt !== 'none' && broken !== undefined) {
    return fail('attestation_untrusted', { expected: broken.expected, received: broken.received, hint: broken.hint ?? HINT });
  }
  switch (trustOf(report)) {
    case 'none':
      return fail('attestation_untrusted', { expected, received: 'no attestation (format "none")', hint: HOW_TO_GET_ATTESTATION });
    case 'trusted': {
      const refused = report.statuses.find(({ severity }) => severity === 'fail');
      if (refused !== undefined) return fail('attestation_untrusted', { expected: GOOD_STATUS, received: refused.message, hint: HINT });
      return pass(expected, `a path to ${check.received}`);
    }
    case 'untrusted':
      return fail('attestation_untrusted', { expected, ...whyUntrusted(report) });
  }
};

const GOOD_STATUS = 'a model of which FIDO metadata reports neither a revocation nor a compromise';

function whyUntrusted({ trust, verdict }: AttestationReport): { readonly received: string; readonly hint: string } {
  if (trust.status === 'none') {
    return { received: 'self attestation, which no root vouches for', hint: HINT };
  }
  if (trust.status === 'not-assessed') {
    return { received: 'FIDO metadata without a root for this authenticator model', hint: HINT };
  }
  return verdict === 'undetermined'
    ? {
        received: 'a statement that cannot be verified here (step 22)',
        hint: 'A newer version of Node may know the algorithm; until then register an authenticator whose attestation can be verified.',
      }
    : { received: trust.check.received, hint: HINT };
}

export const NOT_ASSESSED = 'no attestation roots or FIDO metadata are configured, so that trust is not assessed';

export const UNVERIFIED = 'the attestation statement does not verify';

const HINT = 'Register an authenticator of a trusted model, or add the root of this model to --attestation-roots.';

const HOW_TO_GET_ATTESTATION =
  'Ask for attestation "direct" and register an authenticator that attests, such as a security key (synced passkeys do not, and people may decline); to accept passkeys without attestation, configure no roots.';
