import { generateKeyPairSync } from 'node:crypto';
import { ml_dsa44, ml_dsa65, ml_dsa87 } from '@noble/post-quantum/ml-dsa.js';
import { describe, expect, test } from 'vitest';
import { loadMlDsaVerifier, mlDsaFor } from '../../src/relying-party/attestation/ml-dsa.js';
import { verifySignature } from '../../src/relying-party/steps/assertion.js';
import { concatBytes } from '../../src/webauthn/bytes.js';
import { encodeCoseKey } from '../../src/webauthn/cose-key.js';
import { members } from './attestation/statements.js';
import { es256Key, type TestKey } from './ceremony.js';
import { createWorld } from './world.js';

const SCHEMES = [
  ['ML-DSA-44', -48, ml_dsa44],
  ['ML-DSA-65', -49, ml_dsa65],
  ['ML-DSA-87', -50, ml_dsa87],
] as const;

/** `privateKey` is another, which nothing of ML-DSA uses. */
function keyOf(alg: number, scheme: typeof ml_dsa44) {
  const { secretKey, publicKey: pub } = scheme.keygen();
  const key: TestKey = {
    privateKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
    publicKey: encodeCoseKey({ kty: 7, alg, pub }),
    sign: (data) => scheme.sign(data, secretKey),
  };
  return { key, pub };
}

describe.each(SCHEMES)('%s', (_, alg, scheme) => {
  const { key, pub } = keyOf(alg, scheme);

  test('a signature verifies on every Node, and no other does', async () => {
    const mlDsa = await loadMlDsaVerifier();
    const data = Uint8Array.of(1, 2, 3);
    const signature = key.sign(data);
    const cose = { kty: 7, alg, pub } as const;
    expect(verifySignature(cose, data, signature, mlDsa)).toBe('valid');
    expect(verifySignature(cose, concatBytes(data, data), signature, mlDsa)).toBe('invalid');
    expect(verifySignature(cose, data, signature.slice(1), mlDsa)).toBe('invalid');
    expect(mlDsa({ alg, publicKey: pub, data, signature })).toBe(true);
    expect(mlDsa({ alg, publicKey: pub.slice(1), data, signature })).toBe(false);
    expect(mlDsa({ alg: -7, publicKey: pub, data, signature })).toBe(false);
  });

  test('registers, by self attestation too, and signs in', async () => {
    const self = (authData: Uint8Array, hash: Uint8Array) => members({ alg, sig: key.sign(concatBytes(authData, hash)) });
    for (const fields of [{}, { fmt: 'packed', attStmt: self }]) {
      const world = createWorld({ policy: { algorithms: [alg] }, key });
      await expect(world.register(fields)).resolves.toMatchObject({ id: 1 });
      await expect(world.authenticate({ signCount: 1 })).resolves.toMatchObject({ passkey: { id: 1 } });
      const forged = { change: { signature: (bytes: Uint8Array) => bytes.map((byte, index) => (index === 9 ? byte ^ 1 : byte)) } };
      await expect(world.authenticate({ signCount: 2, ...forged })).rejects.toMatchObject({ code: 'signature_invalid' });
    }
  });

  test('a forged self attestation is refused', async () => {
    const world = createWorld({ policy: { algorithms: [alg] }, key });
    const forged = (authData: Uint8Array) => members({ alg, sig: key.sign(authData) });
    await expect(world.register({ fmt: 'packed', attStmt: forged })).rejects.toMatchObject({ step: { slug: 'attestation-statement' } });
  });
});

test('other keys load no verifier', async () => {
  expect(await mlDsaFor(undefined)).toBeUndefined();
  expect(await mlDsaFor(es256Key().publicKey)).toBeUndefined();
  expect(await mlDsaFor(Uint8Array.of(1))).toBeUndefined();
});
