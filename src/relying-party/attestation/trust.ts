import { count, formatSecond } from '../../kernel/wording.js';
import type { Certificate } from '../../webauthn/certificate.js';
import { showName } from '../../webauthn/distinguished-name.js';
import { hasIssued, isValidAt, sameCertificate, whyNoAuthority } from './chain.js';
import type { MlDsaVerifier } from './ml-dsa.js';
import { decide, type Requirement, type SubCheck } from './sub-check.js';

/** `none`: there is nothing to trust (no attestation, or self attestation). `not-assessed`: no roots were given. */
type TrustStatus = 'trusted' | 'untrusted' | 'none' | 'not-assessed';

export interface TrustFinding {
  readonly status: TrustStatus;
  readonly check: SubCheck;
  /** The root at the end of the path. */
  readonly anchor?: Certificate;
  /** The path from the attestation certificate to the anchor, including both. Present only if the attestation is trusted. */
  readonly path?: readonly Certificate[];
}

const ANCHOR: Requirement = {
  slug: 'trust-anchor',
  reference: '§7.1 step 24',
  expected: 'a certification path to one of the acceptable roots',
  hint: 'Add the root of this authenticator model to the roots, or register an authenticator of a model that is trusted.',
};

/**
 * Decides whether a trust path leads to one of `roots` at the time `at` (W3C WebAuthn L3 §7.1 step 24). A root may be in the path itself,
 * even if other certificates follow it, or it may have issued a certificate of the path. A root may also be an intermediate or the
 * attestation certificate, and need not be self-signed.
 */
export function assessTrust(
  certificates: readonly Certificate[],
  roots: readonly Certificate[],
  at: number,
  mlDsa?: MlDsaVerifier,
): TrustFinding {
  if (certificates.length === 0) {
    return { status: 'none', check: decide(ANCHOR, 'skip', 'no certificate: there is no attestation, or self attestation') };
  }
  if (roots.length === 0) {
    return { status: 'not-assessed', check: decide(ANCHOR, 'skip', 'no roots are given, so trust is not assessed') };
  }
  let unusable: string | undefined;
  for (const [index, certificate] of certificates.entries()) {
    const below = certificates[index - 1];
    if (
      below !== undefined &&
      (!hasIssued(certificate, below, mlDsa) || whyNoAuthority(certificate, certificates.slice(1, index)) !== undefined)
    ) {
      break;
    }
    if (!isValidAt(certificate, at)) {
      return untrusted(`a path that is broken by ${showName(certificate.subject)}, which was not valid at ${formatSecond(at)}`);
    }
    const upTo = certificates.slice(0, index + 1);
    const itself = roots.find((root) => sameCertificate(root, certificate));
    if (itself !== undefined) {
      return trusted(itself, upTo);
    }
    const issuers = roots.filter((root) => hasIssued(root, certificate, mlDsa));
    const issuer = issuers.find((root) => whyNoAnchor(root, upTo.slice(1), at) === undefined);
    if (issuer !== undefined) {
      return trusted(issuer, [...upTo, issuer]);
    }
    const [first] = issuers;
    unusable ??= first && `the root ${showName(first.subject)}, which ${whyNoAnchor(first, upTo.slice(1), at)}`;
  }
  if (unusable !== undefined) return untrusted(unusable);
  const [leaf] = certificates;
  return untrusted(`${count(roots.length, 'root')}, none of which is in the path of ${leaf === undefined ? '' : showName(leaf.subject)}`);
}

/**
 * Explains why a root that issued a certificate of the path is not accepted as its trust anchor; undefined if it is accepted. A version 1
 * certificate cannot state that it is a CA, so a root of version 1 need not.
 */
function whyNoAnchor(root: Certificate, between: readonly Certificate[], at: number): string | undefined {
  if (!isValidAt(root, at)) return `was not valid at ${formatSecond(at)}`;
  return root.version < 3 ? undefined : whyNoAuthority(root, between);
}

function trusted(anchor: Certificate, path: readonly Certificate[]): TrustFinding {
  return { status: 'trusted', check: decide(ANCHOR, 'pass', showName(anchor.subject)), anchor, path };
}

function untrusted(received: string): TrustFinding {
  return { status: 'untrusted', check: decide(ANCHOR, 'fail', received) };
}
