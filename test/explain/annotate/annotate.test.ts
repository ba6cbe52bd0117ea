import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { concatBytes, toHex } from '../../../src/kernel/bytes.js';
import { encodeAttestationObject } from '../../../src/webauthn/attestation-object.js';
import { encodeAuthenticatorData } from '../../../src/webauthn/authenticator-data.js';
import { encodeBase64url } from '../../../src/webauthn/base64url.js';
import { encodeCbor } from '../../../src/webauthn/cbor.js';
import { AAGUID } from '../../relying-party/ceremony.js';
import { makeCertificate, toPem } from '../../relying-party/certificate.js';
import { sha256 } from '../../webauthn/w3c-vectors.js';
import { all, BINARY, find, JSON_SAMPLES, text, treeOf, vector } from './samples.js';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const name = { C: 'SE', O: 'Test', OU: 'Authenticator Attestation', CN: 'Key' };
const certificate = makeCertificate({
  subject: name,
  issuer: { ...name, CN: 'Root' },
  publicKey,
  privateKey,
  ca: false,
  from: Date.UTC(2026, 0, 1),
  to: Date.UTC(2036, 0, 1),
  serial: 7,
  aaguid: AAGUID,
  androidChallenge: sha256(text('client data')),
});

const authData = encodeAuthenticatorData({
  rpIdHash: sha256(text('example.org')),
  flags: { up: true, uv: true, be: false, bs: false, byte: 0x02 },
  signCount: 258,
  attestedCredentialData: { aaguid: AAGUID, credentialId: vector.credentialId, credentialPublicKey: vector.credentialPublicKey },
  extensions: new Map([['credProtect', 2]]),
});
const packed = encodeAttestationObject({
  fmt: 'packed',
  attStmt: new Map<string, number | Uint8Array | Uint8Array[]>([
    ['alg', -7],
    ['sig', sign('sha256', authData, privateKey)],
    ['x5c', [certificate]],
  ]),
  authData,
});

describe('an attestation object', () => {
  const tree = treeOf(packed, { rpIds: new Map([[toHex(sha256(text('example.org'))), 'example.org']]) });

  test('says where every byte string stands', () => {
    const shown = all(tree).filter(
      ({ value, offset, length }) => offset !== undefined && length !== undefined && /^[0-9a-f]{16,}…?$/.test(value ?? ''),
    );
    expect(shown.length).toBeGreaterThanOrEqual(8);
    for (const { value = '', offset = 0, length = 0 } of shown) {
      expect(toHex(packed.subarray(offset, offset + length))).toContain(value.replace('…', ''));
    }
  });

  test('has children inside their parents', () => {
    for (const { offset = 0, length = 0, children = [] } of all(tree).filter((node) => node.length !== undefined)) {
      for (const child of children.filter((node) => node.offset !== undefined)) {
        expect(child.offset).toBeGreaterThanOrEqual(offset);
        expect((child.offset ?? 0) + (child.length ?? 0)).toBeLessThanOrEqual(offset + length);
      }
    }
  });

  test.each<[readonly string[], object]>([
    [['fmt'], { value: '"packed"', note: expect.stringContaining('§8.2') }],
    [['attStmt', 'alg'], { value: '-7', note: 'ES256' }],
    [['attStmt', 'sig', 'r'], { length: expect.any(Number) }],
    [['attStmt', 'x5c', 'x5c[0]'], { value: 'C=SE, O=Test, OU=Authenticator Attestation, CN=Key' }],
    [['attStmt', 'x5c', 'x5c[0]', 'notAfter'], { value: '2036-01-01T00:00:00Z' }],
    [['attStmt', 'x5c', 'x5c[0]', 'publicKey'], { value: 'EC P-256' }],
    [['attStmt', 'x5c', 'x5c[0]', 'extensions', 'basic constraints'], { value: 'not a CA' }],
    [
      ['attStmt', 'x5c', 'x5c[0]', 'extensions', 'FIDO AAGUID (id-fido-gen-ce-aaguid)'],
      { value: 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd', note: 'iCloud Keychain' },
    ],
    [['attStmt', 'x5c', 'x5c[0]', 'extensions', 'Android key description', 'teeEnforced'], { value: 'purpose sign, origin generated' }],
    [['authData', 'rpIdHash'], { note: 'SHA-256 of "example.org"' }],
    [['authData', 'flags'], { value: '0xc7', note: 'UP UV AT ED' }],
    [['authData', 'flags', 'UV'], { value: '1' }],
    [['authData', 'flags', 'RFU1'], { value: '1', note: expect.stringContaining('reserved') }],
    [['authData', 'signCount'], { value: '258' }],
    [['authData', 'aaguid'], { value: 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd', note: 'iCloud Keychain' }],
    [['authData', 'credentialPublicKey'], { value: 'ES256', note: 'EC2, P-256' }],
    [['authData', 'credentialPublicKey', 'crv (-1)'], { value: '1', note: 'P-256' }],
    [['authData', 'extensions', 'credProtect'], { value: '2' }],
  ])('%j', (path, expected) => expect(find(tree, ...path)).toMatchObject(expected));

  test('takes other names by AAGUID', () => {
    expect(find(treeOf(packed, { aaguidName: () => 'Mine' }), 'authData', 'aaguid')).toMatchObject({ note: 'Mine' });
  });

  test('shows the statements of a compound one', () => {
    const part = { fmt: 'packed', attStmt: new Map([['alg', -7]]) };
    const compound = encodeAttestationObject({ fmt: 'compound', attStmt: new Map(), authData, statements: [part, part] });
    expect(find(treeOf(compound), 'attStmt', '[1]', 'attStmt', 'alg')).toMatchObject({ note: 'ES256' });
  });

  test('shows the certificates and the payload of a SafetyNet answer', () => {
    const jws = `${encodeBase64url(text({ alg: 'RS256', x5c: [encodeBase64url(certificate)] }))}.${encodeBase64url(text({ ctsProfileMatch: true }))}.AA`;
    const object = encodeAttestationObject({ fmt: 'android-safetynet', attStmt: new Map([['response', text(jws)]]), authData });
    const tree2 = treeOf(object);
    expect(find(tree2, 'attStmt', 'response', 'header', 'x5c[0]', 'version')).toMatchObject({ value: '3' });
    expect(find(tree2, 'attStmt', 'response', 'payload', 'ctsProfileMatch')).toMatchObject({ value: 'true' });
  });

  test('says in its place what cannot be read', () => {
    const broken = encodeAttestationObject({
      fmt: 'packed',
      attStmt: new Map([['x5c', [Uint8Array.of(0x30, 1)]]]),
      authData: authData.subarray(0, 60),
    });
    const tree2 = treeOf(broken);
    expect(find(tree2, 'attStmt', 'x5c', 'x5c[0]')?.error).toMatch(/byte/);
    expect(find(tree2, 'authData')?.error).toMatch(/byte 60/);
  });
});

describe('a COSE key', () => {
  test('that nobody can use is shown all the same', () => {
    const tree = treeOf(
      encodeCbor(
        new Map<number, number | Uint8Array>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, new Uint8Array(31)],
          [-3, new Uint8Array(32)],
        ]),
      ),
    );
    expect(tree.error).toMatch(/"x" \(label -2\) to be 32 bytes, got 31/);
    expect(find(tree, 'x (-2)')).toMatchObject({ note: '31 bytes' });
  });

  test('of RSA tells its size and exponent', () => {
    const key = encodeCbor(
      new Map<number, number | Uint8Array>([
        [1, 3],
        [3, -257],
        [-1, new Uint8Array(256).fill(255)],
        [-2, Uint8Array.of(1, 0, 1)],
      ]),
    );
    expect(treeOf(key)).toMatchObject({ value: 'RS256', note: 'RSA, 2048 bits' });
    expect(find(treeOf(key), 'e (-2)')).toMatchObject({ note: '65537' });
  });
});

describe('client data', () => {
  const bytes = text(
    '{"type":"webauthn.get","challenge":"AAAA","origin":"https://a.example","crossOrigin":true,"topOrigin":"https://b.example","x":1}',
  );
  test.each<[string, object]>([
    ['type', { offset: 8, length: 14, note: 'an authentication' }],
    ['challenge', { note: 'base64url, 3 bytes' }],
    ['crossOrigin', { value: 'true', note: expect.stringContaining('iframe') }],
    ['x', { note: expect.stringContaining('ignore') }],
  ])('%s', (label, expected) => expect(find(treeOf(bytes), label)).toMatchObject(expected));
});

describe('JSON', () => {
  test('of a registration', () => {
    const tree = treeOf(text(JSON_SAMPLES.registration));
    expect(find(tree, 'id')).toMatchObject({ note: 'base64url, 32 bytes' });
    expect(find(tree, 'response', 'attestationObject', 'authData', 'flags')?.offset).toBe(62);
  });

  test('of an authentication', () => {
    const tree = treeOf(text(JSON_SAMPLES.authentication));
    expect(find(tree, 'response', 'userHandle')).toMatchObject({ note: 'base64url; 3 bytes: "ada"' });
    expect(find(tree, 'response', 'signature')).toMatchObject({ note: expect.stringContaining('ECDSA in DER') });
  });

  test('with a member that is not encoded tells the position', () => {
    const { response, ...rest } = JSON_SAMPLES.authentication;
    const tree = treeOf(text({ ...rest, response: { ...response, signature: 'MEU*' } }));
    expect(find(tree, 'response', 'signature')?.error).toContain('position 3');
  });

  test('nested deep is cut', () => {
    const deep = `{"type":"public-key","id":"AAAA","clientExtensionResults":${'['.repeat(150)}${']'.repeat(150)},"response":{"clientDataJSON":"","signature":""}}`;
    expect(all(treeOf(text(deep))).some(({ note }) => note === 'more levels, not shown')).toBe(true);
  });

  test.each<[string, object, string[]]>([
    ['a registration', { response: { attestationObject: 'o2NmbXQ' } }, ['response.clientDataJSON']],
    ['an authentication', { response: { authenticatorData: 'AA', signature: 'AA' } }, ['response.clientDataJSON']],
    ['another', { response: { clientDataJSON: 'e30', authenticatorData: 'AA' } }, ['response.signature']],
  ])('of %s says which member is missing', (_, json, labels) => {
    const missing = all(treeOf(text(json))).filter(({ error }) => error?.startsWith('Missing;'));
    expect(missing.map(({ label }) => label)).toEqual(labels);
  });

  test('of options', () => {
    const tree = treeOf(text(JSON_SAMPLES['creation-options']));
    expect(find(tree, 'pubKeyCredParams', '[0]')).toMatchObject({ note: 'ES256' });
    expect(find(tree, 'timeout')).toMatchObject({ note: '300 seconds' });
  });
});

describe('certificates', () => {
  test('in PEM, one', () => expect(find(treeOf(text(toPem(certificate))), 'serialNumber')).toMatchObject({ value: '07' }));
  test('in PEM, two', () => expect(treeOf(text(toPem(certificate) + toPem(certificate))).children).toHaveLength(2));
  test('in DER', () => expect(find(treeOf(certificate), 'issuer')).toMatchObject({ value: expect.stringContaining('CN=Root') }));
});

test.each<[string, [number, number | Uint8Array][], string]>([
  [
    'EC2',
    [
      [1, 2],
      [3, -7],
      [-1, 1],
      [-4, new Uint8Array(32).fill(0xab)],
    ],
    'd (private!) (-4)',
  ],
  [
    'RSA',
    [
      [1, 3],
      [3, -257],
      [-1, new Uint8Array(256)],
      [-5, new Uint8Array(128).fill(0xab)],
    ],
    'q (private!) (-5)',
  ],
  [
    'ML-DSA',
    [
      [1, 7],
      [3, -48],
      [-2, new Uint8Array(32).fill(0xab)],
    ],
    'priv (private!) (-2)',
  ],
])('a private member of a COSE key is not shown: %s', (_, members, label) => {
  const tree = treeOf(encodeCbor(new Map(members)));
  expect(find(tree, label)).toMatchObject({ value: 'not shown' });
  expect(JSON.stringify(tree)).not.toContain('abab');
});

test('a whole sample of every kind is read to the last byte', () => {
  for (const bytes of Object.values(BINARY)) {
    expect(all(treeOf(bytes)).filter(({ error }) => error !== undefined)).toEqual([]);
  }
  expect(concatBytes(...Object.values(BINARY)).length).toBeGreaterThan(0);
});
