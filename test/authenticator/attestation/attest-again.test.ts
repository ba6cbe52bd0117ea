import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SIGNING_ALGORITHMS, signingAlgorithm } from '../../../src/authenticator/algorithms.js';
import { attestAgain, nameAttestation, readAttestationInput } from '../../../src/authenticator/attestation/attest-again.js';
import { ATTESTATION_NAMES, type AttestationName } from '../../../src/authenticator/attestation/named-formats.js';
import { createAuthenticator } from '../../../src/authenticator/authenticator.js';
import { seededBy } from '../../../src/authenticator/seeded.js';
import { openSigningKey } from '../../../src/authenticator/signing-key.js';
import { concatBytes } from '../../../src/kernel/bytes.js';
import { type AttestationObject, decodeAttestationObject } from '../../../src/webauthn/attestation-object.js';
import { decodeAuthenticatorData, encodeAuthenticatorData } from '../../../src/webauthn/authenticator-data.js';
import { decodeCborMap, encodeCbor } from '../../../src/webauthn/cbor.js';
import { decodeCoseKey, encodeCoseKey } from '../../../src/webauthn/cose-key.js';
import { verifyRaw } from '../../client/independent.js';
import { clientDataHash, granted, makeRequest, RP_ID } from '../requests.js';

const NOW = 1_700_000_000_000;
const AAGUID = new Uint8Array(16).fill(0xaa);
const { openKey } = seededBy('a seed');
const otherHash = new Uint8Array(createHash('sha256').update('other client data').digest());

async function registered(attestation: AttestationName, alg = -7) {
  const seed = 'a seed';
  const algorithms = SIGNING_ALGORITHMS.map(({ id }) => id);
  const authenticator = createAuthenticator({ seed, now: () => NOW, attestation, algorithms, aaguid: AAGUID, backupEligible: true });
  const register = async (hash: Uint8Array) =>
    granted(await authenticator.makeCredential(makeRequest({ clientDataHash: hash, pubKeyCredParams: [{ type: 'public-key', alg }] })));
  const made = decodeAttestationObject((await register(clientDataHash)).attestationObject);
  const [source] = await authenticator.store.list();
  if (source === undefined) throw new Error('Expected a credential.');
  return { made, source };
}

const about = { clientDataHash, openKey, now: () => NOW };
const bare = ({ fmt, attStmt, authData, statements }: AttestationObject) => ({ fmt, attStmt, authData, statements });

/** Authenticator data with another sign count and, if given, another public key. */
function changed(authData: Uint8Array, publicKey?: Uint8Array): Uint8Array {
  const data = decodeAuthenticatorData(authData);
  const attested = data.attestedCredentialData;
  if (attested === undefined) throw new Error('Expected attested credential data.');
  const attestedCredentialData = { ...attested, credentialPublicKey: publicKey ?? attested.credentialPublicKey };
  return encodeAuthenticatorData({ ...data, signCount: 77, attestedCredentialData });
}
const keyOf = (authData: Uint8Array) => decodeAuthenticatorData(authData).attestedCredentialData?.credentialPublicKey ?? new Uint8Array();

describe.each(ATTESTATION_NAMES)('%s', (name) => {
  test('is recognised, and made again it is the same', async () => {
    const { made, source } = await registered(name);
    expect(nameAttestation(made)).toBe(name);
    expect(bare(await attestAgain(made, { ...about, source }))).toEqual(bare(made));
  });

  test('is another statement about other data, unless it has none', async () => {
    const { made, source } = await registered(name);
    const authenticatorData = changed(made.authData);
    const again = await attestAgain(made, { ...about, source, authenticatorData });
    expect(again.authData).toEqual(authenticatorData);
    expect(again.fmt).toBe(made.fmt);
    // U2F signs the ID, the key and two hashes; none of them changed.
    const isSame = name === 'none' || name === 'fido-u2f';
    if (isSame) expect(bare({ ...again, authData: made.authData })).toEqual(bare(made));
    else expect(bare({ ...again, authData: made.authData })).not.toEqual(bare(made));
    const other = await attestAgain(made, { ...about, source, clientDataHash: otherHash });
    if (name !== 'none') expect(bare(other)).not.toEqual(bare(made));
  });
});

test('a format of another authenticator keeps its statement', async () => {
  const { made, source } = await registered('packed');
  const foreign = { ...made, fmt: 'foreign' };
  expect(nameAttestation(foreign)).toBeUndefined();
  const authenticatorData = changed(made.authData);
  expect(await attestAgain(foreign, { ...about, source, authenticatorData })).toEqual({ ...foreign, authData: authenticatorData });
});

test('data without a credential, and a credential that the format cannot describe, keep their statement', async () => {
  const { made, source } = await registered('fido-u2f');
  const nothing = new Uint8Array(5);
  const keptOf = (object: AttestationObject, authenticatorData: Uint8Array) =>
    attestAgain(object, { ...about, source, authenticatorData }).then(bare);
  expect(await keptOf({ ...made, authData: nothing }, nothing)).toEqual(bare({ ...made, authData: nothing }));
  const { made: edwards } = await registered('packed', -8);
  const asU2f = { ...edwards, fmt: 'fido-u2f' };
  expect(await keptOf(asU2f, asU2f.authData)).toEqual(bare(asU2f));
  // With data that cannot be read the statement is about the credential as it was made.
  expect(await keptOf(made, nothing)).toEqual({ ...bare(made), authData: nothing });
  await expect(readAttestationInput({ ...about, made: { authData: nothing }, source })).rejects.toThrow(
    new TypeError('Expected authenticator data with a credential and its public key; got none.'),
  );
});

test('other errors are thrown', async () => {
  const { made, source } = await registered('packed');
  const failing = () => {
    throw new RangeError('no key');
  };
  await expect(attestAgain(made, { ...about, source, openKey: failing })).rejects.toThrow(RangeError);
  const key = { ...(await openKey(signingAlgorithm(-7), source.privateKey)), sign: failing };
  await expect(attestAgain(made, { ...about, source, key })).rejects.toThrow(RangeError);
});

test('the input of a statement has all that the authenticator data say', async () => {
  const { made, source } = await registered('packed');
  const before = decodeAuthenticatorData(made.authData);
  const { sign, random, now, ...input } = await readAttestationInput({ made, clientDataHash, source });
  const { credentialId, credentialPublicKey } = before.attestedCredentialData ?? {};
  expect(input).toEqual({
    authenticatorData: made.authData,
    clientDataHash,
    algorithm: -7,
    credentialPublicKey: decodeCoseKey(credentialPublicKey ?? new Uint8Array()),
    credentialId,
    aaguid: AAGUID,
    flags: before.flags,
    rpId: RP_ID,
    rpIdHash: new Uint8Array(createHash('sha256').update(RP_ID).digest()),
    enterprise: false,
  });
  expect(before.flags).toMatchObject({ up: true, be: true, bs: false });
  expect(random(5)).toHaveLength(5);
  expect(now).toBe(Date.now);
  const signed = concatBytes(made.authData, clientDataHash);
  expect(await verifyRaw(credentialPublicKey ?? new Uint8Array(), await sign(signed), signed)).toBe(true);
  const given = await readAttestationInput({ ...about, made, source });
  expect(given.now()).toBe(NOW);
  const key = { ...(await openSigningKey(signingAlgorithm(-7), source.privateKey)), sign: () => Uint8Array.of(9) };
  expect(await (await readAttestationInput({ made, clientDataHash, source, key })).sign(signed)).toEqual(Uint8Array.of(9));
});

describe('a public key that cannot be read', () => {
  // The members that a key may have: kty, alg, crv, x, y or, for RSA, n and e, or, for ML-DSA, pub. A label 9 makes it unreadable.
  const unreadable = (key: Uint8Array, change: readonly (readonly [number, number | Uint8Array | string])[]) =>
    encodeCbor(new Map([...decodeCborMap(key).value, ...change, [9, 9]]));
  const input = async (alg: number, change: Parameters<typeof unreadable>[1]) => {
    const { made, source } = await registered('packed', alg);
    const authenticatorData = changed(made.authData, unreadable(keyOf(made.authData), change));
    const read = await readAttestationInput({ ...about, made, source, authenticatorData });
    return { read, before: decodeCoseKey(keyOf(made.authData)), authenticatorData };
  };
  const [x, y] = [new Uint8Array(3).fill(1), new Uint8Array(3).fill(2)];

  test.each([
    [
      'EC2',
      -7,
      [
        [3, -35],
        [-1, 2],
        [-2, x],
        [-3, y],
      ],
      { alg: -35, crv: 2, x, y },
    ],
    [
      'OKP',
      -8,
      [
        [3, -19],
        [-1, 7],
        [-2, x],
      ],
      { alg: -19, crv: 7, x },
    ],
    [
      'RSA',
      -257,
      [
        [3, -37],
        [-1, x],
        [-2, y],
      ],
      { alg: -37, n: x, e: y },
    ],
    [
      'AKP',
      -48,
      [
        [3, -49],
        [-1, x],
      ],
      { alg: -49, pub: x },
    ],
  ] as const)('%s: its members count, as far as they have the right type', async (_, alg, change, members) => {
    const { read, before, authenticatorData } = await input(alg, change);
    expect(read.credentialPublicKey).toEqual({ ...before, ...members });
    expect(read.authenticatorData).toEqual(authenticatorData);
    const wrong = await input(
      alg,
      change.map(([label]) => [label, 'text'] as const),
    );
    expect(wrong.read.credentialPublicKey).toEqual(wrong.before);
  });

  test('signs with the algorithm that it names, if its private key can', async () => {
    expect((await input(-7, [[3, -9]])).read.algorithm).toBe(-9);
    expect((await input(-7, [[3, -35]])).read.algorithm).toBe(-7);
    expect((await input(-7, [[3, -999]])).read.algorithm).toBe(-7);
    expect((await input(-257, [[3, -37]])).read.algorithm).toBe(-37);
    const { made, source } = await registered('packed');
    const failing = () => {
      throw new RangeError('no key');
    };
    const authenticatorData = changed(made.authData, encodeCoseKey({ ...decodeCoseKey(keyOf(made.authData)), alg: -9 }));
    await expect(readAttestationInput({ ...about, made, source, authenticatorData, openKey: failing })).rejects.toThrow(RangeError);
  });
});
