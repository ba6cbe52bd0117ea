import { describe, expect, test } from 'vitest';
import { verifyAttestation } from '../../../src/relying-party/attestation/verify-attestation.js';
import type { CborValue } from '../../../src/webauthn/cbor.js';
import { context, octetString, sequence, utf8String } from '../../../src/webauthn/der-writer.js';
import { EXTENSIONS, type Extension, ecKeyPair, OID } from '../../webauthn/certificate-writer.js';
import { AT, caCertificate, type LeafFields, leafCertificate } from './authority.js';
import { judged } from './outcome.js';
import { attestation, authenticatorData, credentialKey, flipped, members, sha256, signedBytes } from './statements.js';

const NONCE = sha256(signedBytes(authenticatorData()));
const appleNonce = (value: Uint8Array): Extension => ({ oid: '1.2.840.113635.100.8.2', value });
const nonce = (bytes: Uint8Array) => [EXTENSIONS.basicConstraints(false), appleNonce(sequence(context(1, octetString(bytes))))];

function apple(leaf: Partial<LeafFields> = {}, extra: Readonly<Record<string, CborValue>> = {}) {
  const certificate = leafCertificate({
    subject: [[OID.cn, utf8String('Credential')]],
    publicKey: credentialKey.publicKey,
    extensions: nonce(NONCE),
    ...leaf,
  });
  return attestation('apple', members({ x5c: [certificate, caCertificate()], ...extra }));
}

describe('apple (§8.8)', () => {
  judged(apple, [
    ['legal', {}],
    ['with an alg, as its first version', () => apple({}, { alg: -7 })],
    ['x5c missing', () => apple({}, { x5c: undefined }), ['syntax']],
    ['another nonce', { extensions: nonce(flipped(NONCE)) }, ['nonce']],
    ['no nonce', { extensions: [] }, ['nonce']],
    ['nonce not under its tag', { extensions: [appleNonce(sequence(octetString(NONCE)))] }, ['nonce']],
    ['another public key', { publicKey: ecKeyPair().publicKey }, ['public-key']],
    ['a public key on another curve', { publicKey: ecKeyPair('P-384').publicKey }, ['public-key']],
    ['certificate expired', { notAfter: AT - 1000 }, ['chain-validity']],
    ['certificate not signed by its issuer', { signingKey: ecKeyPair('P-384').privateKey }, ['chain-signatures']],
  ]);

  test('comes from an anonymization CA', () => {
    expect(verifyAttestation(apple()).attestationType).toBe('anonca');
  });
});
