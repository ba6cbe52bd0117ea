import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { concatBytes, encodeUtf8 } from '../../../src/kernel/bytes.js';
import { readMetadataBlob } from '../../../src/relying-party/attestation/metadata-blob.js';
import { verifyAttestation } from '../../../src/relying-party/attestation/verify-attestation.js';
import { formatAaguid } from '../../../src/webauthn/aaguid.js';
import type { AttestationStatement } from '../../../src/webauthn/attestation-object.js';
import { encodeBase64 } from '../../../src/webauthn/base64url.js';
import { decodeCertificate } from '../../../src/webauthn/certificate.js';
import { decodeCoseKey } from '../../../src/webauthn/cose-key.js';
import { utf8String } from '../../../src/webauthn/der-writer.js';
import { EXTENSIONS, ecKeyPair, OID } from '../../webauthn/certificate-writer.js';
import { CREDENTIAL_ID, RP_ID, sha256 } from '../ceremony.js';
import { key, registrationOf } from '../diagnosis/explained.js';
import { AT, CA, leafCertificate } from './authority.js';
import { blobAuthority, blobPayload, writeBlob } from './metadata-writer.js';
import { AAGUID, attestation, ecdsa, members } from './statements.js';

/** Which entries of FIDO metadata are about an authenticator: fido-u2f does not sign the AAGUID, so anyone can claim that of a good model. */

const authority = blobAuthority(AT);
const attested = ecKeyPair();
const leaf = leafCertificate({
  subject: [[OID.cn, utf8String('An old key')]],
  publicKey: attested.publicKey,
  extensions: [EXTENSIONS.basicConstraints(false)],
});
const certificate = decodeCertificate(leaf);
const keyIdentifier = createHash('sha1').update(certificate.publicKey.key).digest('hex');
const statement = (description: string) => ({
  description,
  attestationTypes: ['basic_full'],
  attestationRootCertificates: [encodeBase64(CA.bytes)],
});

function metadata(u2fStatus: string) {
  const entries = [
    {
      aaguid: formatAaguid(AAGUID),
      metadataStatement: statement('Good key'),
      statusReports: [{ status: 'FIDO_CERTIFIED_L1' }],
      timeOfLastStatusChange: '2024-02-01',
    },
    {
      attestationCertificateKeyIdentifiers: [keyIdentifier],
      metadataStatement: statement('Old key'),
      statusReports: [{ status: u2fStatus }],
      timeOfLastStatusChange: '2024-02-01',
    },
  ];
  return readMetadataBlob(encodeUtf8(writeBlob(authority, blobPayload(AT, entries))), { roots: [authority.root], at: AT });
}

function u2fStatement(clientDataHash: Uint8Array) {
  const decoded = decodeCoseKey(key.publicKey);
  const point = decoded.kty === 2 ? concatBytes(Uint8Array.of(4), decoded.x, decoded.y) : new Uint8Array();
  const signed = concatBytes(Uint8Array.of(0), sha256(encodeUtf8(RP_ID)), clientDataHash, CREDENTIAL_ID, point);
  return members({ sig: ecdsa(signed, attested), x5c: [leaf] });
}

const register = (status: string, aaguid: Uint8Array) =>
  registrationOf(
    { fmt: 'fido-u2f', aaguid, attStmt: (_, clientDataHash) => u2fStatement(clientDataHash) },
    { now: AT, metadata: metadata(status) },
  ).failed.map(({ slug, code, received }) => [slug, code, received]);

const REFUSED = [['attestation-trust', 'attestation_untrusted', expect.stringContaining('REVOKED')]];

describe('a U2F key whose key identifier is listed', () => {
  const CLAIMS = [
    ['no AAGUID', new Uint8Array(16)],
    ['the AAGUID of a good model', AAGUID],
  ] as const;

  test.each(CLAIMS)('as revoked is refused when it claims %s', (_, aaguid) => {
    expect(register('REVOKED', aaguid)).toEqual(REFUSED);
  });

  test.each(CLAIMS)('as certified passes when it claims %s', (_, aaguid) => {
    expect(register('FIDO_CERTIFIED_L1', aaguid)).toEqual([]);
  });
});

test('as a part of a compound attestation, too, a U2F key is what its key identifier says', () => {
  const whole = attestation('compound', new Map());
  const u2f: AttestationStatement = { fmt: 'fido-u2f', attStmt: members({ sig: new Uint8Array(8), x5c: [leaf] }) };
  const input = { ...whole, attestationObject: { ...whole.attestationObject, statements: [u2f, u2f] }, metadata: metadata('REVOKED') };
  const { statuses } = verifyAttestation(input);
  expect(statuses.map(({ status }) => status)).toEqual(['REVOKED', 'REVOKED']);
});

test('a packed statement is about the model of its AAGUID, and a listed key identifier counts beside it', () => {
  const model = { fmt: 'packed', aaguid: formatAaguid(AAGUID), attestationCertificates: [certificate] };
  const blob = metadata('REVOKED');
  expect(blob.find(model)?.description).toBe('Good key');
  expect(blob.statusOf(model).map(({ status }) => status)).toEqual(['FIDO_CERTIFIED_L1', 'REVOKED']);
});
