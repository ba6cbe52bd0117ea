import { equalBytes } from '../../kernel/bytes.js';
import { count, formatSecond } from '../../kernel/wording.js';
import type { Certificate } from '../../webauthn/certificate.js';
import { EXTENSION } from '../../webauthn/certificate-extensions.js';
import { sameName, showName } from '../../webauthn/distinguished-name.js';
import { verifyCertificate } from './certificate-signature.js';
import type { MlDsaVerifier } from './ml-dsa.js';
import { decide, type Requirement, type SubCheck } from './sub-check.js';

/**
 * OIDs of the critical certificate extensions that this package understands, or that do not matter if the whole path is given (RFC 5280).
 */
const KNOWN_CRITICAL: ReadonlySet<string> = new Set([
  ...Object.values(EXTENSION),
  // Certificate policies, policy constraints, policy mappings, inhibit any policy: no policy is asked for.
  '2.5.29.32',
  '2.5.29.33',
  '2.5.29.36',
  '2.5.29.54',
]);

const VALIDITY: Requirement = {
  slug: 'chain-validity',
  reference: 'RFC 5280 §6.1.3 (a)(2)',
  expected: 'certificates that were valid at the time of verification',
  hint: 'Verify as of the time of the registration; if that is now, the attestation certificate has expired or is not valid yet.',
};
const SIGNATURES: Requirement = {
  slug: 'chain-signatures',
  reference: 'RFC 5280 §6.1.3 (a)(1), (a)(4)',
  expected: 'each certificate issued and signed by the next',
  hint: 'x5c must contain the attestation certificate, followed in order by the certificates that lead from it to a root.',
};
const AUTHORITIES: Requirement = {
  slug: 'chain-authorities',
  reference: 'RFC 5280 §6.1.4 (k)–(n)',
  expected: 'issuers that are certificate authorities, allowed to sign certificates at their depth',
  hint: 'A certificate that is not a CA has issued another one: anyone with its key can forge statements.',
};
const CRITICAL: Requirement = {
  slug: 'chain-critical-extensions',
  reference: 'RFC 5280 §4.2',
  expected: 'no unknown extension that is marked critical',
  hint: 'A certificate must be refused if it has a critical extension that the verifier does not know.',
};

/**
 * Checks that the certificates of a statement form a certification path (RFC 5280 §6.1), to whichever root it leads. The last certificate
 * need not be a root. If it is an expired root, the check only warns, since a root is the trust anchor rather than part of the path.
 */
export function checkChain(certificates: readonly Certificate[], at: number, mlDsa?: MlDsaVerifier): SubCheck[] {
  return [
    checkValidity(certificates, at),
    checkSignatures(certificates, mlDsa),
    checkAuthorities(certificates),
    checkCritical(certificates),
  ];
}

function checkValidity(certificates: readonly Certificate[], at: number): SubCheck {
  const late = certificates.findIndex((certificate) => !isValidAt(certificate, at));
  const certificate = certificates[late];
  if (certificate === undefined) {
    return decide(VALIDITY, 'pass', `all valid at ${formatSecond(at)}`);
  }
  const { notBefore, notAfter } = certificate;
  const isRoot = late > 0 && late === certificates.length - 1 && isSelfIssued(certificate);
  const received = `${nameCertificate(certificates, late)}, valid from ${formatSecond(notBefore)} to ${formatSecond(notAfter)}, at ${formatSecond(at)}`;
  return decide(VALIDITY, isRoot ? 'warn' : 'fail', received);
}

function checkSignatures(certificates: readonly Certificate[], mlDsa: MlDsaVerifier | undefined): SubCheck {
  let unsupported: SubCheck | undefined;
  for (const [index, { certificate, issuer }] of links(certificates).entries()) {
    const who = `${nameCertificate(certificates, index)}, by ${nameCertificate(certificates, index + 1)}`;
    if (!sameName(certificate.issuer, issuer.subject)) {
      return decide(
        SIGNATURES,
        'fail',
        `${nameCertificate(certificates, index)} names ${showName(certificate.issuer)} as its issuer; next is ${showName(issuer.subject)}`,
      );
    }
    const verdict = verifyCertificate(certificate, issuer, mlDsa);
    if (verdict === 'invalid') {
      return decide(SIGNATURES, 'fail', `a signature that does not verify: ${who}`);
    }
    if (verdict === 'unsupported') {
      unsupported ??= decide(SIGNATURES, 'skip', `the algorithm ${certificate.signatureAlgorithm.oid} is not known here: ${who}`);
    }
  }
  return unsupported ?? decide(SIGNATURES, 'pass', count(certificates.length, 'certificate'));
}

function checkAuthorities(certificates: readonly Certificate[]): SubCheck {
  for (let index = 1; index < certificates.length; index++) {
    const issuer = certificates[index];
    const reason = issuer && whyNoAuthority(issuer, certificates.slice(1, index));
    if (issuer !== undefined && reason !== undefined) {
      const isOldRoot = issuer.version < 3 && index === certificates.length - 1 && isSelfIssued(issuer);
      return decide(AUTHORITIES, isOldRoot ? 'warn' : 'fail', `${nameCertificate(certificates, index)} ${reason}`);
    }
  }
  return decide(AUTHORITIES, 'pass', certificates.length === 1 ? 'no issuer in x5c' : count(certificates.length - 1, 'issuer'));
}

function checkCritical(certificates: readonly Certificate[]): SubCheck {
  for (const [index, { extensions }] of certificates.entries()) {
    const unknown = extensions.all.find(({ critical, oid }) => critical && !KNOWN_CRITICAL.has(oid));
    if (unknown !== undefined) {
      return decide(CRITICAL, 'fail', `${unknown.oid} in ${nameCertificate(certificates, index)}`);
    }
  }
  return decide(CRITICAL, 'pass', 'none');
}

/**
 * Explains why `issuer` was not allowed to issue the certificates below it; undefined if it was. `between` lists the CAs between `issuer`
 * and the attestation certificate.
 */
export function whyNoAuthority({ version, extensions }: Certificate, between: readonly Certificate[]): string | undefined {
  const { basicConstraints, keyUsage } = extensions;
  if (basicConstraints?.ca !== true) {
    return version < 3 ? `is of version ${version} and cannot say that it is a CA` : 'is not a CA (basic constraints)';
  }
  if (keyUsage !== undefined && !keyUsage.includes('keyCertSign')) {
    return `may not sign certificates (key usage ${keyUsage.join(', ')})`;
  }
  const depth = between.filter((certificate) => !isSelfIssued(certificate)).length;
  return basicConstraints.pathLength !== undefined && depth > basicConstraints.pathLength
    ? `allows ${basicConstraints.pathLength} CAs below it; there are ${depth}`
    : undefined;
}

/** Tells whether `issuer` issued `certificate`, by its name and signature. */
export function hasIssued(issuer: Certificate, certificate: Certificate, mlDsa?: MlDsaVerifier): boolean {
  return sameName(certificate.issuer, issuer.subject) && verifyCertificate(certificate, issuer, mlDsa) === 'valid';
}

export function isValidAt({ notBefore, notAfter }: Certificate, at: number): boolean {
  // The second that notAfter names is the last one in which the certificate is valid (RFC 5280 §4.1.2.5).
  return notBefore <= at && at < notAfter + 1000;
}

export function isSelfIssued({ issuer, subject }: Certificate): boolean {
  return sameName(issuer, subject);
}

export function sameCertificate(a: Certificate, b: Certificate): boolean {
  return equalBytes(a.bytes, b.bytes);
}

function links(certificates: readonly Certificate[]): { certificate: Certificate; issuer: Certificate }[] {
  return certificates.flatMap((certificate, index) => {
    const issuer = certificates[index + 1];
    return issuer === undefined ? [] : [{ certificate, issuer }];
  });
}

function nameCertificate(certificates: readonly Certificate[], index: number): string {
  const certificate = certificates[index];
  return `x5c[${index}] ${certificate === undefined ? '' : showName(certificate.subject)}`;
}
