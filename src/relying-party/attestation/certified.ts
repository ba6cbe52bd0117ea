import type { Certificate } from '../../webauthn/certificate.js';
import { checkChain } from './chain.js';
import {
  type AttestationType,
  type Members,
  readCertificates,
  readMembers,
  type Shape,
  type StatementFinding,
  type StatementInput,
} from './statement.js';
import type { SubCheck } from './sub-check.js';

type CertifiedShape = Shape & { readonly x5c: 'certificates' };

/** An attestation format whose statements contain certificates in `x5c`. */
interface CertifiedFormat<S extends CertifiedShape> {
  readonly reference: string;
  readonly attestationType: AttestationType;
  readonly shape: S;
  /** Checks requirements that do not need the certificates. */
  readonly before?: (members: Members<S>) => SubCheck[];
  /** Checks the requirements on the certificates. The attestation certificate is the first of them. */
  readonly judge: (certificates: readonly [Certificate, ...Certificate[]], members: Members<S>) => SubCheck[];
}

/**
 * Runs the verification that all formats with certificates share: reads the members, reads the certificates, checks the requirements of the
 * format, and finally checks the certification path.
 */
export function verifyCertified<const S extends CertifiedShape>(input: StatementInput, format: CertifiedFormat<S>): StatementFinding {
  const { reference, attestationType, shape, before, judge } = format;
  const { check: syntax, members } = readMembers(input.attStmt, reference, shape);
  if (members === undefined) {
    return { checks: [syntax], attestationType, certificates: [] };
  }
  const early = [syntax, ...(before?.(members) ?? [])];
  const { check: readable, certificates } = readCertificates(members.x5c, reference);
  if (certificates === undefined) {
    return { checks: [...early, readable], attestationType, certificates: [] };
  }
  const checks = [...early, readable, ...judge(certificates, members), ...checkChain(certificates, input.at, input.mlDsa)];
  return { checks, attestationType, certificates };
}
