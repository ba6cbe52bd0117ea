import { findAlgorithm } from '../webauthn/algorithms.js';
import { readCoseAlgorithm } from '../webauthn/cose-key.js';
import { isValidAt } from './attestation/chain.js';
import { readRoots } from './attestation/trust.js';
import { type AuthenticationContext, decoded, type LibraryVerdict, type RegistrationContext } from './steps/context.js';
import type { FailedStepReport } from './steps/step.js';

type Context = RegistrationContext | AuthenticationContext;

/**
 * Why the verification library says otherwise than the steps; undefined where both agree. Part of the documentation: every difference that is
 * known has its sentence here.
 *
 * @param clock the machine's time (ms), which the library uses for certificates, whatever `now` of the context is.
 */
export function libraryDifference(
  context: Context,
  library: LibraryVerdict,
  { failed, clock }: { readonly failed: FailedStepReport | undefined; readonly clock: number },
): string | undefined {
  if (library.verdict === 'verified') {
    return failed === undefined
      ? undefined
      : (LEFT_OUT[failed.slug] ?? `The library does not check step ${failed.number} (${failed.slug}) as the standard words it.`);
  }
  return failed === undefined
    ? (whyRefused(context, clock) ?? `The library refuses what the standard allows, and says: ${library.reason}`)
    : undefined;
}

/** Steps that the library accepts though they fail (by slug). */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  'allow-credentials': 'The library is not told which credentials were asked for.',
  'user-handle': 'The library does not look at the user handle.',
  challenge: 'The library compares the challenge, and does not know whether it was used or has expired.',
  'cross-origin': 'The library does not look at crossOrigin.',
  'top-origin': 'The library looks at topOrigin only where one is expected.',
  'attestation-object': 'The library ignores bytes after the attestation object.',
  algorithm: 'Without a statement the library never uses the public key, so it accepts one that nobody can verify signatures with.',
  'attestation-statement':
    'The library leaves out requirements of §8 and RFC 5280, such as the algorithm of self attestation, CAs as issuers, the origin and purpose of Android keys and, without roots, the signatures and times of certificates.',
  'attestation-trust':
    'The library is given no roots here: it keeps them for the whole process, and even with roots accepts self attestation and no attestation.',
  'credential-id': 'The library compares id with rawId, not with the attested credential ID, and sets no limit to its length.',
  'credential-id-unused': 'The library does not know which credentials are registered.',
  'backup-eligibility': 'The library does not compare the backup eligibility with that of the registration.',
  signature: 'The library takes ECDSA signatures that are not in their one right DER form, such as with bytes after it.',
  'sign-count':
    'The library is asked without the stored counter: it looks at it before the signature, so that anybody could report a regression.',
};

function whyRefused(context: Context, clock: number): string | undefined {
  if (hasRefusedTokenBinding(context)) {
    return 'The library refuses values of tokenBinding that older clients sent; the standard reserves the member and ignores it.';
  }
  const id = algorithmOf(context);
  const algorithm = findAlgorithm(id);
  if (id !== undefined && algorithm?.library !== 'always') {
    const name = algorithm?.name ?? String(id);
    return algorithm?.library === 'node-24'
      ? `The library verifies ${name} on newer versions of Node only.`
      : `The library does not verify ${name}.`;
  }
  return 'attestation' in context ? whyStatementRefused(context, clock) : undefined;
}

/** The library takes these only, and spells one of them otherwise for authentications. */
function hasRefusedTokenBinding(context: Context): boolean {
  const tokenBinding = context.clientData.ok ? context.clientData.value.tokenBinding : undefined;
  const taken = ['present', 'supported', 'attestation' in context ? 'not-supported' : 'notSupported'];
  const status = typeof tokenBinding === 'object' && tokenBinding !== null && 'status' in tokenBinding ? tokenBinding.status : undefined;
  return Boolean(tokenBinding) && !(typeof status === 'string' && taken.includes(status));
}

function algorithmOf(context: Context): number | undefined {
  const attested = context.authenticatorData?.ok === true ? context.authenticatorData.value.attestedCredentialData : undefined;
  const key = 'credential' in context ? context.credential.publicKey : attested?.credentialPublicKey;
  const alg = key && decoded(() => readCoseAlgorithm(key));
  return alg?.ok === true ? alg.value : undefined;
}

function whyStatementRefused(context: RegistrationContext, clock: number): string | undefined {
  const report = context.attestation();
  const attested = context.authenticatorData?.ok === true ? context.authenticatorData.value.attestedCredentialData : undefined;
  if (report === undefined) {
    return undefined;
  }
  if (readRoots(report.trustPath).some((certificate) => !isValidAt(certificate, clock))) {
    return 'The library judges certificates as of today; the steps as of the time of the ceremony, at which they were valid.';
  }
  switch (report.fmt) {
    case 'compound':
      return 'The library does not know compound attestation.';
    case 'fido-u2f':
      return attested?.aaguid.some((byte) => byte !== 0)
        ? 'The library refuses fido-u2f with an AAGUID that is not zero, which §8.6 does not ask for.'
        : undefined;
    case 'tpm':
      return 'The library refuses TPMs of manufacturers that it does not know, which §8.3 does not ask for.';
    case 'android-key':
      return 'The library refuses Android keys that bring no certificate but their own; the standard lets those of the issuers be left out.';
    case 'android-safetynet':
      return 'The library wants the answer of SafetyNet to be less than a minute old as of today; the steps judge as of the time of the ceremony.';
    default:
      return undefined;
  }
}
