import { describe, expect, test } from 'vitest';
import { SIGNING_ALGORITHMS, type SigningAlgorithm, signingAlgorithm } from '../../src/authenticator/algorithms.js';
import { keyPairsFrom } from '../../src/authenticator/key-pair.js';
import { readPrivateKey } from '../../src/authenticator/private-key.js';
import { openSigningKey } from '../../src/authenticator/signing-key.js';
import { concatBytes } from '../../src/kernel/bytes.js';
import { decodeCoseKey, encodeCoseKey } from '../../src/webauthn/cose-key.js';
import { verifyRaw } from '../client/independent.js';
import { clientDataHash, getRequest, granted, quickKeys, seeded, withCredential } from './requests.js';

describe.each(SIGNING_ALGORITHMS)('$name ($id)', (algorithm) => {
  test('has a COSE key that the strict decoder takes', async () => {
    const { coseKey } = await openSigningKey(algorithm, await quickKeys(algorithm));
    expect(decodeCoseKey(encodeCoseKey(coseKey))).toEqual(coseKey);
  });

  test('signs attestation and assertion so that Web Cryptography verifies them from the raw bytes', async () => {
    const pubKeyCredParams = [{ type: 'public-key', alg: algorithm.id } as const];
    const { authenticator, authData, attStmt, attested } = await withCredential(
      { algorithms: [algorithm.id], attestation: 'packed' },
      { pubKeyCredParams },
    );
    expect(attStmt.get('alg')).toBe(algorithm.id);
    const sig = attStmt.get('sig');
    if (!(sig instanceof Uint8Array)) throw new Error('Expected a signature in the statement.');
    const key = attested.credentialPublicKey;
    expect(await verifyRaw(key, sig, concatBytes(authData, clientDataHash))).toBe(true);

    const { authenticatorData, signature } = granted(await authenticator.getAssertion(getRequest()));
    const signed = concatBytes(authenticatorData, clientDataHash);
    expect(await verifyRaw(key, signature, signed)).toBe(true);
    expect(await verifyRaw(key, signature, signed.with(0, (signed[0] ?? 0) ^ 1))).toBe(false);
  });
});

test('the algorithms, each with its key and hash', () => {
  const row = ({ id, name, hash, key }: SigningAlgorithm) => {
    const detail = 'curve' in key ? key.curve.crv : 'pss' in key ? key.pss : key.publicKeyBytes;
    return [id, name, hash, key.type, key.name, detail];
  };
  // For a curve its number, for RSA whether it is PSS, for ML-DSA the length of its public keys.
  expect(SIGNING_ALGORITHMS.map(row)).toEqual([
    [-7, 'ES256', 'sha256', 'ec', 'P-256', 1],
    [-8, 'EdDSA', null, 'okp', 'Ed25519', 6],
    [-9, 'ESP256', 'sha256', 'ec', 'P-256', 1],
    [-19, 'Ed25519', null, 'okp', 'Ed25519', 6],
    [-35, 'ES384', 'sha384', 'ec', 'P-384', 2],
    [-36, 'ES512', 'sha512', 'ec', 'P-521', 3],
    [-37, 'PS256', 'sha256', 'rsa', 'RSA', true],
    [-38, 'PS384', 'sha384', 'rsa', 'RSA', true],
    [-39, 'PS512', 'sha512', 'rsa', 'RSA', true],
    [-47, 'ES256K', 'sha256', 'ec', 'secp256k1', 8],
    [-48, 'ML-DSA-44', null, 'ml-dsa', 'ML-DSA-44', 1312],
    [-49, 'ML-DSA-65', null, 'ml-dsa', 'ML-DSA-65', 1952],
    [-50, 'ML-DSA-87', null, 'ml-dsa', 'ML-DSA-87', 2592],
    [-51, 'ESP384', 'sha384', 'ec', 'P-384', 2],
    [-52, 'ESP512', 'sha512', 'ec', 'P-521', 3],
    [-53, 'Ed448', null, 'okp', 'Ed448', 7],
    [-257, 'RS256', 'sha256', 'rsa', 'RSA', false],
    [-258, 'RS384', 'sha384', 'rsa', 'RSA', false],
    [-259, 'RS512', 'sha512', 'rsa', 'RSA', false],
  ]);
});

describe('keys', () => {
  const seedable = SIGNING_ALGORITHMS.filter(({ key }) => key.type !== 'rsa');
  test.each(seedable)('$name keys repeat with their seed', async (algorithm) => {
    const [a, b, c] = await Promise.all(['seed', 'seed', 'other'].map(async (seed) => keyPairsFrom(seeded(seed))(algorithm)));
    expect(a).toEqual(b);
    expect(a).not.toEqual(c);
  });

  test('the extremes of randomness give keys on the curve', async () => {
    for (const fill of [0x00, 0xff]) {
      for (const algorithm of seedable) {
        const source = keyPairsFrom((length) => new Uint8Array(length).fill(fill));
        const key = await openSigningKey(algorithm, await source(algorithm));
        expect(decodeCoseKey(encodeCoseKey(key.coseKey))).toEqual(key.coseKey);
        expect([algorithm.name, await verifyRaw(encodeCoseKey(key.coseKey), key.sign(clientDataHash), clientDataHash)]).toEqual([
          algorithm.name,
          true,
        ]);
      }
    }
  });

  test('one RSA key serves all algorithms of its kind', async () => {
    const made = await Promise.all([-257, -37, -257].map(async (id) => quickKeys(signingAlgorithm(id))));
    expect(new Set(made).size).toBe(1);
  });

  test('a key of another kind is refused', async () => {
    const es256 = await quickKeys(signingAlgorithm(-7));
    expect(() => readPrivateKey(signingAlgorithm(-8), es256)).toThrow(
      new TypeError('Expected a private key of kind "Ed25519" for EdDSA; got "P-256". Give a key that fits the algorithm.'),
    );
    expect(() => readPrivateKey(signingAlgorithm(-35), es256)).toThrow(/kind "P-384" for ES384; got "P-256"/);
    expect(() => readPrivateKey(signingAlgorithm(-7), new Uint8Array(5))).toThrow(/PKCS#8 DER for ES256; got 5 bytes/);
  });

  test('an unknown algorithm is refused by name', () => {
    expect(() => signingAlgorithm(-65535)).toThrow(/one of -7 \(ES256\), .*; got -65535\./);
  });
});
