import { constants, createPublicKey, generateKeyPairSync, type KeyObject, type RSAPSSKeyPairKeyObjectOptions, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { toHex } from '../../../src/kernel/bytes.js';
import { verifyCertificate } from '../../../src/relying-party/attestation/certificate-signature.js';
import {
  describeKey,
  fitsAlgorithm,
  importSubjectKey,
  signatureChecks,
  verifySignature,
} from '../../../src/relying-party/attestation/signature.js';
import { decodeCertificate } from '../../../src/webauthn/certificate.js';
import { writeCertificate } from '../../../src/webauthn/certificate-writer.js';
import { context, integer, nothing, objectIdentifier, sequence } from '../../../src/webauthn/der-writer.js';
import { AT, CA_NAME, YEAR } from './authority.js';

const newKey = () => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return new Uint8Array(publicKey.export({ format: 'der', type: 'spki' }));
};
const imported = (bytes: Uint8Array) =>
  importSubjectKey({ bytes: bytes.slice(), algorithm: { oid: '1.2.840.10045.2.1', parameters: undefined }, curve: undefined, key: bytes });

test('the key of a certificate that was seen lately is read once', () => {
  const [der, other] = [newKey(), newKey()];
  const key = imported(der);
  expect(imported(other)).not.toBe(key);
  expect(imported(der)).toBe(key);
  expect(key?.export({ format: 'der', type: 'spki' })).toEqual(Buffer.from(der));
});

test('of many keys the ones used last are kept', () => {
  const [used, unused] = [newKey(), newKey()];
  const [first, second] = [imported(used), imported(unused)];
  for (let count = 0; count < 99; count += 1) {
    imported(newKey());
    imported(used);
  }
  expect(imported(used)).toBe(first);
  expect(imported(unused)).not.toBe(second);
});

test('what is no key stays none', () => {
  expect([imported(Uint8Array.of(0x30, 0x00)), imported(Uint8Array.of(0x30, 0x00))]).toEqual([undefined, undefined]);
});

test('a key that OpenSSL reads and Node does not know is none', () => {
  // A public key on the curve SM2 (1.2.156.10197.1.301).
  const der = Buffer.from(
    '3059301306072a8648ce3d020106082a811ccf5501822d03420004240aeff4561b2ff7bd1ba3acc57b2b2ca1a6e506a80a1bf0e40211a9b447f380' +
      'ea082b9bfc37a57676f3448f5b5971e9c7cef956e453ff563f1e5b4cc4f82324',
    'hex',
  );
  expect(createPublicKey({ key: der, format: 'der', type: 'spki' }).asymmetricKeyType).toBeUndefined();
  expect(imported(new Uint8Array(der))).toBeUndefined();
});

test.each<[string, Partial<RSAPSSKeyPairKeyObjectOptions>, string]>([
  ['no hash', {}, 'valid'],
  ['its hash', { hashAlgorithm: 'sha256', mgf1HashAlgorithm: 'sha256' }, 'valid'],
  ['its hash, and another for the mask', { hashAlgorithm: 'sha256', mgf1HashAlgorithm: 'sha1' }, 'mismatch'],
])('PS256 with an RSA-PSS key that is restricted to %s', (_, restriction, verdict) => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa-pss', { modulusLength: 2048, ...restriction });
  const data = Uint8Array.of(1);
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
  expect(verifySignature(-37, publicKey, data, sign('sha256', data, { key: privateKey, ...padding }))).toBe(verdict);
});

/** An AlgorithmIdentifier of RSASSA-PSS with SHA-256 (RFC 4055 §3.1), with a salt length or without. */
const pssWith = (saltLength?: number) => {
  const hash = sequence(objectIdentifier('2.16.840.1.101.3.4.2.1'), nothing());
  const mask = sequence(objectIdentifier('1.2.840.113549.1.1.8'), hash);
  const salt = saltLength === undefined ? [] : [context(2, integer(saltLength))];
  return sequence(objectIdentifier('1.2.840.113549.1.1.10'), sequence(context(0, hash), context(1, mask), ...salt));
};

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

test.each([
  ['none, which means 20', undefined, 20, 'valid'],
  ['none, and another in the signature', undefined, 32, 'invalid'],
  ['32', 32, 32, 'valid'],
  ['32, and another in the signature', 32, 20, 'invalid'],
] as const)('a certificate signed by RSASSA-PSS with the salt length %s', (_, named, saltLength, verdict) => {
  const { publicKey, privateKey } = rsa;
  const fields = {
    serialNumber: 1n,
    signatureAlgorithm: pssWith(named),
    issuer: CA_NAME,
    notBefore: AT,
    notAfter: AT + YEAR,
    subject: CA_NAME,
    publicKey: new Uint8Array(publicKey.export({ format: 'der', type: 'spki' })),
    extensions: [],
  };
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  const certificate = decodeCertificate(writeCertificate(fields, (tbs) => sign('sha256', tbs, { key: privateKey, padding, saltLength })));
  expect(verifyCertificate(certificate, certificate)).toBe(verdict);
});

describe('the checks of a signature', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const data = Uint8Array.of(1, 2, 3);
  const signature = new Uint8Array(sign('sha256', data, privateKey));
  const given = { alg: -7, key: publicKey, owner: 'the owner', data, over: 'the data', signature, reference: '§8' };
  const other = (alg: number, valid: boolean) => ({
    alg,
    verify: (of: Uint8Array, by: Uint8Array) => valid && of === data && by === signature,
  });
  const FITS = 'alg must be the algorithm that the key of the owner signs with.';
  const SIGNED = 'The statement was not made for this authenticator data and client data, or was changed in transit.';
  const shown = `${toHex(signature.subarray(0, 16))}… (${signature.length} bytes)`;
  const known = 'ES256 (-7) with a key of type ec (prime256v1)';
  const unknown = 'this version of Node does not support ES256 (-7) with this key';
  test.each<[string, object, [string, string], [string, string]]>([
    ['that verifies', {}, ['pass', known], ['pass', shown]],
    ['over other data', { data: Uint8Array.of(1) }, ['pass', known], ['fail', shown]],
    [
      'of another algorithm',
      { alg: -35 },
      ['fail', 'ES384 (-35) with a key of type ec (prime256v1)'],
      ['fail', 'a signature that this key cannot have made'],
    ],
    [
      'of an algorithm of no table',
      { alg: -999 },
      ['fail', 'COSE algorithm -999, which is not registered'],
      ['fail', 'a signature that cannot be verified'],
    ],
    ['of a key that Node cannot import', { key: undefined }, ['skip', unknown], ['skip', unknown]],
    [
      'that verifies otherwise',
      { alg: -48, key: undefined, otherwise: other(-48, true) },
      ['pass', 'ML-DSA-44 (-48) with a key of ML-DSA-44 (-48)'],
      ['pass', shown],
    ],
    [
      'that otherwise does not verify',
      { alg: -48, key: undefined, otherwise: other(-48, false) },
      ['pass', 'ML-DSA-44 (-48) with a key of ML-DSA-44 (-48)'],
      ['fail', shown],
    ],
    [
      'of another algorithm of ML-DSA',
      { alg: -48, key: undefined, otherwise: other(-49, true) },
      ['fail', 'ML-DSA-44 (-48) with a key of ML-DSA-65 (-49)'],
      ['fail', 'a signature that this key cannot have made'],
    ],
    ['that Node verifies, whatever else there is', { otherwise: other(-49, false) }, ['pass', known], ['pass', shown]],
  ])('%s', (_, change, [fits, received], [signed, bytes]) => {
    const hints = (status: string, hint: string) => (status === 'pass' || status === 'skip' ? {} : { hint });
    expect(signatureChecks({ ...given, ...change })).toEqual([
      {
        slug: 'algorithm-fits-key',
        reference: '§8',
        expected: 'an algorithm of the key of the owner',
        status: fits,
        received,
        ...hints(fits, FITS),
      },
      {
        slug: 'signature',
        reference: '§8',
        expected: 'a signature by the owner over the data',
        status: signed,
        received: bytes,
        ...hints(signed, SIGNED),
      },
    ]);
  });

  test('a key is described by its type and size', () => {
    const ed25519 = generateKeyPairSync('ed25519').publicKey;
    expect([undefined, publicKey, rsa.publicKey, ed25519].map((key) => describeKey(key))).toEqual([
      'unknown',
      'ec (prime256v1)',
      'rsa (2048 bits)',
      'ed25519',
    ]);
  });

  test('an algorithm fits keys of its type and curve', () => {
    const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey;
    const ed25519 = generateKeyPairSync('ed25519').publicKey;
    const mlDsa = { asymmetricKeyType: 'ml-dsa-44' } as unknown as KeyObject;
    const pss = generateKeyPairSync('rsa-pss', { modulusLength: 2048, hashAlgorithm: 'sha256', mgf1HashAlgorithm: 'sha256' }).publicKey;
    const keys = [publicKey, p384, ed25519, rsa.publicKey, pss, mlDsa];
    const fitting = [-7, -35, -8, -257, -37, -38, -48, -49, -999].map((alg) => keys.map((key) => Number(fitsAlgorithm(alg, key))).join(''));
    expect(fitting).toEqual(['100000', '010000', '001000', '000100', '000110', '000100', '000001', '000000', '000000']);
  });
});
