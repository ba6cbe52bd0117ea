import { constants, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { concatBytes, encodeUtf8 } from '../../../src/kernel/bytes.js';
import { verifyCredentialSignature } from '../../../src/relying-party/attestation/ml-dsa.js';
import { decodeBase64url } from '../../../src/webauthn/base64url.js';
import type { CoseKey } from '../../../src/webauthn/cose-key.js';

const verifySignature = (key: CoseKey, data: Uint8Array, signature: Uint8Array) => verifyCredentialSignature({ key, data, signature });

interface Pair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

const bytes = (text: string | undefined) => decodeBase64url(text ?? '');
const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };

function ec2(alg: number, crv: number, { publicKey }: Pair): CoseKey {
  const { x, y } = publicKey.export({ format: 'jwk' });
  return { kty: 2, alg, crv, x: bytes(x), y: bytes(y) };
}

function okp(alg: number, crv: number, { publicKey }: Pair): CoseKey {
  return { kty: 1, alg, crv, x: bytes(publicKey.export({ format: 'jwk' }).x) };
}

function rsaKey(alg: number): CoseKey {
  const { n, e } = rsa.publicKey.export({ format: 'jwk' });
  return { kty: 3, alg, n: bytes(n), e: bytes(e) };
}

const [p256, p384, p521, k256] = [ec('P-256'), ec('P-384'), ec('P-521'), ec('secp256k1')];
const [ed25519, ed448] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed448')];
const data = encodeUtf8('authenticator data and hash');

const ALGORITHMS: readonly [name: string, key: CoseKey, signed: Uint8Array][] = [
  ['ES256', ec2(-7, 1, p256), sign('sha256', data, p256.privateKey)],
  ['ESP256', ec2(-9, 1, p256), sign('sha256', data, p256.privateKey)],
  ['ES384', ec2(-35, 2, p384), sign('sha384', data, p384.privateKey)],
  ['ESP384', ec2(-51, 2, p384), sign('sha384', data, p384.privateKey)],
  ['ES512', ec2(-36, 3, p521), sign('sha512', data, p521.privateKey)],
  ['ESP512', ec2(-52, 3, p521), sign('sha512', data, p521.privateKey)],
  ['ES256K', ec2(-47, 8, k256), sign('sha256', data, k256.privateKey)],
  ['EdDSA', okp(-8, 6, ed25519), sign(null, data, ed25519.privateKey)],
  ['Ed25519', okp(-19, 6, ed25519), sign(null, data, ed25519.privateKey)],
  ['Ed448', okp(-53, 7, ed448), sign(null, data, ed448.privateKey)],
  ['RS256', rsaKey(-257), sign('sha256', data, rsa.privateKey)],
  ['RS384', rsaKey(-258), sign('sha384', data, rsa.privateKey)],
  ['RS512', rsaKey(-259), sign('sha512', data, rsa.privateKey)],
  ['RS1', rsaKey(-65535), sign('sha1', data, rsa.privateKey)],
  ['PS256', rsaKey(-37), sign('sha256', data, { key: rsa.privateKey, ...pss })],
  ['PS384', rsaKey(-38), sign('sha384', data, { key: rsa.privateKey, ...pss })],
  ['PS512', rsaKey(-39), sign('sha512', data, { key: rsa.privateKey, ...pss })],
];

describe('a signature', () => {
  test.each(ALGORITHMS)('of %s verifies, and no other does', (_, key, signature) => {
    expect(verifySignature(key, data, signature)).toBe('valid');
    expect(verifySignature(key, concatBytes(data, data), signature)).toBe('invalid');
    expect(verifySignature(key, data, concatBytes(signature, Uint8Array.of(0)))).toBe('invalid');
    expect(verifySignature(key, data, signature.subarray(0, -1))).toBe('invalid');
    expect(verifySignature(key, data, new Uint8Array())).toBe('invalid');
  });

  test('of RSA in one padding does not verify in the other', () => {
    const pkcs1 = sign('sha256', data, rsa.privateKey);
    expect(verifySignature(rsaKey(-37), data, pkcs1)).toBe('invalid');
    expect(verifySignature(rsaKey(-257), data, sign('sha256', data, { key: rsa.privateKey, ...pss }))).toBe('invalid');
  });

  test('of ECDSA must be DER in its one right form', () => {
    const raw = sign('sha256', data, { key: p256.privateKey, dsaEncoding: 'ieee-p1363' });
    expect(verifySignature(ec2(-7, 1, p256), data, raw)).toBe('invalid');
    const der = sign('sha256', data, p256.privateKey);
    const longForm = concatBytes(Uint8Array.of(0x30, 0x81), der.subarray(1));
    expect(verifySignature(ec2(-7, 1, p256), data, longForm)).toBe('invalid');
  });

  test('by a point beside the curve, or an algorithm nobody knows, is not judged', () => {
    const beside: CoseKey = { kty: 2, alg: -7, crv: 1, x: new Uint8Array(32).fill(1), y: new Uint8Array(32).fill(1) };
    expect(verifySignature(beside, data, new Uint8Array(70))).toBe('key');
    expect(verifySignature({ ...beside, alg: -999 }, data, new Uint8Array(70))).toBe('key');
  });
});
