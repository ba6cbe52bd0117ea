import { equalBytes } from '../../kernel/bytes.js';
import { decodeBase64 } from '../../webauthn/base64url.js';
import { type Certificate, decodeCertificate } from '../../webauthn/certificate.js';
import { hasIssued } from './chain.js';
import type { MetadataStatusReport } from './metadata-payload.js';
import { attempt } from './sub-check.js';

/** A status report of the FIDO Alliance about an authenticator, with an explanation. */
export interface MetadataFinding {
  /**
   * An AuthenticatorStatus of FIDO Metadata Service 3.1, e.g. `REVOKED`. This package adds `ROOT_UNREADABLE`: a root certificate of the
   * model cannot be read.
   */
  readonly status: string;
  /** `fail`: a relying party should refuse this authenticator. */
  readonly severity: 'fail' | 'warn' | 'pass';
  /** Date in ISO 8601 format. */
  readonly effectiveDate: string | undefined;
  /** The explanation, as one sentence. */
  readonly message: string;
}

type Meaning = readonly [severity: MetadataFinding['severity'], text: string];

const MEANINGS: Readonly<Record<string, Meaning>> = {
  REVOKED: ['fail', 'the FIDO Alliance says that it should not be trusted'],
  ATTESTATION_KEY_COMPROMISE: ['fail', 'others know its attestation key, so the attestation proves nothing'],
  USER_KEY_REMOTE_COMPROMISE: ['fail', "its users' keys can be discovered or used remotely"],
  USER_VERIFICATION_BYPASS: ['fail', 'malware can bypass its user verification'],
  USER_KEY_PHYSICAL_COMPROMISE: ['warn', "anyone who holds it can extract its users' keys"],
  UPDATE_AVAILABLE: ['warn', 'newer firmware or software is available for it'],
  RETIRED: ['warn', 'its maker no longer supports it'],
  NOT_FIDO_CERTIFIED: ['pass', 'it is not certified by the FIDO Alliance'],
  SELF_ASSERTION_SUBMITTED: ['pass', 'its maker has completed the certification checklist, which no laboratory has checked'],
};

/** Explains a status report about a model. `path` is the trust path of the attestation, beginning with the attestation certificate. */
export function readFinding(report: MetadataStatusReport, path: readonly Certificate[]): MetadataFinding {
  const { status, effectiveDate, authenticatorVersion } = report;
  const [severity, text] = findMeaning(status);
  const elsewhere = severity === 'fail' && !concerns(report, path);
  const since = effectiveDate === undefined ? '' : ` since ${effectiveDate}`;
  const version = authenticatorVersion === undefined ? '' : ` (authenticator version ${authenticatorVersion})`;
  const which = path.length === 0 ? 'a certificate, but this attestation has none' : 'a certificate other than this one';
  const other = elsewhere ? `, but the report is about ${which}` : '';
  return {
    status,
    severity: elsewhere ? 'warn' : severity,
    effectiveDate,
    message: `FIDO metadata says ${status}${since}${version}: ${text}${other}.`,
  };
}

function findMeaning(status: string): Meaning {
  const known = Object.hasOwn(MEANINGS, status) ? MEANINGS[status] : undefined;
  if (known !== undefined) {
    return known;
  }
  return /^(FIDO|FIPS140)_CERTIFIED/.test(status)
    ? ['pass', 'it is certified']
    : ['warn', 'an unknown status; see the FIDO Metadata Service']; // Later versions of it may add some.
}

/**
 * Tells whether a report is about a certificate of the trust path. A report that names no certificates is about the whole model. A
 * certificate in the report that cannot be read counts as one of the path, since it may be.
 */
function concerns({ certificates }: MetadataStatusReport, path: readonly Certificate[]): boolean {
  return certificates.length === 0 || certificates.some((text) => isNamed(text, path));
}

function isNamed(text: string, path: readonly Certificate[]): boolean {
  const named = attempt(() => readMetadataCertificate(text));
  return !named.ok || path.some((certificate) => equalBytes(certificate.bytes, named.value.bytes) || hasIssued(named.value, certificate));
}

/**
 * Decodes a certificate in FIDO metadata, which is base64 of DER, sometimes with white space.
 *
 * @throws Error with the reason, if the certificate cannot be decoded.
 */
export function readMetadataCertificate(text: string): Certificate {
  const der = decodeBase64(text.replace(/\s/gu, ''));
  if (der === undefined) {
    throw new TypeError('expected base64');
  }
  return decodeCertificate(der.bytes);
}
