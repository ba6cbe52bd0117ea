import { describe, expect, test } from 'vitest';
import { fromHex } from '../../../src/kernel/bytes.js';
import { type AttestationInput, verifyAttestation } from '../../../src/relying-party/attestation/verify-attestation.js';
import { decodeAttestationObject } from '../../../src/webauthn/attestation-object.js';
import { decodeCertificate } from '../../../src/webauthn/certificate.js';
import { publishedVectors } from '../../webauthn/w3c-vectors.js';
import { slugs } from './outcome.js';
import { sha256 } from './statements.js';

/** The statements of the standard's own test vectors, which are no part of this repository. */
const vectors = publishedVectors();
if (vectors.length === 0) {
  console.warn('PASSKEY_W3C_VECTORS names no file: the attestation statements of the published vectors are not verified.');
}

describe.skipIf(vectors.length === 0)('the published test vectors (PASSKEY_W3C_VECTORS)', () => {
  const input = ({ registration }: (typeof vectors)[number]): AttestationInput => ({
    attestationObject: decodeAttestationObject(fromHex(registration.attestationObject.hex)),
    clientDataHash: sha256(fromHex(registration.clientDataJSON.hex)),
    at: Date.UTC(2026, 0, 1),
  });

  test('are fifteen', () => expect(vectors).toHaveLength(15));

  test.each(vectors)('$title', (vector) => {
    const report = verifyAttestation(input(vector));
    // Its two authorization lists are empty: read strictly, §8.4 wants origin and purpose.
    const isAndroidKey = report.fmt === 'android-key';
    expect([report.verdict, slugs(report, 'fail')]).toEqual(isAndroidKey ? ['rejected', ['key-origin', 'key-purpose']] : ['accepted', []]);
  });

  test.each(vectors)('$title: the certificates lead to one of their own, and to no other', (vector) => {
    const { trustPath } = verifyAttestation(input(vector));
    const [own] = trustPath;
    const status = own === undefined ? 'none' : 'trusted';
    const roots = own === undefined ? [] : [decodeCertificate(own)];
    expect(verifyAttestation({ ...input(vector), roots }).trust.status).toBe(status);
  });

  test.each(vectors)('$title: another hash of the client data', (vector) => {
    const failed = (change: Partial<AttestationInput>) => slugs(verifyAttestation({ ...input(vector), ...change }), 'fail');
    const more = failed({ clientDataHash: new Uint8Array(32) }).length > failed({}).length;
    expect(more).toBe(input(vector).attestationObject.fmt !== 'none');
  });
});
