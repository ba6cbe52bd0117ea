import { CURVES, KEY_TYPES } from '../webauthn/algorithms.js';
import { type CborValue, decodeCborMap } from '../webauthn/cbor.js';
import { TPM_AIK_PURPOSE } from '../webauthn/certificate-extensions.js';
import { type CoseKey, decodeCoseKey, readCoseAlgorithm } from '../webauthn/cose-key.js';
import { isValidAt } from './attestation/chain.js';
import { readJws } from './attestation/jws.js';
import { importCoseKey, importSubjectKey } from './attestation/signature.js';
import { attempt } from './attestation/sub-check.js';
import { TPM_MANUFACTURERS, tpmManufacturer } from './attestation/tpm-certificate.js';
import { readPublicArea } from './attestation/tpm-structures.js';
import { type AuthenticationContext, decoded, type LibraryVerdict, type RegistrationContext } from './steps/context.js';
import type { FailedStepReport } from './steps/step.js';

type Context = RegistrationContext | AuthenticationContext;

/** The library accepts what a step refuses: the step decides. */
interface LibraryAccepts {
  readonly direction: 'library-accepts';
  /** Slug of the step. */
  readonly where: string;
  readonly why: string;
  /** Which of the failures of the step it is about; all of them where there is none. */
  readonly applies?: (context: Context, failed: FailedStepReport) => boolean;
}

/** The library refuses what the standard allows: the steps decide, where the ceremony is one of these. */
interface LibraryRefuses {
  readonly direction: 'library-refuses';
  readonly where: string;
  readonly why: string;
  /**
   * Looks at the ceremony, never at the library's message. Keep it narrow: every other refusal of such a ceremony is overruled too.
   *
   * @param at when the library was asked (ms), by the machine's clock.
   */
  readonly applies: (context: Context, at: number) => boolean;
}

export type Difference = LibraryAccepts | LibraryRefuses;

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

/** Every known difference between the steps and the verification library. DIFFERENCES.md is this table. */
export const DIFFERENCES: readonly Difference[] = [
  accepts('allow-credentials', 'The library is not told which credentials were asked for.'),
  accepts('user-handle', 'The library does not look at the user handle.'),
  accepts('challenge', 'The library compares the challenge, and does not know whether it was used or has expired.'),
  accepts('cross-origin', 'The library does not look at crossOrigin.'),
  accepts('top-origin', 'The library looks at topOrigin only where one is expected.'),
  accepts('attestation-object', 'The library ignores bytes after the attestation object.', hasBytesAfterObject),
  accepts(
    'attestation-object',
    'The library reads what is inside the attestation object less strictly, such as text that is no UTF-8, or extension outputs that are no map.',
    (context) => !hasBytesAfterObject(context),
  ),
  accepts(
    'algorithm',
    'The library reads no more of the public key than the statement needs, and does not check that its algorithm can use it, such as that a point is on its curve.',
  ),
  accepts(
    'attestation-statement',
    'The library leaves out requirements of §8 and RFC 5280, such as the algorithm of self attestation, CAs as issuers, the origin and purpose of Android keys and, without roots, the signatures and times of certificates.',
  ),
  accepts(
    'attestation-trust',
    'The library is given no roots here: it keeps them for the whole process, and even with roots accepts self attestation and no attestation.',
  ),
  accepts('credential-id', 'The library compares id with rawId, not with the attested credential ID, and sets no limit to its length.'),
  accepts('credential-id-unused', 'The library does not know which credentials are registered.'),
  accepts('backup-eligibility', 'The library does not compare the backup eligibility with that of the registration.'),
  accepts(
    'signature',
    'The library takes ECDSA signatures that are not in the one valid DER form, such as with bytes after it.',
    (context, { code }) => code === 'signature_invalid' && keyOf(context)?.kty === KEY_TYPES.EC2,
  ),
  accepts(
    'signature',
    'The library takes stored public keys that §6.5.1.1 and the algorithm forbid, such as RSA keys of less than 2048 bits.',
    (_, { code }) => code === 'public_key_malformed',
  ),
  accepts(
    'sign-count',
    'The library is asked without the stored counter: it looks at it before the signature, so anyone could report a regression.',
  ),
  refuses(
    'client data',
    'The library refuses values of tokenBinding that older clients sent; the standard reserves the member and ignores it.',
    hasRefusedTokenBinding,
  ),
  refuses(
    'algorithm',
    'The library verifies neither ES256K nor Ed448, nor the fully specified identifiers of RFC 9864 (-9, -19, -51, -52, -53).',
    (context) => algorithmsUsed(context).some((alg) => UNVERIFIED.includes(alg)),
  ),
  refuses(
    'ML-DSA',
    'The library verifies ML-DSA only where Node does, from version 24 on, and else refuses such keys; the steps verify it with every Node.',
    hasUnknownMlDsa,
  ),
  refuses('`compound`', 'The library does not know compound attestation.', (context) => formatOf(context) === 'compound'),
  refuses(
    '`packed`, `tpm`, `android-key`',
    'The library judges certificates as of today; the steps as of the time of the ceremony, at which they were valid.',
    hasCertificateOutOfTime,
  ),
  refuses(
    '`packed`, `tpm`, `android-key`',
    'The library verifies statements with attestation certificates on P-256 and P-384 and with RSA only, and ML-DSA where Node does.',
    hasUnusualCertificateKey,
  ),
  refuses(
    '`fido-u2f`',
    'The library refuses fido-u2f with an AAGUID that is not zero, which §8.6 does not ask for.',
    (context) => formatOf(context) === 'fido-u2f' && attestedOf(context)?.aaguid.some((byte) => byte !== 0) === true,
  ),
  refuses('`tpm`', 'The library refuses TPMs of manufacturers that it does not know, which §8.3 does not ask for.', hasUnknownManufacturer),
  refuses(
    '`tpm`',
    'The library refuses AIK certificates whose extended key usage has another purpose before tcg-kp-AIKCertificate; §8.3.1 asks only that it be there.',
    hasOtherPurposeFirst,
  ),
  refuses(
    '`tpm`',
    'The library cannot read a pubArea that names a scheme for its key, since details of the scheme stand before the key.',
    hasDetailedPublicArea,
  ),
  refuses(
    '`android-key`',
    'The library refuses Android keys that bring no certificate but their own; the standard allows leaving out those of the issuers.',
    (context) => formatOf(context) === 'android-key' && reportOf(context)?.trustPath.length === 1,
  ),
  refuses(
    '`android-key`, `apple`',
    'The library compares the key of the certificate with that of the credential for EC keys only, and refuses all others.',
    (context) => ['android-key', 'apple'].includes(formatOf(context) ?? '') && keyOf(context)?.kty !== KEY_TYPES.EC2,
  ),
  refuses(
    '`android-safetynet`',
    'The library wants the answer of SafetyNet to be less than a minute old as of today; §8.5 does not, and the nonce of the answer is bound to the challenge.',
    hasOldSafetyNetAnswer,
  ),
];

/** Why the library accepts what this step refuses. */
export function acceptedAgainst(context: Context, failed: FailedStepReport): string {
  const { number, slug } = failed;
  const row = DIFFERENCES.find(
    (entry) => entry.direction === 'library-accepts' && entry.where === slug && (entry.applies?.(context, failed) ?? true),
  );
  return row?.why ?? `The library does not check step ${number} (${slug}) as the standard words it.`;
}

/** Why the library refuses what every step lets pass; undefined where no difference is known that explains it. */
export function refusedAgainst(context: Context, { at }: Extract<LibraryVerdict, { readonly verdict: 'rejected' }>): string | undefined {
  return DIFFERENCES.find((row) => row.direction === 'library-refuses' && row.applies(context, at))?.why;
}

function isRegistration(context: Context): context is RegistrationContext {
  return 'attestation' in context;
}

/** The key of the assertion, or of the credential that registers. */
function keyOf(context: Context): CoseKey | undefined {
  const bytes = isRegistration(context) ? attestedOf(context)?.credentialPublicKey : context.credential.publicKey;
  const key = bytes && decoded(() => decodeCoseKey(bytes));
  return key?.ok === true ? key.value : undefined;
}

/** A member of the attestation statement. */
function memberOf(context: Context, name: string): CborValue {
  return isRegistration(context) && context.attestationObject.ok ? context.attestationObject.value.attStmt.get(name) : undefined;
}

function hasBytesAfterObject(context: Context): boolean {
  if (!isRegistration(context)) return false;
  const { attestationObjectBytes } = context;
  const map = attempt(() => decodeCborMap(attestationObjectBytes));
  return map.ok && map.value.end < attestationObjectBytes.length;
}

function attestedOf({ authenticatorData }: Context) {
  return authenticatorData?.ok === true ? authenticatorData.value.attestedCredentialData : undefined;
}

function reportOf(context: Context) {
  return isRegistration(context) ? context.attestation() : undefined;
}

function formatOf(context: Context): string | undefined {
  return reportOf(context)?.fmt;
}

/**
 * Of what clients sent by Level 1, Level 2 and their drafts: an object with a status in any of their spellings, or a bare string. The library takes
 * `present`, `supported` and one spelling of the third. What no client sent is left to the library, so that nobody can switch it off.
 */
function hasRefusedTokenBinding(context: Context): boolean {
  const tokenBinding = context.clientData.ok ? context.clientData.value.tokenBinding : undefined;
  if (typeof tokenBinding === 'string') return tokenBinding !== '';
  const status = typeof tokenBinding === 'object' && tokenBinding !== null && 'status' in tokenBinding ? tokenBinding.status : undefined;
  return status === 'unused' || status === (isRegistration(context) ? 'notSupported' : 'not-supported');
}

const UNVERIFIED: readonly number[] = [-9, -19, -47, -51, -52, -53];

/** COSE identifiers of the signatures that the library has to verify: that of an assertion, or of an attestation statement. */
function algorithmsUsed(context: Context): number[] {
  if (!isRegistration(context)) {
    const alg = decoded(() => readCoseAlgorithm(context.credential.publicKey));
    return alg.ok ? [alg.value] : [];
  }
  const alg = memberOf(context, 'alg');
  return typeof alg === 'number' ? [alg] : [];
}

/** Of registrations without a statement too: the library refuses the key itself. */
function hasUnknownMlDsa(context: Context): boolean {
  const key = keyOf(context);
  return key?.kty === KEY_TYPES.AKP && importCoseKey(key) === undefined;
}

/** The library judges the times of the attestation certificate, and of Android keys those of all certificates. */
function hasCertificateOutOfTime(context: Context, at: number): boolean {
  const { fmt, certificates = [] } = reportOf(context) ?? {};
  const judged = fmt === 'android-key' ? certificates : fmt === 'packed' || fmt === 'tpm' ? certificates.slice(0, 1) : [];
  return judged.some((certificate) => !isValidAt(certificate, at));
}

const LIBRARY_CURVES: readonly string[] = ['P-256', 'P-384'];

function hasUnusualCertificateKey(context: Context): boolean {
  const { fmt, certificates: [certificate] = [] } = reportOf(context) ?? {};
  if (certificate === undefined || (fmt !== 'packed' && fmt !== 'tpm' && fmt !== 'android-key')) return false;
  const key = importSubjectKey(certificate.publicKey);
  const curve = key?.asymmetricKeyDetails?.namedCurve;
  return !(
    key?.asymmetricKeyType === 'rsa' ||
    LIBRARY_CURVES.some((name) => CURVES.some((known) => known.name === name && known.openssl === curve)) ||
    key?.asymmetricKeyType?.startsWith('ml-dsa')
  );
}

/** Test tools of the FIDO Alliance: the library knows it beside the registry. */
const FIDO_MANUFACTURER = 'FFFFF1D0';

function hasUnknownManufacturer(context: Context): boolean {
  const { fmt, certificates: [certificate] = [] } = reportOf(context) ?? {};
  if (fmt !== 'tpm' || certificate === undefined) return false;
  return !libraryKnowsManufacturer(tpmManufacturer(certificate) ?? '');
}

/** @param manufacturer `id:` and eight hexadecimal digits. */
export function libraryKnowsManufacturer(manufacturer: string): boolean {
  const id = manufacturer.slice('id:'.length).toUpperCase();
  return id === FIDO_MANUFACTURER || TPM_MANUFACTURERS.has(id);
}

function hasOtherPurposeFirst(context: Context): boolean {
  const { fmt, certificates: [certificate] = [] } = reportOf(context) ?? {};
  const purposes = certificate?.extensions.extendedKeyUsage ?? [];
  return fmt === 'tpm' && purposes.indexOf(TPM_AIK_PURPOSE) > 0;
}

function hasDetailedPublicArea(context: Context): boolean {
  const pubArea = memberOf(context, 'pubArea');
  const area = attempt(() => (formatOf(context) === 'tpm' && pubArea instanceof Uint8Array ? readPublicArea(pubArea) : undefined));
  return area.ok && area.value?.detailed === true;
}

const SAFETYNET_LIFETIME = 60_000;

function hasOldSafetyNetAnswer(context: Context, at: number): boolean {
  const response = memberOf(context, 'response');
  if (formatOf(context) !== 'android-safetynet' || !(response instanceof Uint8Array)) return false;
  const { timestampMs } = readJws(response).payload;
  return typeof timestampMs === 'number' && (timestampMs > at || timestampMs + SAFETYNET_LIFETIME < at);
}
