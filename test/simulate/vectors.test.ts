import { createHash, createPublicKey } from 'node:crypto';
import {
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { expect, test } from 'vitest';
import { STEPS } from '../../build/reference/steps.js';
import { SIGNING_ALGORITHMS, signingAlgorithm } from '../../src/authenticator/algorithms.js';
import { ATTESTATION_NAMES } from '../../src/authenticator/attestation/named-formats.js';
import { judgeFixture } from '../../src/explain/recording/judge-fixture.js';
import type { Fixture } from '../../src/fixture/format.js';
import { checkFixture } from '../../src/fixture/read.js';
import { serializeFixture } from '../../src/fixture/write.js';
import { remember } from '../../src/kernel/remember.js';
import { makeErrorVectors, makeFormatVectors, makeVectors } from '../../src/simulate/vectors.js';
import { findAlgorithm, KEY_TYPES } from '../../src/webauthn/algorithms.js';
import { decodeBase64url } from '../../src/webauthn/base64url.js';
import { decodeCoseKey, toJwk } from '../../src/webauthn/cose-key.js';
import { quick, share, thorough } from '../thorough.js';

const tool = { tool: 'test', version: '0' };
const vectorsOf = remember((algorithm: Parameters<typeof makeVectors>[0]) => makeVectors(algorithm, tool));

/** The verdict of SimpleWebAuthn, which throws for most of what it refuses. */
async function askLibrary({ kind, rpId, origin, ceremony, credential, response }: Fixture): Promise<boolean> {
  const expected = { expectedChallenge: ceremony.challenge, expectedOrigin: origin, expectedRPID: rpId, requireUserVerification: false };
  if (kind === 'registration') {
    const { algorithms } = ceremony.policy;
    const sent = response as Fixture['response'] & RegistrationResponseJSON;
    return (await verifyRegistrationResponse({ ...expected, response: sent, supportedAlgorithmIDs: algorithms })).verified;
  }
  const { id = '', publicKey = '', signCount: counter = 0 } = credential ?? {};
  const stored = { id, publicKey: new Uint8Array(decodeBase64url(publicKey)), counter };
  const sent = response as Fixture['response'] & AuthenticationResponseJSON;
  return (await verifyAuthenticationResponse({ ...expected, response: sent, credential: stored })).verified;
}

const LIBRARY = Number(process.versions.node.split('.')[0]) >= 24 ? ['always', 'node-24'] : ['always'];

// One of each kind of key, ML-DSA among them; the release suite has the others.
test.each(share(SIGNING_ALGORITHMS, 5))(
  'the vectors of $name are judged as they say, by us and where it can by the library',
  async (algorithm) => {
    const vectors = await vectorsOf(algorithm);
    const good = vectors.filter(({ expected }) => expected.outcome === 'verified');
    expect(good.map(({ name }) => name)).toEqual(['register', 'login'].map((kind) => `${algorithm.name.toLowerCase()}-${kind}`));
    expect(vectors.length).toBeGreaterThan(30);
    for (const vector of vectors) {
      const { expected } = checkFixture({ ...vector }, { source: vector.name, text: () => '' });
      expect(await judgeFixture(vector), vector.name).toMatchObject({ outcome: expected });
    }
    if (LIBRARY.includes(findAlgorithm(algorithm.id)?.library ?? '')) {
      for (const vector of good) expect(await askLibrary(vector), vector.name).toBe(true);
      for (const vector of vectors.filter(({ name }) => /login\.signature-(?:bit|empty|cut|by-other-key|over-nothing)$/.test(name))) {
        expect(await askLibrary(vector).catch(() => false), vector.name).toBe(false);
      }
    }
  },
);

thorough.each(SIGNING_ALGORITHMS)('the public key of $name is the same in every form', async (algorithm) => {
  const [{ publicKey, credential }] = (await vectorsOf(algorithm)) as [Fixture];
  expect(publicKey?.cose).toBe(credential?.publicKey);
  const [cose, spki, raw] = [publicKey?.cose, publicKey?.spki, publicKey?.raw].map((text) =>
    text === undefined ? undefined : decodeBase64url(text),
  );
  const key = decodeCoseKey(cose ?? new Uint8Array());
  expect(raw === undefined).toBe(key.kty === KEY_TYPES.RSA);
  const hex = (bytes?: Uint8Array) => Buffer.from(bytes ?? []).toString('hex');
  expect(hex(spki).endsWith(hex(raw))).toBe(true);
  if (key.kty === KEY_TYPES.AKP) return;
  expect(createPublicKey({ key: Buffer.from(spki ?? []), format: 'der', type: 'spki' }).export({ format: 'jwk' })).toMatchObject(
    toJwk(key),
  );
});

quick('there is a good vector of every attestation format, and one that was changed after it was attested', async () => {
  const vectors = await makeFormatVectors(tool);
  const outcomes = vectors.map(({ tags, expected }) => [tags?.[1], expected.outcome === 'rejected' ? expected.code : 'verified']);
  expect(outcomes).toEqual(
    ATTESTATION_NAMES.flatMap((name) => [[name, 'verified'], ...(name === 'none' ? [] : [[name, 'attestation_malformed']])]),
  );
  for (const vector of vectors) {
    const roots = vector.tags?.[1] === 'none' ? 0 : 1;
    expect([vector.name, vector.ceremony.policy.attestationRoots.length]).toEqual([vector.name, roots]);
    checkFixture({ ...vector }, { source: vector.name, text: () => '' });
    expect(await judgeFixture(vector), vector.name).toMatchObject({ outcome: vector.expected });
  }
});

quick('there is a vector for each error code that refuses a ceremony', async () => {
  const vectors = await makeErrorVectors(tool);
  const codes = vectors.flatMap(({ expected }) => (expected.outcome === 'rejected' ? expected.code : []));
  const refusing = Object.values(STEPS).flatMap(({ codes: refusals = [] }) => refusals);
  expect(new Set(codes)).toEqual(new Set([...refusing, 'validation_failed']));
  for (const vector of vectors) {
    checkFixture({ ...vector }, { source: vector.name, text: () => '' });
    expect(await judgeFixture(vector), vector.name).toMatchObject({ outcome: vector.expected });
  }
  const controls = vectors.filter(({ expected }) => expected.outcome === 'verified');
  for (const vector of controls) expect(await askLibrary(vector), vector.name).toBe(true);
});

thorough('format and error vectors are the same bytes in every run', async () => {
  const make = async () => [...(await makeFormatVectors(tool)), ...(await makeErrorVectors(tool))].map(serializeFixture);
  const [first, second] = [await make(), await make()];
  expect(second).toEqual(first);
});

quick('every run, platform and version of Node makes the same bytes', async () => {
  const [first, second] = [await vectorsOf(signingAlgorithm(-48)), await makeVectors(signingAlgorithm(-48), tool)];
  expect(second).toEqual(first);
  const texts = first.filter(({ name }) => /login(?:\.signature-by-other-key)?$/.test(name)).map(serializeFixture);
  expect(createHash('sha256').update(texts.join('')).digest('base64url')).toBe('YHp-hIpK9r-wwxT_6UxQsQVJPoAkYK_POzQWLxFh40c');
});
