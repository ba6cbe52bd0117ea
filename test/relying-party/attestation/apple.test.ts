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
  judged([
    { name: 'legal', make: () => apple() },
    { name: 'with an alg, as its first version', make: () => apple({}, { alg: -7 }) },
    { name: 'x5c missing', make: () => apple({}, { x5c: undefined }), fails: ['syntax'] },
    { name: 'another nonce', make: () => apple({ extensions: nonce(flipped(NONCE)) }), fails: ['nonce'] },
    { name: 'no nonce', make: () => apple({ extensions: [] }), fails: ['nonce'] },
    { name: 'nonce not under its tag', make: () => apple({ extensions: [appleNonce(sequence(octetString(NONCE)))] }), fails: ['nonce'] },
    { name: 'another public key', make: () => apple({ publicKey: ecKeyPair().publicKey }), fails: ['public-key'] },
    { name: 'a public key on another curve', make: () => apple({ publicKey: ecKeyPair('P-384').publicKey }), fails: ['public-key'] },
    { name: 'certificate expired', make: () => apple({ notAfter: AT - 1000 }), fails: ['chain-validity'] },
    {
      name: 'certificate not signed by its issuer',
      make: () => apple({ signingKey: ecKeyPair('P-384').privateKey }),
      fails: ['chain-signatures'],
    },
  ]);

  test('comes from an anonymization CA', () => {
    expect(verifyAttestation(apple()).attestationType).toBe('anonca');
  });
});
