import { type Certificate, maySignCertificates, OID, readCertificate } from './certificate.js';
import { check, type Party } from './party.js';

/** Extensions that this server processes, or that may be critical in certificates of attestation. */
const PROCESSED: readonly string[] = [OID.basicConstraints, OID.keyUsage, OID.extendedKeyUsage, OID.subjectAlternativeName];

/** §7.1 step 25: a path (RFC 5280 §6) from the attestation certificate to one of the roots. */
export function followChain(x5c: readonly Certificate[], party: Party): void {
  const { faults } = party;
  if (faults.has('trust-unassessed')) return;
  const path = pathToRoot(x5c, party);
  check(path !== undefined, 'attestation_not_trusted', 'The chain leads to no root that this server trusts.');
  const sentRoot = x5c.slice(1).some(({ x509 }) => x509.raw.equals(path.at(-1)?.x509.raw ?? Buffer.alloc(0)));
  if (faults.has('chain-with-root-refused')) check(!sentRoot, 'attestation_not_trusted', 'The chain brings its root along.');
  // The last is the trust anchor itself, whose dates and critical extensions do not count.
  for (const certificate of path.length > 1 ? path.slice(0, -1) : path) {
    checkDates(certificate, party);
    const unprocessed = [...certificate.extensions].find(([oid, { critical }]) => critical && !PROCESSED.includes(oid));
    check(unprocessed === undefined, 'attestation_not_trusted', `A critical extension is unknown: ${unprocessed?.[0]}.`);
  }
  path.slice(1).forEach((issuer, above) => {
    const ca = (issuer.basicConstraints?.ca === true && maySignCertificates(issuer)) || faults.has('chain-issuer-not-ca');
    check(ca, 'attestation_not_trusted', 'A certificate was issued by one that is no CA.');
    const short = above <= (issuer.basicConstraints?.pathLength ?? Number.POSITIVE_INFINITY) || faults.has('chain-path-length');
    check(short, 'attestation_not_trusted', 'The path is longer than a CA was granted.');
  });
}

type Path = readonly [Certificate, ...Certificate[]];

/** The attestation certificate, what issued it, and so on to a trust anchor. */
function pathToRoot([leaf, ...above]: readonly Certificate[], party: Party): Path | undefined {
  if (leaf === undefined) return undefined;
  const trusted = party.faults.has('trust-first-root-only') ? party.roots.slice(0, 1) : party.roots;
  const roots = trusted.map((root) => readCertificate(root.raw));
  const path: [Certificate, ...Certificate[]] = [leaf];
  for (let current = leaf; ; ) {
    if (roots.some((root) => root.x509.raw.equals(current.x509.raw))) return path;
    if (party.faults.has('trust-in-sent-root') && path.length > 1 && issued(current, current, false)) return path;
    const root = roots.find((candidate) => issues(candidate, current, leaf, party));
    if (root !== undefined) return [...path, root];
    const next = above.shift();
    if (next === undefined || !issues(next, current, leaf, party)) return undefined;
    path.push(next);
    current = next;
  }
}

function issues(issuer: Certificate, certificate: Certificate, leaf: Certificate, { faults }: Party): boolean {
  const byName = faults.has('trust-by-name') || (faults.has('trust-leaf-signature-unchecked') && certificate === leaf);
  return issued(issuer, certificate, byName);
}

function issued(issuer: Certificate, certificate: Certificate, byName: boolean): boolean {
  if (issuer.x509.subject !== certificate.x509.issuer) return false;
  return byName || certificate.x509.verify(issuer.publicKey);
}

function checkDates({ notBefore, notAfter }: Certificate, party: Party): void {
  const now = party.now();
  if (!party.faults.has('chain-expired')) check(now <= notAfter, 'attestation_not_trusted', 'A certificate has expired.');
  if (!party.faults.has('chain-not-yet-valid')) check(now >= notBefore, 'attestation_not_trusted', 'A certificate is not valid yet.');
}
