import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { importSubjectKey } from '../../../src/relying-party/attestation/signature.js';

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
