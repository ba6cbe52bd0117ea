import { createPrivateKey, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SIGNING_ALGORITHMS, type SigningAlgorithm, signingAlgorithm } from '../../src/authenticator/algorithms.js';
import { keyPairsFrom, systemKeyPairs, systemRandom } from '../../src/authenticator/key-pair.js';
import { decodePkcs8, encodePkcs8 } from '../../src/authenticator/pkcs8.js';
import { makeKeyObject, newPkcs8, readPrivateKey } from '../../src/authenticator/private-key.js';
import { pooledRsaKey } from '../../src/authenticator/rsa-pool.js';
import { seededBy } from '../../src/authenticator/seeded.js';
import { openSigningKey } from '../../src/authenticator/signing-key.js';
import { concatBytes, fromHex, toHex } from '../../src/kernel/bytes.js';
import { KEY_TYPES } from '../../src/webauthn/algorithms.js';
import { type CoseKey, decodeCoseKey, encodeCoseKey } from '../../src/webauthn/cose-key.js';
import { contents, DerSyntaxError, decodeDer, sequence } from '../../src/webauthn/der.js';
import { integer, objectIdentifier, octetString, sequence as writeSequence } from '../../src/webauthn/der-writer.js';
import { encodeSubjectPublicKeyInfo, keyIdentifier } from '../../src/webauthn/subject-public-key-info.js';
import { verifyRaw } from '../client/independent.js';
import { fc } from '../properties.js';
import { quick, share } from '../thorough.js';
import { clientDataHash, seeded } from './requests.js';

const seed = new Uint8Array(32).fill(7);
/** One algorithm for each kind of key. */
const KINDS = SIGNING_ALGORITHMS.filter(({ key }, index) => SIGNING_ALGORITHMS.findIndex((other) => other.key.name === key.name) === index);
const openers = [
  ['Node', openSigningKey],
  ['seeded', seededBy(seed).openKey],
] as const;

const partsOf = (key: CoseKey): readonly Uint8Array[] => ('y' in key ? [key.x, key.y] : 'x' in key ? [key.x] : []);

/** The first keys of a stream of which some part, in its order, begins with a zero byte. */
async function keysWithZero(algorithm: SigningAlgorithm, parts: number): Promise<{ part: number; pkcs8: Uint8Array }[]> {
  const source = keyPairsFrom(seeded(`leading zero ${algorithm.name}`));
  const found = new Map<number, Uint8Array>();
  for (let tries = 0; found.size < parts && tries < 50_000; tries++) {
    const pkcs8 = await source(algorithm);
    const { coseKey } = await openSigningKey(algorithm, pkcs8);
    const { secret } = readPrivateKey(algorithm, pkcs8);
    for (const [part, bytes] of [secret, ...partsOf(coseKey)].entries()) {
      // P-521 has 521 bits in 66 bytes: the first is 0 half of the time, so the second is looked at.
      const first = algorithm.key.name === 'P-521' ? 1 : 0;
      if (bytes[first] === 0 && bytes[0] === 0 && !found.has(part)) found.set(part, pkcs8);
    }
  }
  return [...found].map(([part, pkcs8]) => ({ part, pkcs8 }));
}

describe.each(
  share(
    KINDS.filter(({ key }) => key.type === 'ec' || key.type === 'okp'),
    4,
  ),
)('$key.name keys', (algorithm) => {
  test('whose secret, x or y begins with a zero byte keep their length and sign', async () => {
    const parts = algorithm.key.type === 'ec' ? 3 : 2;
    const keys = await keysWithZero(algorithm, parts);
    expect(keys.map(({ part }) => part).toSorted((a, b) => a - b)).toEqual(Array.from({ length: parts }, (_, part) => part));
    for (const { pkcs8 } of keys) {
      // Read anew: bytes that come from a file are not remembered.
      const stored = pkcs8.slice();
      for (const [, open] of openers) {
        const key = await open(algorithm, stored);
        const cose = encodeCoseKey(key.coseKey);
        expect(decodeCoseKey(cose)).toEqual(key.coseKey);
        expect(await verifyRaw(cose, key.sign(clientDataHash), clientDataHash)).toBe(true);
      }
    }
  });
});

describe('PKCS#8', () => {
  test.each(share(KINDS, 3))('of a $key.name key survives the way there and back, and Node reads it', async (algorithm) => {
    const pkcs8 = await systemKeyPairs(algorithm);
    const parts = decodePkcs8(pkcs8);
    expect(parts.kind).toBe(algorithm.key.name);
    expect(decodePkcs8(encodePkcs8(parts))).toEqual(parts);
    const { coseKey } = await openSigningKey(algorithm, pkcs8);
    expect((await openSigningKey(algorithm, encodePkcs8(parts))).coseKey).toEqual(coseKey);
    if (algorithm.key.type === 'ml-dsa') return;
    const node = createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' });
    expect(new Uint8Array(node.export({ format: 'der', type: 'pkcs8' }))).toEqual(pkcs8);
    const spki = new Uint8Array(createPublicKey(node).export({ format: 'der', type: 'spki' }));
    expect(toHex(encodeSubjectPublicKeyInfo(coseKey))).toBe(toHex(spki));
  });

  quick('of Node is read, with the same public key', async () => {
    for (const algorithm of KINDS.filter(({ key }) => key.type === 'ec')) {
      if (algorithm.key.type !== 'ec') continue;
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: algorithm.key.curve.openssl });
      const { coseKey } = await openSigningKey(algorithm, new Uint8Array(privateKey.export({ format: 'der', type: 'pkcs8' })));
      expect(encodeSubjectPublicKeyInfo(coseKey)).toEqual(new Uint8Array(publicKey.export({ format: 'der', type: 'spki' })));
    }
  });

  /** RFC 9881 §6: SEQUENCE { version, algorithm, OCTET STRING { … } } with the given inner key. */
  function mlDsa(inner: Uint8Array): Uint8Array {
    const [version, identifier] = sequence(decodeDer(encodePkcs8({ kind: 'ML-DSA-44', secret: seed })), 'a private key');
    if (version === undefined || identifier === undefined) throw new Error('Expected PKCS#8.');
    const whole = (element: typeof version) => element.source.subarray(element.start, element.end);
    return writeSequence(whole(version), whole(identifier), octetString(inner));
  }

  quick('of ML-DSA is its seed, and is read with an expanded key beside it too', async () => {
    // RFC 9881 §6: the seed form is [0] IMPLICIT OCTET STRING of 32 bytes.
    expect(toHex(encodePkcs8({ kind: 'ML-DSA-44', secret: seed }))).toBe(`3034020100300b0609608648016503040311${'0422'}8020${toHex(seed)}`);
    const both = mlDsa(writeSequence(octetString(seed), octetString(new Uint8Array(2560))));
    expect(decodePkcs8(both)).toEqual({ kind: 'ML-DSA-44', secret: seed });
    const { coseKey } = await openSigningKey(signingAlgorithm(-48), both);
    expect(coseKey).toMatchObject({ kty: KEY_TYPES.AKP, alg: -48 });
    // An expanded key alone has lost its seed.
    expect(() => readPrivateKey(signingAlgorithm(-48), mlDsa(octetString(new Uint8Array(2560))))).toThrow(/PKCS#8 DER for ML-DSA-44; got/);
  });

  quick('never crashes on other bytes', () => {
    const whole = encodePkcs8({ kind: 'P-256', secret: seed });
    const damaged = fc.tuple(fc.nat(whole.length - 1), fc.nat(255)).map(([at, byte]) => whole.with(at, byte));
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), damaged), (bytes) => {
        try {
          readPrivateKey(signingAlgorithm(-7), bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(TypeError);
        }
      }),
      { numRuns: 500 },
    );
  });

  quick.each(KINDS.filter(({ key }) => key.type === 'ec'))('with a scalar outside the range of $key.name is refused', ({ id, key }) => {
    if (key.type !== 'ec') throw new Error('Expected a curve.');
    const order = fromHex((key.curve.weierstrass?.n ?? 0n).toString(16).padStart(2 * key.curve.size, '0'));
    for (const secret of [new Uint8Array(key.curve.size), order, new Uint8Array(key.curve.size).fill(0xff)]) {
      const pkcs8 = encodePkcs8({ kind: key.name, secret });
      expect(() => readPrivateKey(signingAlgorithm(id), pkcs8)).toThrow(/hold a scalar out of the range of its curve/);
    }
  });
});

describe('PKCS#8 of other programs', () => {
  const [version, ec, key] = [integer(0n), keyIdentifier('P-256'), octetString(writeSequence(integer(1n), octetString(seed.subarray(1))))];

  quick('a scalar that lost its leading zeros gets them back', () => {
    expect(decodePkcs8(writeSequence(version, ec, key))).toEqual({
      kind: 'P-256',
      secret: concatBytes(Uint8Array.of(0), seed.subarray(1)),
    });
    const long = octetString(writeSequence(integer(1n), octetString(concatBytes(Uint8Array.of(0), seed))));
    expect(() => decodePkcs8(writeSequence(version, ec, long))).toThrow(/expected 32 bytes of a P-256 key, got 33/);
  });

  quick('a key of an unknown kind has its identifier for a name', () => {
    const other = writeSequence(objectIdentifier('1.2.3.4'));
    expect(decodePkcs8(writeSequence(version, other, octetString(Uint8Array.of(7, 8))))).toEqual({
      kind: '1.2.3.4',
      secret: Uint8Array.of(7, 8),
    });
  });

  quick.each([
    ['without a version', writeSequence(ec, key)],
    ['with a version that is no number', writeSequence(octetString(seed), ec, key)],
  ])('%s is none', (_, pkcs8) => {
    expect(() => decodePkcs8(pkcs8)).toThrow(DerSyntaxError);
    const read = () => readPrivateKey(signingAlgorithm(-7), pkcs8);
    expect(read).toThrow(/^Expected a private key as PKCS#8 DER for ES256; got \d+ bytes that are not\.$/);
    expect(read).toThrow(expect.objectContaining({ cause: expect.any(DerSyntaxError) }));
  });
});

quick('an opened key knows its algorithm', async () => {
  for (const algorithm of KINDS.filter(({ key }) => key.type !== 'rsa')) {
    const pkcs8 = await systemKeyPairs(algorithm);
    for (const [, open] of openers) expect((await open(algorithm, pkcs8)).algorithm).toBe(algorithm);
  }
});

quick('random bytes of the system are not zeros, whatever their number', () => {
  const drawn = [1, 32, 2047, 2048, 2049, 16].map((length) => systemRandom(length));
  expect(drawn.map(({ length }) => length)).toEqual([1, 32, 2047, 2048, 2049, 16]);
  for (const bytes of drawn.slice(1)) expect(bytes.some((byte) => byte !== 0)).toBe(true);
});

quick('a seeded stream is one stream, however much is drawn at a time', () => {
  const whole = seededBy(seed).stream('a label')(300);
  expect(whole).toHaveLength(300);
  for (const sizes of [
    [66, 234],
    [32, 64, 204],
    [1, 31, 33, 235],
    [100, 100, 100],
  ]) {
    const stream = seededBy(seed).stream('a label');
    expect(concatBytes(...sizes.map(stream))).toEqual(whole);
  }
});

describe('RSA', () => {
  quick('a key of the pool has the numbers of RFC 8017 A.1.2', () => {
    const numbers = sequence(decodeDer(pooledRsaKey(2048, 0)), 'an RSAPrivateKey').map((element) =>
      BigInt(`0x${toHex(contents(element))}`),
    );
    const [zero, n = 0n, e = 0n, d = 0n, p = 1n, q = 1n, dp, dq, inverse = 0n] = numbers;
    expect(numbers).toHaveLength(9);
    expect([zero, n, e]).toEqual([0n, p * q, 65537n]);
    expect((e * d) % ((p - 1n) * (q - 1n))).toBe(1n);
    expect([dp, dq, (inverse * q) % p]).toEqual([d % (p - 1n), d % (q - 1n), 1n]);
  });

  quick.each([
    [2048, 6],
    [3072, 4],
  ] as const)('keys of %i bits in the pool are %i sound ones', (bits, count) => {
    const moduli = new Set<string>();
    for (let choice = 0; choice < count; choice++) {
      const object = makeKeyObject(
        readPrivateKey(signingAlgorithm(-257), newPkcs8(signingAlgorithm(-257), pooledRsaKey(bits, choice)).slice()),
      );
      expect(object.asymmetricKeyDetails).toEqual({ modulusLength: bits, publicExponent: 65537n });
      const [, modulus] = sequence(decodeDer(pooledRsaKey(bits, choice)), 'an RSAPrivateKey');
      moduli.add(modulus === undefined ? '' : toHex(contents(modulus)));
    }
    expect(moduli.size).toBe(count);
    expect(pooledRsaKey(bits, count)).toEqual(pooledRsaKey(bits, 0));
  });

  quick.each(SIGNING_ALGORITHMS.filter(({ key }) => key.type === 'rsa' && key.pss))(
    'the seeded salt of $name depends on seed and message, and is as long as the hash',
    async (algorithm) => {
      const pkcs8 = newPkcs8(algorithm, pooledRsaKey(2048, 1));
      const signed = async (by: string, data: Uint8Array) => (await seededBy(by).openKey(algorithm, pkcs8)).sign(data);
      const other = concatBytes(clientDataHash, clientDataHash);
      const signature = await signed('a', clientDataHash);
      expect(await signed('a', clientDataHash)).toEqual(signature);
      expect(await signed('b', clientDataHash)).not.toEqual(signature);
      const key = createPublicKey(makeKeyObject(readPrivateKey(algorithm, pkcs8)));
      const saltLength = { sha1: 20, sha256: 32, sha384: 48, sha512: 64 }[algorithm.hash ?? 'sha256'];
      // RSA_PKCS1_PSS_PADDING; OpenSSL checks the length of the salt as it is given.
      const valid = (data: Uint8Array, of: Uint8Array, length: number) =>
        verify(algorithm.hash, data, { key, padding: 6, saltLength: length }, of);
      expect(valid(clientDataHash, signature, saltLength)).toBe(true);
      expect(valid(clientDataHash, signature, saltLength - 1)).toBe(false);
      expect(valid(other, await signed('a', other), saltLength)).toBe(true);
    },
  );
});
