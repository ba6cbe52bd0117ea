import { X509Certificate } from 'node:crypto';
import { PasskeyError } from '../../errors.js';

const PEM_BLOCK = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;
/** Real chains have up to five certificates; each more costs whoever verifies a number of signatures. */
const MAX_CERTIFICATES = 10;

/**
 * The certificates of PEM texts, each of which may hold several.
 *
 * @throws PasskeyError `configuration_invalid` when a text holds none, or one that cannot be read.
 */
export function readRoots(pems: readonly string[]): X509Certificate[] {
  return pems.flatMap((pem, index) => {
    const blocks = pem.match(PEM_BLOCK) ?? [];
    try {
      if (blocks.length > 0) {
        return blocks.map((block) => new X509Certificate(block));
      }
    } catch (cause) {
      throw unreadable(index, 'one that cannot be read', cause);
    }
    throw unreadable(index, 'none');
  });
}

function unreadable(index: number, found: string, cause?: unknown): PasskeyError {
  const message = `Attestation root ${index + 1}: expected X.509 certificates in PEM (-----BEGIN CERTIFICATE-----), found ${found}.`;
  return new PasskeyError('configuration_invalid', message, { cause });
}

/**
 * Whether the first certificate is an anchor, or leads to one through the others: each link is a CA whose signature is
 * right, and all are valid at `now` (milliseconds). Revocation is not looked up.
 */
export function leadsToAnchor(chain: readonly X509Certificate[], anchors: readonly X509Certificate[], now: number): boolean {
  const [leaf, ...others] = chain;
  if (leaf === undefined || chain.length > MAX_CERTIFICATES) {
    return false;
  }
  const current = anchors.filter((anchor) => isValidAt(anchor, now));
  const reached = [leaf];
  const left = new Set(others);
  for (const certificate of reached) {
    if (!isValidAt(certificate, now)) {
      continue;
    }
    if (current.some((anchor) => anchor.fingerprint256 === certificate.fingerprint256 || hasIssued(anchor, certificate))) {
      return true;
    }
    for (const issuer of left) {
      if (hasIssued(issuer, certificate)) {
        left.delete(issuer);
        reached.push(issuer);
      }
    }
  }
  return false;
}

function hasIssued(issuer: X509Certificate, certificate: X509Certificate): boolean {
  try {
    return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  } catch {
    // A key that OpenSSL does not know has issued nothing that could be verified.
    return false;
  }
}

function isValidAt({ validFrom, validTo }: X509Certificate, now: number): boolean {
  return Date.parse(validFrom) <= now && now <= Date.parse(validTo);
}
