import { KEY_TYPES } from '../webauthn/algorithms.js';
import {
  type Context,
  hasBytesAfterObject,
  hasCertificateOutOfTime,
  hasDetailedPublicArea,
  hasDirectoryNameLater,
  hasGroupedSubject,
  hasLoneAndroidCertificate,
  hasOldSafetyNetAnswer,
  hasOtherKeyIdentifier,
  hasOtherKeyThanEc,
  hasOtherPurposeFirst,
  hasPssStatement,
  hasRefusedTokenBinding,
  hasU2fAaguid,
  hasUnknownAuthorization,
  hasUnknownManufacturer,
  hasUnknownMlDsa,
  hasUnusualCertificateKey,
  hasUnverifiedAlgorithm,
  readFormat,
  readKey,
  readPart,
} from './ceremony-traits.js';
import type { LibraryRefusal } from './steps/context.js';
import type { FailedStepReport } from './steps/step.js';

/** A row of the table of differences: the verification library accepts what a step refuses. The step's verdict counts. */
interface LibraryAccepts {
  readonly direction: 'library-accepts';
  /** Slug of the step that refuses the ceremony. */
  readonly where: string;
  readonly why: string;
  /** Limits the row to certain failures of the step. Default: all failures. */
  readonly applies?: (context: Context, failed: FailedStepReport) => boolean;
}

/**
 * A row of the table of differences: the verification library refuses what the standard allows. The steps' verdict counts for a ceremony
 * that matches the row.
 */
interface LibraryRefuses {
  readonly direction: 'library-refuses';
  readonly where: string;
  readonly why: string;
  /**
   * Tells whether the row matches a ceremony. Must look only at the ceremony, never at the library's message, and must match as few
   * ceremonies as possible, since the row overrules every refusal of a matching ceremony.
   *
   * @param at time of the library's verdict by the machine's clock, in milliseconds since the epoch.
   */
  readonly applies: (context: Context, at: number) => boolean;
}

type Difference = LibraryAccepts | LibraryRefuses;

const accepts = (where: string, why: string, applies?: LibraryAccepts['applies']): LibraryAccepts => ({
  direction: 'library-accepts',
  where,
  why,
  ...(applies !== undefined && { applies }),
});
const refuses = (where: string, why: string, applies: LibraryRefuses['applies']): LibraryRefuses => ({
  direction: 'library-refuses',
  where,
  why,
  applies,
});

/** Every known difference between the steps and the verification library. DIFFERENCES.md shows the same table. */
export const DIFFERENCES: readonly Difference[] = [
  accepts('allow-credentials', 'The library is not given the allowed credentials.'),
  accepts('user-handle', 'The library does not look at the user handle.'),
  accepts('challenge', 'The library compares the challenge, but does not know whether it was used or has expired.'),
  accepts('cross-origin', 'The library does not look at crossOrigin.'),
  accepts('top-origin', 'The library checks topOrigin only if one is expected.'),
  accepts('attestation-object', 'The library ignores bytes after the attestation object.', hasBytesAfterObject),
  accepts(
    'attestation-object',
    'The library reads the contents of the attestation object less strictly, such as text that is not UTF-8, or extension outputs that are not a map.',
    (context) => !hasBytesAfterObject(context),
  ),
  accepts(
    'algorithm',
    'The library reads only the part of the public key that the statement needs, and does not check that its algorithm can use it, such as that a point is on its curve.',
  ),
  accepts(
    'attestation-statement',
    'The library omits requirements of §8 and RFC 5280, such as the algorithm of self attestation, CAs as issuers, the origin and purpose of Android keys and, without roots, the signatures and times of certificates.',
  ),
  accepts(
    'attestation-trust',
    'The library is given no roots here: it stores them for the whole process, and even with roots accepts self attestation and no attestation.',
  ),
  accepts('credential-id', 'The library compares id with rawId, not with the attested credential ID, and does not limit its length.'),
  accepts('credential-id-unused', 'The library does not know which credentials are registered.'),
  accepts('backup-eligibility', 'The library does not compare the backup eligibility with that of the registration.'),
  accepts(
    'signature',
    'The library accepts ECDSA signatures that are not in canonical DER, such as with extra bytes.',
    (context, { code }) => code === 'signature_invalid' && readKey(context)?.kty === KEY_TYPES.EC2,
  ),
  accepts(
    'signature',
    'The library accepts stored public keys that §6.5.1 and the algorithm forbid, such as RSA keys of less than 2048 bits.',
    (_, { code }) => code === 'public_key_malformed',
  ),
  accepts(
    'sign-count',
    'The library is called without the stored counter: it checks the counter before the signature, so anyone could report a regression.',
  ),
  refuses(
    'client data',
    'The library refuses unknown values of tokenBinding; the standard reserves the member and ignores it.',
    hasRefusedTokenBinding,
  ),
  refuses(
    'algorithm',
    'The library verifies neither ES256K nor Ed448, nor the fully specified identifiers of RFC 9864 (-9, -19, -51, -52, -53).',
    hasUnverifiedAlgorithm,
  ),
  refuses(
    'ML-DSA',
    'The library verifies ML-DSA only with Node 24 or later, and otherwise refuses such keys; the steps verify it with every Node.',
    hasUnknownMlDsa,
  ),
  refuses(
    '`compound`',
    'The library does not know compound attestation. It is called for each statement separately.',
    (context) => readFormat(context) === 'compound',
  ),
  refuses(
    '`packed`, `tpm`, `android-key`',
    'The library judges certificates as of today; the steps as of the time of the ceremony, at which they were valid.',
    hasCertificateOutOfTime,
  ),
  refuses(
    '`packed`, `tpm`, `android-key`',
    'The library verifies statements only with attestation certificates on P-256 and P-384 and with RSA, and with ML-DSA if Node does.',
    hasUnusualCertificateKey,
  ),
  refuses(
    '`packed`, `tpm`',
    'The library assumes RSASSA-PKCS1-v1_5 for the RSA key of an attestation certificate, and so refuses signatures of PS256, PS384 and PS512.',
    hasPssStatement,
  ),
  refuses(
    '`packed`',
    'The library reads only the first attribute of each relative distinguished name of the subject; §8.2.1 does not say how they are grouped.',
    hasGroupedSubject,
  ),
  refuses('`fido-u2f`', 'The library refuses fido-u2f with an AAGUID that is not zero, which §8.6 does not require.', hasU2fAaguid),
  refuses('`tpm`', 'The library refuses TPMs of unknown manufacturers, which §8.3 does not require.', hasUnknownManufacturer),
  refuses(
    '`tpm`',
    'The library refuses AIK certificates whose extended key usage has another purpose before tcg-kp-AIKCertificate; §8.3.1 requires only its presence.',
    hasOtherPurposeFirst,
  ),
  refuses(
    '`tpm`',
    'The library looks for the directory name only in the first subject alternative name of the AIK certificate; §8.3.1 requires no order.',
    hasDirectoryNameLater,
  ),
  refuses(
    '`tpm`',
    'The library cannot read a pubArea that names a scheme for its key, since details of the scheme precede the key.',
    hasDetailedPublicArea,
  ),
  refuses(
    '`android-key`',
    'The library refuses Android keys without issuer certificates; the standard allows them.',
    hasLoneAndroidCertificate,
  ),
  refuses(
    '`android-key`',
    'The library refuses chains in which an authority key identifier is not the subject key identifier of the issuer; in RFC 5280 §4.2.1.1 both only help to find the issuer.',
    hasOtherKeyIdentifier,
  ),
  refuses(
    '`android-key`',
    'The library cannot read authorization lists with unknown tags; Android adds some with every version of the schema.',
    hasUnknownAuthorization,
  ),
  refuses(
    '`android-key`, `apple`',
    'The library compares the key of the certificate with that of the credential only for EC keys, and refuses all others.',
    hasOtherKeyThanEc,
  ),
  refuses(
    '`android-safetynet`',
    'The library requires the SafetyNet response to be less than a minute old today; §8.5 does not, and the nonce of the response is bound to the challenge.',
    hasOldSafetyNetAnswer,
  ),
];

/** Explains why the verification library accepts a ceremony that a step refuses. */
export function acceptedAgainst(context: Context, failed: FailedStepReport): string {
  const { number, slug } = failed;
  const row = DIFFERENCES.find(
    (entry) => entry.direction === 'library-accepts' && entry.where === slug && (entry.applies?.(context, failed) ?? true),
  );
  return row?.why ?? `The library does not check step ${number} (${slug}) as the standard words it.`;
}

/** Explains why the verification library refuses a ceremony that every step accepts; undefined if no known difference explains it. */
export function refusedAgainst(context: Context, { at, parts = [] }: LibraryRefusal): string | undefined {
  const unexplained = parts.some((part, index) => part.verdict === 'rejected' && refusedPart(context, index, part) === undefined);
  return unexplained ? undefined : DIFFERENCES.find((row) => row.direction === 'library-refuses' && row.applies(context, at))?.why;
}

function refusedPart(context: Context, index: number, refusal: LibraryRefusal): string | undefined {
  const part = readPart(context, index);
  return part && refusedAgainst(part, refusal);
}
