import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import { concatBytes } from '../../src/kernel/bytes.js';
import type { Policy } from '../../src/relying-party/policy.js';
import { encodeBase64url } from '../../src/webauthn/base64url.js';
import type { CborMap } from '../../src/webauthn/cbor.js';
import { AAGUID, es256Key, registrationResponse } from './ceremony.js';
import { type CertificateFields, makeCertificate, toPem } from './certificate.js';
import { libraryRegistration } from './library.js';
import { createWorld } from './world.js';

const YEAR = 365 * 86_400_000;
// The library reads the clock of the machine when it looks at the dates of a certificate, so these are about now.
const NOW = Date.now();
const named = (CN: string, OU = 'Authenticator Attestation') => ({ C: 'SE', O: 'Test', OU, CN });

function authority(CN: string, signer?: { key: CertificateFields['privateKey']; CN: string }, change: Partial<CertificateFields> = {}) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const certificate = makeCertificate({
    subject: named(CN, 'CA'),
    issuer: named(signer?.CN ?? CN, 'CA'),
    publicKey,
    privateKey: signer?.key ?? privateKey,
    ca: true,
    from: NOW - YEAR,
    to: NOW + YEAR,
    serial: 1,
    ...change,
  });
  return { CN, key: privateKey, certificate, pem: toPem(certificate) };
}

function leaf(signer: { key: CertificateFields['privateKey']; CN: string }, change: Partial<CertificateFields> = {}) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const certificate = makeCertificate({
    subject: named('Authenticator'),
    issuer: named(signer.CN, 'CA'),
    publicKey,
    privateKey: signer.key,
    ca: false,
    from: NOW - YEAR,
    to: NOW + YEAR,
    serial: 2,
    aaguid: AAGUID,
    ...change,
  });
  return { key: privateKey, certificate, pem: toPem(certificate) };
}

const root = authority('Root');
const otherRoot = authority('Other root');
const impostor = authority('Root');
const intermediate = authority('Intermediate', root);
const notCa = authority('Not a CA', root, { ca: false });
const expired = authority('Expired', root, { from: NOW - 2 * YEAR, to: NOW - YEAR });
const direct = leaf(root);
const below = leaf(intermediate);
const belowNotCa = leaf(notCa);
const belowExpired = leaf(expired);
const belowImpostor = leaf(impostor);

type Statement = (authData: Uint8Array, clientDataHash: Uint8Array) => CborMap;

function packed({ key }: { key: CertificateFields['privateKey'] }, x5c?: readonly Uint8Array[]): Statement {
  return (authData, clientDataHash) => {
    const statement: CborMap = new Map();
    statement.set('alg', -7).set('sig', sign('sha256', concatBytes(authData, clientDataHash), key));
    return x5c ? statement.set('x5c', [...x5c]) : statement;
  };
}

const credentialKey = es256Key();
const registerBy = (policy: Partial<Policy>, attStmt: Statement | undefined, fmt = 'packed') => {
  const world = createWorld({ policy, key: credentialKey });
  world.clock.now = NOW;
  return world.register(attStmt ? { fmt, attStmt } : {});
};
const register = (attestationRoots: readonly string[], attStmt: Statement | undefined, fmt?: string) =>
  registerBy({ attestationRoots }, attStmt, fmt);

const self = packed({ key: credentialKey.privateKey });

describe('without roots', () => {
  test.each([
    ['no attestation', undefined, { format: 'none', trust: 'none' }],
    ['self attestation', self, { format: 'packed', trust: 'untrusted' }],
    ['a certificate', packed(direct, [direct.certificate]), { format: 'packed', trust: 'untrusted' }],
  ])('%s is recorded', async (_, statement, attestation) => {
    expect((await register([], statement)).attestation).toEqual(attestation);
  });

  test.each([
    ['packed', 'by another key', packed(es256KeyHolder())],
    ['packed', 'without members', () => new Map()],
    ['fido-u2f', 'without members', () => new Map()],
    ['tpm', 'without members', () => new Map()],
    ['android-key', 'without members', () => new Map()],
    ['android-safetynet', 'without members', () => new Map()],
    ['apple', 'without members', () => new Map()],
  ] as const)('a %s statement %s does not verify', async (fmt, _, statement) => {
    await expect(register([], statement, fmt)).rejects.toMatchObject({
      code: 'attestation_malformed',
      step: { section: '7.1', number: 22, slug: 'attestation-statement' },
    });
  });
});

function es256KeyHolder() {
  return { key: es256Key().privateKey };
}

describe('self attestation', () => {
  test.each([
    ['with roots', { attestationRoots: [root.pem] }],
    ['without', {}],
  ])('is accepted by default, and recorded as vouched for by nobody: %s', async (_, policy) => {
    expect((await registerBy(policy, self)).attestation).toEqual({ format: 'packed', trust: 'untrusted' });
  });

  test.each([
    ['with roots', { attestationRoots: [root.pem] }],
    ['without', {}],
  ])('is refused by a policy that says so: %s', async (_, policy) => {
    await expect(registerBy({ ...policy, selfAttestation: 'refuse' }, self)).rejects.toMatchObject({
      code: 'attestation_untrusted',
      step: { number: 24, slug: 'attestation-trust', expected: expect.stringContaining('which the policy refuses') },
    });
    await expect(registerBy({ selfAttestation: 'refuse' }, packed(direct, [direct.certificate]))).resolves.toMatchObject({ id: 1 });
  });

  test('that is forged is refused, whatever the policy', async () => {
    await expect(registerBy({ attestationRoots: [root.pem] }, packed({ key: es256Key().privateKey }))).rejects.toMatchObject({
      code: 'attestation_malformed',
    });
  });
});

describe('with roots', () => {
  test.each<[string, readonly string[], Statement | undefined]>([
    ['a certificate of the root', [root.pem], packed(direct, [direct.certificate])],
    ['a certificate of one of several roots', [otherRoot.pem, root.pem], packed(direct, [direct.certificate])],
    ['a chain', [root.pem], packed(below, [below.certificate, intermediate.certificate])],
    ['a chain that brings its root', [root.pem], packed(below, [below.certificate, intermediate.certificate, root.certificate])],
    ['a chain to an intermediate that is the anchor', [intermediate.pem], packed(below, [below.certificate])],
    ['a certificate that is the anchor itself', [direct.pem], packed(direct, [direct.certificate])],
  ])('%s is trusted', async (_, roots, statement) => {
    expect((await register(roots, statement)).attestation).toEqual({ format: 'packed', trust: 'trusted' });
  });

  test.each<[string, readonly string[], Statement | undefined]>([
    ['no attestation', [root.pem], undefined],
    ['a certificate of another root', [otherRoot.pem], packed(direct, [direct.certificate])],
    ['a certificate of a namesake of the root', [root.pem], packed(belowImpostor, [belowImpostor.certificate, impostor.certificate])],
    ['a chain with a link missing', [root.pem], packed(below, [below.certificate])],
    ['a chain through one that is no CA', [root.pem], packed(belowNotCa, [belowNotCa.certificate, notCa.certificate])],
    ['a chain through an expired CA', [root.pem], packed(belowExpired, [belowExpired.certificate, expired.certificate])],
  ])('%s is refused', async (_, roots, statement) => {
    await expect(register(roots, statement)).rejects.toMatchObject({
      code: 'attestation_untrusted',
      step: { section: '7.1', number: 24, slug: 'attestation-trust' },
    });
  });

  test('a root counts while it is valid by the clock of the relying party', async () => {
    const world = createWorld({ policy: { attestationRoots: [root.pem] }, key: credentialKey });
    world.clock.now = NOW + 2 * YEAR;
    await expect(world.register({ fmt: 'packed', attStmt: packed(direct, [direct.certificate]) })).rejects.toMatchObject({
      code: 'attestation_untrusted',
    });
  });
});

describe('roots', () => {
  test('may stand several in one text', async () => {
    const { attestation } = await register([`Some words\n${otherRoot.pem}\n${root.pem}`], packed(direct, [direct.certificate]));
    expect(attestation.trust).toBe('trusted');
  });

  test.each([
    ['no certificate', 'nothing of the kind'],
    ['no PEM', toPem(root.certificate).replaceAll('-', '')],
    ['a broken one', toPem(root.certificate.subarray(0, 100))],
  ])('that are %s are refused before anything else', (_, pem) => {
    expect(() => createWorld({ policy: { attestationRoots: [root.pem, pem] } })).toThrow(
      expect.objectContaining({ code: 'configuration_invalid', message: expect.stringContaining('Attestation root 2') }),
    );
  });
});

describe('a chain made to keep its reader busy', () => {
  // Namesakes with one key: each has issued each.
  const ring = Array.from({ length: 40 }, (_, serial) =>
    authority('Root', { key: impostor.key, CN: 'Root' }, { ...keysOf(impostor.key), serial }),
  );
  const certificates = ring.map(({ certificate }) => certificate);

  // Trying every order of nine would outlast any patience; more than sixteen are not read.
  test.each([
    [9, 'attestation_untrusted'],
    [40, 'attestation_malformed'],
  ])('of %i certificates is refused without delay', async (length, code) => {
    const statement = packed(belowImpostor, [belowImpostor.certificate, ...certificates.slice(0, length)]);
    await expect(register([root.pem], statement)).rejects.toMatchObject({ code });
  });
});

function keysOf(privateKey: CertificateFields['privateKey']) {
  return { publicKey: createPublicKey(privateKey) };
}

describe('a certificate that names a revocation list', () => {
  test('makes the library call there, and the relying party not', async () => {
    const asked: (string | undefined)[] = [];
    const server = createServer(({ url }, response) => {
      asked.push(url);
      response.end('there');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    const androidKey: Statement = (authData, clientDataHash) => {
      const { privateKey } = credentialKey;
      const publicKey = createPublicKey(privateKey);
      const { certificate } = leaf(root, { publicKey, crl: `${base}/crl`, androidChallenge: clientDataHash });
      return packed({ key: privateKey }, [certificate, root.certificate])(authData, clientDataHash);
    };
    try {
      expect((await register([root.pem], androidKey, 'android-key')).attestation).toEqual({ format: 'android-key', trust: 'trusted' });
      expect(asked).toEqual([]);
      // Fetches of others pass through, and so does what the library does by itself.
      await (await fetch(`${base}/other`)).text();
      const challenge = encodeBase64url(new Uint8Array(32));
      const response = registrationResponse({ key: credentialKey, challenge, fmt: 'android-key', attStmt: androidKey });
      await expect(libraryRegistration(response, challenge)).resolves.toMatchObject({ verified: true });
      expect(asked).toEqual(['/other', '/crl']);
    } finally {
      server.close();
    }
  });
});
