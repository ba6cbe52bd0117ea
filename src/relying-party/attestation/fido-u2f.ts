import { concatBytes } from '../../kernel/bytes.js';
import { count } from '../../kernel/wording.js';
import { formatAaguid } from '../../webauthn/aaguid.js';
import type { Certificate } from '../../webauthn/certificate.js';
import { showAlgorithm } from '../show.js';
import { checkAaguid } from './certificate-requirements.js';
import { verifyCertified } from './certified.js';
import { describeKey, fitsAlgorithm, importSubjectKey, signatureChecks } from './signature.js';
import { readCredentialKey, type StatementFinding, type StatementInput } from './statement.js';
import { decide, judge, type Requirement, type SubCheck } from './sub-check.js';

const REFERENCE = '§8.6';
const ES256 = -7;

const ONE_CERTIFICATE: Requirement = {
  slug: 'one-certificate',
  reference: REFERENCE,
  expected: 'exactly one certificate in x5c',
  hint: 'A U2F statement carries the attestation certificate only, not its chain.',
};
const CERTIFICATE_KEY: Requirement = {
  slug: 'certificate-key',
  reference: REFERENCE,
  expected: 'an EC public key over the P-256 curve in the certificate',
  hint: 'U2F attestation keys are on the curve P-256.',
};
const CREDENTIAL_KEY: Requirement = {
  slug: 'credential-key',
  reference: REFERENCE,
  expected: 'an ES256 credential public key with coordinates of 32 bytes',
  hint: 'U2F credential keys are on the curve P-256; U2F knows no other algorithm.',
};

/**
 * A requirement that §8.6 does not mention: U2F authenticators have no AAGUID, so it should be all zeros, unless the certificate names one.
 * A test vector of the standard (§16) has one.
 */
const AAGUID: Requirement = {
  slug: 'certificate-aaguid',
  reference: REFERENCE,
  expected: 'an AAGUID of zeros, or the one that the certificate names',
  hint: 'U2F does not sign the AAGUID: any model could be claimed.',
};

/** Verifies a FIDO U2F attestation statement (§8.6). */
export function verifyFidoU2f(input: StatementInput): StatementFinding {
  return verifyCertified(input, {
    reference: REFERENCE,
    attestationType: 'basic-or-attca',
    shape: { sig: 'bytes', x5c: 'certificates' },
    before: ({ x5c }) => [judge(ONE_CERTIFICATE, x5c.length === 1, count(x5c.length, 'certificate'))],
    judge: ([attestation], { sig }) => [...checkRegistration(input, attestation, sig), ...checkModel(attestation, input.credential.aaguid)],
  });
}

function checkRegistration(input: StatementInput, attestation: Certificate, sig: Uint8Array): SubCheck[] {
  const key = importSubjectKey(attestation.publicKey);
  const certificateKey = judge(CERTIFICATE_KEY, key !== undefined && fitsAlgorithm(ES256, key), describeKey(key));
  const { check: readable, key: credentialKey } = readCredentialKey(input);
  if (credentialKey?.kty !== 2 || credentialKey.alg !== ES256) {
    const received = credentialKey === undefined ? readable.received : showAlgorithm(credentialKey.alg);
    return [certificateKey, judge(CREDENTIAL_KEY, false, received)];
  }
  return [
    certificateKey,
    judge(CREDENTIAL_KEY, true, showAlgorithm(credentialKey.alg)),
    ...signatureChecks({
      alg: ES256,
      key,
      owner: 'the attestation certificate',
      data: verificationData(input, credentialKey),
      over: 'the U2F registration (0x00, rpIdHash, clientDataHash, credentialId, public key)',
      signature: sig,
      reference: REFERENCE,
    }),
  ];
}

/**
 * Compares the AAGUID in the certificate with that in the authenticator data. A security key that also supports CTAP2 may have an AAGUID in
 * its certificate, even if it reports none over U2F.
 */
function checkModel(attestation: Certificate, aaguid: Uint8Array): SubCheck[] {
  if (aaguid.every((byte) => byte === 0)) return [];
  const checks = checkAaguid(attestation, aaguid, REFERENCE);
  return checks.map((check) => (check.status === 'skip' ? decide(AAGUID, 'warn', `AAGUID ${formatAaguid(aaguid)}`) : check));
}

function verificationData(
  { rpIdHash, clientDataHash, credential }: StatementInput,
  { x, y }: { x: Uint8Array; y: Uint8Array },
): Uint8Array {
  return concatBytes(Uint8Array.of(0), rpIdHash, clientDataHash, credential.credentialId, Uint8Array.of(4), x, y);
}
