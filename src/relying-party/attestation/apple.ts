import { createHash } from 'node:crypto';
import { appleNonceExtension } from '../../webauthn/attestation-extensions.js';
import { equalBytes } from '../../webauthn/bytes.js';
import type { Certificate } from '../../webauthn/certificate.js';
import { checkChain } from './chain.js';
import { checkSameKey } from './same-key.js';
import { showBytes } from './show.js';
import { readCertificates, readMembers, type StatementFinding, type StatementInput, signedBytes } from './statement.js';
import { judge, judgeReading, type Requirement, type SubCheck } from './sub-check.js';

const REFERENCE = '§8.8';

/** §8.8. */
export function verifyApple(input: StatementInput): StatementFinding {
  const finding = (checks: readonly SubCheck[], certificates: readonly Certificate[] = []): StatementFinding => ({
    checks,
    attestationType: 'anonca',
    certificates,
  });
  const { check: syntax, members } = readMembers(input.attStmt, REFERENCE, { x5c: 'certificates' });
  if (members === undefined) {
    return finding([syntax]);
  }
  const { check: readable, certificates } = readCertificates(members.x5c, REFERENCE);
  if (certificates === undefined) {
    return finding([syntax, readable]);
  }
  const [credential] = certificates;
  const nonce = createHash('sha256').update(signedBytes(input)).digest();
  const requirement: Requirement = {
    slug: 'nonce',
    reference: REFERENCE,
    expected: `extension 1.2.840.113635.100.8.2 with ${showBytes(nonce)}, the SHA-256 of authenticator data and client data hash`,
    hint: 'The certificate was made for other authenticator data or client data.',
  };
  const nonceCheck = judgeReading(
    requirement,
    () => appleNonceExtension(credential),
    (received) =>
      judge(
        requirement,
        received !== undefined && equalBytes(received, nonce),
        received === undefined ? 'no such extension' : showBytes(received),
      ),
  );
  const checks = [syntax, readable, nonceCheck, ...checkSameKey(input, credential, REFERENCE), ...checkChain(certificates, input.at)];
  return finding(checks, certificates);
}
