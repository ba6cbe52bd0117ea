import { generateKeyPairSync, sign } from 'node:crypto';
import { ml_dsa44, ml_dsa65, ml_dsa87 } from '@noble/post-quantum/ml-dsa.js';
import { describe, expect, test } from 'vitest';
import { concatBytes } from '../../src/kernel/bytes.js';
import { loadMlDsaFor, verifyCredentialSignature } from '../../src/relying-party/attestation/ml-dsa.js';
import { writeName } from '../../src/webauthn/certificate-writer.js';
import { decodeCoseKey, encodeCoseKey } from '../../src/webauthn/cose-key.js';
import {
  bitString,
  context,
  integer,
  objectIdentifier,
  octetString,
  printableString,
  sequence,
  time,
  utf8String,
} from '../../src/webauthn/der-writer.js';
import { EXTENSIONS, type Extension, OID } from '../webauthn/certificate-writer.js';
import { members } from './attestation/statements.js';
import { AAGUID, es256Key, type TestKey } from './ceremony.js';
import { toPem } from './certificate.js';
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
    const data = Uint8Array.of(1, 2, 3);
    const signature = key.sign(data);
    const cose = { kty: 7, alg, pub } as const;
    const mlDsa = await loadMlDsaFor(cose);
    expect(verifyCredentialSignature({ key: cose, data, signature, mlDsa })).toBe('valid');
    expect(verifyCredentialSignature({ key: cose, data: concatBytes(data, data), signature, mlDsa })).toBe('invalid');
    expect(verifyCredentialSignature({ key: cose, data, signature: signature.slice(1), mlDsa })).toBe('invalid');
    // Node 24 and later need none.
    if (mlDsa === undefined) return;
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

  test('warns nobody that Web Crypto is experimental', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    const world = createWorld({ policy: { algorithms: [alg] }, key });
    await world.register();
    await world.authenticate({ signCount: 1 });
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', note);
    expect(warnings.filter(({ name }) => name === 'ExperimentalWarning')).toEqual([]);
  });

  test('a forged self attestation is refused', async () => {
    const world = createWorld({ policy: { algorithms: [alg] }, key });
    const forged = (authData: Uint8Array) => members({ alg, sig: key.sign(authData) });
    await expect(world.register({ fmt: 'packed', attStmt: forged })).rejects.toMatchObject({ step: { slug: 'attestation-statement' } });
  });
});

describe('attestation certificates of ML-DSA', () => {
  const NOW = Date.UTC(2026, 0);
  const OID_OF_KEY = '2.16.840.1.101.3.4.3.17';
  const name = (CN: string, OU = 'Authenticator Attestation') =>
    writeName([
      [OID.c, printableString('SE')],
      [OID.o, utf8String('Test')],
      [OID.ou, utf8String(OU)],
      [OID.cn, utf8String(CN)],
    ]);
  const makeKey = () => {
    const { secretKey, publicKey } = ml_dsa44.keygen();
    return {
      alg: -48,
      spki: sequence(sequence(objectIdentifier(OID_OF_KEY)), bitString(publicKey)),
      sign: (data: Uint8Array): Uint8Array => ml_dsa44.sign(data, secretKey),
    };
  };
  const makeEcKey = () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const spki = new Uint8Array(publicKey.export({ format: 'der', type: 'spki' }));
    return { alg: -7, spki, sign: (data: Uint8Array): Uint8Array => new Uint8Array(sign('sha256', data, privateKey)) };
  };
  type Key = ReturnType<typeof makeKey>;
  /** Signed with ML-DSA. */
  const issue = (subject: Uint8Array, { spki }: Key, issuer: Key, extensions: readonly Uint8Array[], damage = 0) => {
    const algorithm = sequence(objectIdentifier(OID_OF_KEY));
    const validity = sequence(time(NOW - 1000), time(NOW + 1000));
    const content = [algorithm, name('Root', 'CA'), validity, subject, spki, context(3, sequence(...extensions))];
    const tbs = sequence(context(0, integer(2)), integer(1), ...content);
    return sequence(tbs, algorithm, bitString(issuer.sign(tbs).map((byte, index) => (index === 9 ? byte ^ damage : byte))));
  };
  const extension = ({ oid, value }: Extension) => sequence(objectIdentifier(oid), octetString(value));
  const rootKey = makeKey();
  const root = issue(name('Root', 'CA'), rootKey, rootKey, [extension(EXTENSIONS.basicConstraints(true))]);
  const leaf = (key: Key, damage?: number) =>
    issue(name('Leaf'), key, rootKey, [extension(EXTENSIONS.basicConstraints(false)), extension(EXTENSIONS.aaguid(AAGUID))], damage);

  const credentialKey = es256Key();
  const register = (key: Key, x5c: readonly Uint8Array[], { alg = key.alg, damage = 0, roots = [toPem(root)] } = {}) => {
    const world = createWorld({ policy: { attestationRoots: roots }, key: credentialKey });
    world.clock.now = NOW;
    const attStmt = (authData: Uint8Array, hash: Uint8Array) => {
      const sig = key.sign(concatBytes(authData, hash)).map((byte, index) => (index === 9 ? byte ^ damage : byte));
      return members({ alg, sig, x5c: [...x5c] });
    };
    return world.register({ fmt: 'packed', attStmt });
  };

  test.each([
    ['with an ML-DSA key', makeKey()],
    ['with another key, by an ML-DSA root', makeEcKey()],
  ])('%s are trusted', async (_, key) => {
    for (const x5c of [[leaf(key)], [leaf(key), root]]) {
      await expect(register(key, x5c)).resolves.toMatchObject({ attestation: { format: 'packed', trust: 'trusted' } });
    }
    await expect(register(key, [leaf(key, 1)])).rejects.toMatchObject({ code: 'attestation_untrusted' });
    await expect(register(key, [leaf(key, 1), root], { roots: [] })).rejects.toMatchObject({ code: 'attestation_malformed' });
  });

  test('refuse a forged statement, and one of another algorithm', async () => {
    const key = makeKey();
    await expect(register(key, [leaf(key)], { damage: 1 })).rejects.toMatchObject({ step: { slug: 'attestation-statement' } });
    await expect(register(key, [leaf(key)], { alg: -7 })).rejects.toMatchObject({ step: { slug: 'attestation-statement' } });
    await expect(register(key, [leaf(key)], { alg: -49 })).rejects.toMatchObject({ step: { slug: 'attestation-statement' } });
  });
});

test('other keys load no verifier', async () => {
  expect(await loadMlDsaFor(undefined)).toBeUndefined();
  expect(await loadMlDsaFor(decodeCoseKey(es256Key().publicKey))).toBeUndefined();
  expect(await loadMlDsaFor(undefined, [Uint8Array.of(1)])).toBeUndefined();
});
