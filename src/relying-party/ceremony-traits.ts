import { equalBytes } from '../kernel/bytes.js';
import { isObject } from '../kernel/json-value.js';
import { CURVES, findAlgorithm, KEY_TYPES } from '../webauthn/algorithms.js';
import { keyDescription } from '../webauthn/android-key-description.js';
import { type CborValue, decodeCborMap } from '../webauthn/cbor.js';
import { TPM_AIK_PURPOSE } from '../webauthn/certificate-extensions.js';
import type { CoseKey } from '../webauthn/cose-key.js';
import { isSelfIssued, isValidAt } from './attestation/chain.js';
import { readJws } from './attestation/jws.js';
import { importCoseKey, importSubjectKey } from './attestation/signature.js';
import { attempt } from './attestation/sub-check.js';
import { TPM_MANUFACTURERS, tpmManufacturer } from './attestation/tpm-certificate.js';
import { readPublicArea } from './attestation/tpm-structures.js';
import type { AuthenticationContext, RegistrationContext } from './steps/context.js';

/**
 * The data of a ceremony that the steps and the functions in this file use. These functions find properties by which the table of
 * differences recognises a ceremony. They never look at the message of the verification library.
 */

export type Context = RegistrationContext | AuthenticationContext;

function isRegistration(context: Context): context is RegistrationContext {
  return 'attestation' in context;
}

/** Reads the public key of the ceremony's credential: the key that signed the assertion, or the key of the new credential. */
export function readKey({ credentialKey }: Context): CoseKey | undefined {
  return credentialKey?.ok === true ? credentialKey.value : undefined;
}

/** Reads a member of the attestation statement. */
function readMember(context: Context, name: string): CborValue {
  return isRegistration(context) && context.attestationObject.ok ? context.attestationObject.value.attStmt.get(name) : undefined;
}

export function hasU2fAaguid(context: Context): boolean {
  return readFormat(context) === 'fido-u2f' && readAttested(context)?.aaguid.some((byte) => byte !== 0) === true;
}

export function hasLoneAndroidCertificate(context: Context): boolean {
  return readFormat(context) === 'android-key' && readReport(context)?.trustPath.length === 1;
}

export function hasOtherKeyThanEc(context: Context): boolean {
  return ['android-key', 'apple'].includes(readFormat(context) ?? '') && readKey(context)?.kty !== KEY_TYPES.EC2;
}

export function hasBytesAfterObject(context: Context): boolean {
  if (!isRegistration(context)) return false;
  const { attestationObjectBytes } = context;
  const map = attempt(() => decodeCborMap(attestationObjectBytes));
  return map.ok && map.value.end < attestationObjectBytes.length;
}

function readAttested({ authenticatorData }: Context) {
  return authenticatorData?.ok === true ? authenticatorData.value.attestedCredentialData : undefined;
}

function readReport(context: Context) {
  return isRegistration(context) ? context.attestation() : undefined;
}

/** Makes the context of a registration that has only one statement of a compound attestation. */
export function readPart(context: Context, index: number): Context | undefined {
  if (!isRegistration(context) || !context.attestationObject.ok) return undefined;
  const { authData, statements } = context.attestationObject.value;
  const statement = statements?.[index];
  const attestation = () => context.attestation()?.parts?.[index];
  return statement && { ...context, attestationObject: { ok: true, value: { ...statement, authData } }, attestation };
}

export function readFormat(context: Context): string | undefined {
  return readReport(context)?.fmt;
}

/**
 * Tells whether the verification library refuses the ceremony's `tokenBinding`. The library accepts an object whose status is `present`,
 * `supported`, or a third value, which it spells differently for registrations and authentications.
 */
export function hasRefusedTokenBinding(context: Context): boolean {
  const tokenBinding = context.clientData.ok ? context.clientData.value.tokenBinding : undefined;
  if (!tokenBinding) return false;
  const status = isObject(tokenBinding) ? tokenBinding['status'] : undefined;
  return status !== 'present' && status !== 'supported' && status !== (isRegistration(context) ? 'not-supported' : 'notSupported');
}

const UNVERIFIED: readonly number[] = [-9, -19, -47, -51, -52, -53];

export function hasUnverifiedAlgorithm(context: Context): boolean {
  return algorithmsUsed(context).some((alg) => UNVERIFIED.includes(alg));
}

/**
 * Attestation formats in which a step checks that `alg` fits the signing key. In other formats no step reads `alg`, so the sender can set
 * any value.
 */
const FORMATS_WITH_ALGORITHM: readonly string[] = ['packed', 'tpm', 'android-key'];

/**
 * Lists the COSE algorithms of the signatures that the verification library must verify: that of the assertion, or those of the attestation
 * statement.
 */
function algorithmsUsed(context: Context): number[] {
  if (!isRegistration(context)) {
    const key = readKey(context);
    return key === undefined ? [] : [key.alg];
  }
  const alg = readMember(context, 'alg');
  return typeof alg === 'number' && FORMATS_WITH_ALGORITHM.includes(readFormat(context) ?? '') ? [alg] : [];
}

/**
 * Tells whether the ceremony's credential has an ML-DSA key that Node cannot import. This also matters for registrations without a
 * statement, since the verification library refuses the key itself.
 */
export function hasUnknownMlDsa(context: Context): boolean {
  const key = readKey(context);
  return key?.kty === KEY_TYPES.AKP && importCoseKey(key) === undefined;
}

/**
 * Tells whether a certificate is expired or not yet valid. Looks only at the certificates that the verification library checks: all of them
 * for Android keys, otherwise the attestation certificate.
 */
export function hasCertificateOutOfTime(context: Context, at: number): boolean {
  const { fmt, certificates = [] } = readReport(context) ?? {};
  const judged = fmt === 'android-key' ? certificates : fmt === 'packed' || fmt === 'tpm' ? certificates.slice(0, 1) : [];
  return judged.some((certificate) => !isValidAt(certificate, at));
}

const LIBRARY_CURVES: readonly string[] = ['P-256', 'P-384'];

export function hasUnusualCertificateKey(context: Context): boolean {
  const { fmt, certificates: [certificate] = [] } = readReport(context) ?? {};
  if (certificate === undefined || (fmt !== 'packed' && fmt !== 'tpm' && fmt !== 'android-key')) return false;
  const key = importSubjectKey(certificate.publicKey);
  const curve = key?.asymmetricKeyDetails?.namedCurve;
  return !(
    key?.asymmetricKeyType === 'rsa' ||
    LIBRARY_CURVES.some((name) => CURVES.some((known) => known.name === name && known.openssl === curve)) ||
    key?.asymmetricKeyType?.startsWith('ml-dsa')
  );
}

export function hasPssStatement(context: Context): boolean {
  const { fmt = '', certificates = [] } = readReport(context) ?? {};
  const alg = readMember(context, 'alg');
  return ['packed', 'tpm'].includes(fmt) && certificates.length > 0 && typeof alg === 'number' && findAlgorithm(alg)?.pss === true;
}

export function hasGroupedSubject(context: Context): boolean {
  const { fmt, certificates: [certificate] = [] } = readReport(context) ?? {};
  return fmt === 'packed' && certificate?.subject.rdns.some((attributes) => attributes.length > 1) === true;
}

export function hasDirectoryNameLater(context: Context): boolean {
  const { fmt, certificates: [certificate] = [] } = readReport(context) ?? {};
  const names = certificate?.extensions.subjectAltName ?? [];
  return fmt === 'tpm' && names.findIndex(({ kind }) => kind === 'directory') > 0;
}

/**
 * Tells whether a certificate of an Android Key attestation names a key identifier for its issuer that the issuer's own certificate does
 * not have. A root certificate is its own issuer. If the path does not contain the root, its last certificate is not compared.
 */
export function hasOtherKeyIdentifier(context: Context): boolean {
  const { fmt, certificates = [] } = readReport(context) ?? {};
  return (
    fmt === 'android-key' &&
    certificates.some((certificate, index) => {
      const { authorityKeyIdentifier } = certificate.extensions;
      const issuer = certificates[index + 1] ?? (isSelfIssued(certificate) ? certificate : undefined);
      const { subjectKeyIdentifier } = issuer?.extensions ?? {};
      return (
        authorityKeyIdentifier !== undefined &&
        subjectKeyIdentifier !== undefined &&
        !equalBytes(authorityKeyIdentifier, subjectKeyIdentifier)
      );
    })
  );
}

/** AuthorizationList tags that the verification library supports. */
export const LIBRARY_AUTHORIZATIONS: readonly number[] = [
  1, 2, 3, 5, 6, 10, 200, 203, 303, 305, 400, 401, 402, 405, 503, 504, 505, 506, 507, 508, 509, 600, 601, 701, 702, 703, 704, 705, 706, 709,
  710, 711, 712, 713, 714, 715, 716, 717, 718, 719, 720, 723, 724,
];

export function hasUnknownAuthorization(context: Context): boolean {
  const { fmt, certificates: [certificate] = [] } = readReport(context) ?? {};
  const description = attempt(() => (fmt === 'android-key' && certificate !== undefined ? keyDescription(certificate) : undefined));
  if (!description.ok || description.value === undefined) return false;
  const { softwareEnforced, teeEnforced } = description.value;
  return [...softwareEnforced.tags, ...teeEnforced.tags].some((tag) => !LIBRARY_AUTHORIZATIONS.includes(tag));
}

/**
 * TPM manufacturer that the test tools of the FIDO Alliance use. The verification library accepts it even though the registry does not list
 * it.
 */
const FIDO_MANUFACTURER = 'FFFFF1D0';

export function hasUnknownManufacturer(context: Context): boolean {
  const { fmt, certificates: [certificate] = [] } = readReport(context) ?? {};
  if (fmt !== 'tpm' || certificate === undefined) return false;
  return !libraryKnowsManufacturer(tpmManufacturer(certificate) ?? '');
}

/**
 * Tells whether the verification library knows a TPM manufacturer.
 *
 * @param manufacturer `id:` and eight hexadecimal digits.
 */
function libraryKnowsManufacturer(manufacturer: string): boolean {
  const id = manufacturer.slice('id:'.length).toUpperCase();
  return id === FIDO_MANUFACTURER || TPM_MANUFACTURERS.has(id);
}

export function hasOtherPurposeFirst(context: Context): boolean {
  const { fmt, certificates: [certificate] = [] } = readReport(context) ?? {};
  const purposes = certificate?.extensions.extendedKeyUsage ?? [];
  return fmt === 'tpm' && purposes.indexOf(TPM_AIK_PURPOSE) > 0;
}

export function hasDetailedPublicArea(context: Context): boolean {
  const pubArea = readMember(context, 'pubArea');
  const area = attempt(() => (readFormat(context) === 'tpm' && pubArea instanceof Uint8Array ? readPublicArea(pubArea) : undefined));
  return area.ok && area.value?.detailed === true;
}

const SAFETYNET_LIFETIME = 60_000;

export function hasOldSafetyNetAnswer(context: Context, at: number): boolean {
  const response = readMember(context, 'response');
  if (readFormat(context) !== 'android-safetynet' || !(response instanceof Uint8Array)) return false;
  const { timestampMs } = readJws(response).payload;
  return typeof timestampMs === 'number' && (timestampMs > at || timestampMs + SAFETYNET_LIFETIME < at);
}
