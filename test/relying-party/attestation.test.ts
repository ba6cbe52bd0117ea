import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import { concatBytes } from '../../src/kernel/bytes.js';
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
const direct = leaf(root);
const below = leaf(intermediate);
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
const register = (attestationRoots: readonly string[], attStmt: Statement | undefined, fmt = 'packed') => {
  const world = createWorld({ policy: { attestationRoots }, key: credentialKey });
  world.clock.now = NOW;
  return world.register(attStmt ? { fmt, attStmt } : {});
};

const self = packed({ key: credentialKey.privateKey });

describe('without roots', () => {
  test.each([
    ['no attestation', undefined, { format: 'none', trust: 'none' }],
    ['self attestation', self, { format: 'packed', trust: 'untrusted' }],
    ['a certificate', packed(direct, [direct.certificate]), { format: 'packed', trust: 'untrusted' }],
  ])('%s is recorded', async (_, statement, attestation) => {
    expect((await register([], statement)).attestation).toEqual(attestation);
  });
});

test('with roots, self attestation is accepted by default, and recorded as vouched for by nobody', async () => {
  expect((await register([root.pem], self)).attestation).toEqual({ format: 'packed', trust: 'untrusted' });
});

describe('with roots', () => {
  test('a chain to one of them is trusted', async () => {
    const chain = packed(below, [below.certificate, intermediate.certificate]);
    expect((await register([otherRoot.pem, root.pem], chain)).attestation).toEqual({ format: 'packed', trust: 'trusted' });
  });

  test('a root counts while it is valid by the clock of the relying party', async () => {
    const world = createWorld({ policy: { attestationRoots: [root.pem] }, key: credentialKey });
    world.clock.now = NOW + 2 * YEAR;
    await expect(world.register({ fmt: 'packed', attStmt: packed(direct, [direct.certificate]) })).rejects.toMatchObject({
      code: 'attestation_untrusted',
    });
  });
});

test('roots that cannot be read are refused before anything else', () => {
  expect(() => createWorld({ policy: { attestationRoots: [root.pem, 'nothing of the kind'] } })).toThrow(
    expect.objectContaining({ code: 'configuration_invalid', message: expect.stringContaining('Attestation root 2') }),
  );
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
