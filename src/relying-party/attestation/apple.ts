import { createHash } from 'node:crypto';
import { equalBytes } from '../../kernel/bytes.js';
import { appleNonceExtension } from '../../webauthn/attestation-extensions.js';
import type { Certificate } from '../../webauthn/certificate.js';
import { showBytes } from '../show.js';
import { verifyCertified } from './certified.js';
import { checkSameKey } from './same-key.js';
import { type StatementFinding, type StatementInput, signedBytes } from './statement.js';
import { judge, judgeReading, type Requirement, type SubCheck } from './sub-check.js';

const REFERENCE = '§8.8';

/** Verifies an Apple anonymous attestation statement (§8.8). */
export function verifyApple(input: StatementInput): StatementFinding {
  return verifyCertified(input, {
    reference: REFERENCE,
    attestationType: 'anonca',
    shape: { x5c: 'certificates' },
    judge: ([credential]) => [checkNonce(input, credential), ...checkSameKey(input, credential, REFERENCE)],
  });
}

function checkNonce(input: StatementInput, credential: Certificate): SubCheck {
  const nonce = createHash('sha256').update(signedBytes(input)).digest();
  const requirement: Requirement = {
    slug: 'nonce',
    reference: REFERENCE,
    expected: `extension 1.2.840.113635.100.8.2 with ${showBytes(nonce)}, the SHA-256 of authenticator data and client data hash`,
    hint: 'The certificate was made for other authenticator data or client data.',
  };
  return judgeReading(
    requirement,
    () => appleNonceExtension(credential),
    (received) =>
      judge(
        requirement,
        received !== undefined && equalBytes(received, nonce),
        received === undefined ? 'no such extension' : showBytes(received),
      ),
  );
}
