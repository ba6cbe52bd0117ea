import { describe, expect, test } from 'vitest';
import { PasskeyError } from '../../../src/errors.js';
import { encodeUtf8 } from '../../../src/kernel/bytes.js';
import { isValidAt } from '../../../src/relying-party/attestation/chain.js';
import { readAttestationRoots, readRoots } from '../../../src/relying-party/attestation/roots.js';
import { assessTrust } from '../../../src/relying-party/attestation/trust.js';
import { encodeBase64 } from '../../../src/webauthn/base64url.js';
import { type Certificate, decodeCertificate } from '../../../src/webauthn/certificate.js';
import { printableString, utf8String } from '../../../src/webauthn/der-writer.js';
import { EXTENSIONS, ecKeyPair, OID } from '../../webauthn/certificate-writer.js';
import { AT, CA, CA_NAME, caCertificate, caKey, leafCertificate, ROOT, rootCertificate, YEAR } from './authority.js';

const leafKey = ecKeyPair();
const subject = [[OID.cn, utf8String('Key')]] as const;
const leafDer = leafCertificate({ subject, publicKey: leafKey.publicKey, extensions: [EXTENSIONS.basicConstraints(false)] });
const leaf = decodeCertificate(leafDer);
const read = (...ders: readonly Uint8Array[]): Certificate[] => ders.map(decodeCertificate);
const notCa = [EXTENSIONS.basicConstraints(false)];
const stranger = decodeCertificate(rootCertificate({ publicKey: leafKey.publicKey, signingKey: leafKey.privateKey }));

const TRUSTED: readonly [string, readonly Certificate[], readonly Certificate[], number][] = [
  ['the root issued the intermediate', [leaf, CA], [ROOT], 3],
  ['the root stands in x5c', [leaf, CA, ROOT], [ROOT], 3],
  ['the root stands in x5c, another form of it is configured', [leaf, CA, ROOT], read(rootCertificate({ notAfter: AT + 9 * YEAR })), 3],
  ['x5c has the attestation certificate only, its issuer is configured', [leaf], [CA], 2],
  ['the intermediate of x5c is configured', [leaf, CA], [CA], 2],
  ['the attestation certificate itself is configured', [leaf, CA], [leaf], 1],
  ['the attestation certificate itself, of a chain that is broken', [leaf, ROOT], [leaf], 1],
  ['one of several roots', [leaf, CA], [stranger, ROOT], 3],
  ['a root of version 1', [leaf, CA], read(rootCertificate({ version: 1, extensions: [] })), 3],
  ['what follows the root in x5c does not matter', [leaf, CA, ROOT, stranger], [ROOT], 3],
  [
    'an expired copy of the root in x5c, a current one configured',
    [leaf, CA, ...read(rootCertificate({ notAfter: AT - 1000 }))],
    [ROOT],
    3,
  ],
  [
    'names in other string types and case',
    read(leafCertificate({ subject, publicKey: leafKey.publicKey, extensions: notCa, issuer: [[OID.cn, printableString('TEST  ca 1')]] })),
    [CA],
    2,
  ],
];

const UNTRUSTED: readonly [string, readonly Certificate[], readonly Certificate[], number?][] = [
  ['another root of the same name', [leaf, CA], [stranger]],
  ['the issuer is missing', [leaf], [ROOT]],
  ['the root expired', [leaf, CA], read(rootCertificate({ notAfter: AT - 1000 }))],
  [
    'the root stands in x5c and expired',
    [leaf, CA, ...read(rootCertificate({ notAfter: AT - 1000 }))],
    read(rootCertificate({ notAfter: AT - 1000 })),
  ],
  ['the intermediate expired', [leaf, ...read(caCertificate({ notAfter: AT - 1000 }))], [ROOT]],
  ['the attestation certificate expired', [leaf, CA], [ROOT], AT + 2 * YEAR],
  ['the intermediate is no CA', [leaf, ...read(caCertificate({ extensions: notCa }))], [ROOT]],
  ['the root is no CA', [leaf, CA], read(rootCertificate({ extensions: notCa }))],
  ['the root allows no intermediate', [leaf, CA], read(rootCertificate({ extensions: [EXTENSIONS.basicConstraints(true, 0)] }))],
  [
    'the attestation certificate was not signed by its issuer',
    read(leafCertificate({ subject, publicKey: leafKey.publicKey, extensions: notCa, signingKey: leafKey.privateKey }), caCertificate()),
    [ROOT],
  ],
  ['the root stands in x5c, but issued nothing there', [leaf, ROOT], [ROOT]],
];

describe('assessTrust', () => {
  test.each(TRUSTED)('trusts: %s', (_, path, roots, length) => {
    const finding = assessTrust(path, roots, AT);
    expect(finding).toMatchObject({ status: 'trusted', check: { slug: 'trust-anchor', status: 'pass' } });
    expect(finding.path).toHaveLength(length);
    expect(roots).toContain(finding.anchor);
  });

  test.each(UNTRUSTED)('does not trust: %s', (_, path, roots, at = AT) => {
    const finding = assessTrust(path, roots, at);
    expect(finding).toMatchObject({ status: 'untrusted', check: { slug: 'trust-anchor', status: 'fail' } });
    expect(finding.check.hint).toMatch(/roots/);
    expect(finding.anchor).toBeUndefined();
  });

  test.each([
    ['that expired', rootCertificate({ notAfter: AT - 1000 }), /^the root CN=Test root, which was not valid at 2026-01-15/],
    ['that is no CA', rootCertificate({ extensions: notCa }), /^the root CN=Test root, which is not a CA/],
  ])('names the matching root %s', (_, root, received) => {
    expect(assessTrust([leaf, CA], read(root), AT).check.received).toMatch(received);
  });

  test('says so when there is nothing to assess', () => {
    expect(assessTrust([], [ROOT], AT)).toMatchObject({ status: 'none', check: { status: 'skip' } });
    expect(assessTrust([leaf], [], AT)).toMatchObject({ status: 'not-assessed', check: { status: 'skip' } });
  });

  test('follows a path of any length', () => {
    const middle = [[OID.cn, utf8String('Middle')]] as const;
    const deep = read(
      leafCertificate({ subject, publicKey: leafKey.publicKey, extensions: notCa, issuer: middle }),
      leafCertificate({ subject: middle, publicKey: caKey.publicKey, extensions: [EXTENSIONS.basicConstraints(true)], issuer: CA_NAME }),
      caCertificate(),
    );
    expect(assessTrust(deep, [ROOT], AT).path).toHaveLength(4);
  });
});

const pem = (der: Uint8Array) => `-----BEGIN CERTIFICATE-----\n${encodeBase64(der).replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;

describe('readRoots', () => {
  const [root, ca] = [rootCertificate(), caCertificate()];

  test.each([
    ['DER', [root], 1],
    ['PEM as text', [pem(root)], 1],
    ['PEM as bytes', [encodeUtf8(pem(root))], 1],
    ['several in one PEM, with text around them', [`Roots of 2026\r\n${pem(root).replaceAll('\n', '\r\n')}# CA\r\n${pem(ca)}`], 2],
    ['DER and PEM', [root, pem(ca)], 2],
    ['none', [], 0],
  ])('reads %s', (_, sources, count) => {
    expect(readRoots(sources)).toHaveLength(count);
  });

  test.each([
    ['text', 'no certificate'],
    ['a private key', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----'],
    ['PEM that is no base64', '-----BEGIN CERTIFICATE-----\n!!!!\n-----END CERTIFICATE-----'],
    ['bytes of text', encodeUtf8('no certificate')],
  ])('refuses %s', (_, source) => {
    expect(() => readRoots([root, source])).toThrow(
      expect.objectContaining({ code: 'configuration_invalid', message: expect.stringMatching(/^Expected root 2 to be a certificate/) }),
    );
  });

  test('refuses a certificate that is malformed', () => {
    expect(() => readRoots([root.subarray(0, 50)])).toThrow(expect.objectContaining({ code: 'attestation_malformed' }));
  });
});

test('a certificate is valid at both ends of its time', () => {
  const { notBefore, notAfter } = leaf;
  expect([notBefore - 1, notBefore, notAfter + 999, notAfter + 1000].map((at) => isValidAt(leaf, at))).toEqual([false, true, true, false]);
});

test('a root of a policy that cannot be read is named, with its cause', () => {
  const refused = (() => {
    try {
      return readAttestationRoots([rootCertificate(), rootCertificate().subarray(0, 50)]);
    } catch (error) {
      return error;
    }
  })();
  if (!(refused instanceof PasskeyError) || !(refused.cause instanceof PasskeyError)) throw new Error('Expected an error with a cause.');
  expect(refused.code).toBe('configuration_invalid');
  expect(refused.message).toBe(`Attestation root 2: expected X.509 certificates in PEM or DER. ${refused.cause.message}`);
});
