import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { concatBytes, encodeUtf8 } from '../../src/kernel/bytes.js';
import { KEY_ORIGINS, keyDescription } from '../../src/webauthn/android-key-description.js';
import {
  aaguidExtension,
  appleNonceExtension,
  firmwareVersionExtension,
  serialNumberExtension,
  transportsExtension,
} from '../../src/webauthn/attestation-extensions.js';
import { decodeBase64url } from '../../src/webauthn/base64url.js';
import { decodeCertificate } from '../../src/webauthn/certificate.js';
import {
  bitString,
  context,
  contextPrimitive,
  der,
  enumerated,
  integer,
  nothing,
  octetString,
  printableString,
  sequence,
  set,
  utf8String,
} from '../../src/webauthn/der-writer.js';
import { nameAttributes, sameName, showName } from '../../src/webauthn/distinguished-name.js';
import {
  type CertificateFields,
  EXTENSIONS,
  type Extension,
  ecKeyPair,
  type Name,
  OID,
  USAGE,
  writeCertificate,
} from './certificate-writer.js';

const key = ecKeyPair();
const NAME: Name = [
  [OID.c, printableString('SE')],
  [OID.o, utf8String('Exämple AB')],
];
const NOT_BEFORE = Date.UTC(2020, 1, 3, 4, 5, 6);
const NOT_AFTER = Date.UTC(2120, 0, 1);

function write(change: Partial<CertificateFields> = {}): Uint8Array {
  return writeCertificate({
    version: 3,
    serialNumber: 0xed7fn,
    issuer: NAME,
    subject: [[OID.cn, utf8String('Key')]],
    notBefore: NOT_BEFORE,
    notAfter: NOT_AFTER,
    publicKey: key.publicKey,
    extensions: [],
    signingKey: key.privateKey,
    ...change,
  });
}
const extended = (...extensions: readonly Extension[]) => write({ extensions });
const withExtensions = (...extensions: readonly Extension[]) => decodeCertificate(extended(...extensions));

describe('decodeCertificate', () => {
  test('reads every field', () => {
    const bytes = write();
    const certificate = decodeCertificate(bytes);
    expect(certificate).toMatchObject({
      version: 3,
      serialNumber: '00ed7f',
      notBefore: NOT_BEFORE,
      notAfter: NOT_AFTER,
      extensions: { all: [] },
    });
    expect(showName(certificate.issuer)).toBe('C=SE, O=Exämple AB');
    expect(nameAttributes(certificate.issuer).map(({ type }) => type)).toEqual(['PrintableString', 'UTF8String']);
    expect(certificate.publicKey).toMatchObject({ algorithm: { oid: '1.2.840.10045.2.1' }, curve: '1.2.840.10045.3.1.7' });
    const { x, y } = new X509Certificate(bytes).publicKey.export({ format: 'jwk' });
    expect(certificate.publicKey.key).toEqual(Uint8Array.of(4, ...decodeBase64url(x ?? ''), ...decodeBase64url(y ?? '')));
    expect(certificate.signatureAlgorithm).toEqual({ oid: '1.2.840.10045.4.3.2', parameters: undefined });
    expect(certificate.bytes).toBe(bytes);
  });

  test('agrees with OpenSSL', () => {
    const theirs = new X509Certificate(write());
    const ours = decodeCertificate(write());
    expect(ours.publicKey.bytes).toEqual(new Uint8Array(theirs.publicKey.export({ format: 'der', type: 'spki' })));
    expect(ours.notAfter).toBe(Date.parse(theirs.validTo));
    expect(ours.serialNumber.replace(/^00/, '')).toBe(theirs.serialNumber.toLowerCase());
  });

  test.each([1, 2, 3])('reads version %i', (version) => {
    expect(decodeCertificate(write({ version })).version).toBe(version);
  });

  test('reads the standard extensions', () => {
    const { extensions } = withExtensions(
      EXTENSIONS.basicConstraints(true, 3),
      EXTENSIONS.keyUsage(USAGE.keyCertSign | USAGE.digitalSignature),
      EXTENSIONS.extendedKeyUsage('2.23.133.8.3', '1.2.3'),
      { oid: '2.5.29.14', value: octetString(Uint8Array.of(1, 2)) },
      { oid: '2.5.29.35', value: sequence(der(0x80, Uint8Array.of(3, 4))) },
      {
        oid: '2.5.29.17',
        value: sequence(
          der(0x82, encodeUtf8('example.org')),
          der(0x81, encodeUtf8('a@b')),
          der(0x86, encodeUtf8('urn:x')),
          der(0x88, Uint8Array.of(1)),
        ),
      },
    );
    expect(extensions).toMatchObject({
      basicConstraints: { ca: true, pathLength: 3 },
      keyUsage: ['digitalSignature', 'keyCertSign'],
      extendedKeyUsage: ['2.23.133.8.3', '1.2.3'],
      subjectKeyIdentifier: Uint8Array.of(1, 2),
      authorityKeyIdentifier: Uint8Array.of(3, 4),
      subjectAltName: [
        { kind: 'dns', text: 'example.org' },
        { kind: 'email', text: 'a@b' },
        { kind: 'uri', text: 'urn:x' },
        { kind: 'other' },
      ],
    });
    expect(extensions.all.map(({ oid, critical }) => [oid, critical])).toContainEqual(['2.5.29.19', true]);
  });

  test.each([
    ['bytes behind', concatBytes(write(), Uint8Array.of(0)), /malformed at byte \d+: expected nothing after the element, got 1 more byte/],
    ['half of it', write().subarray(0, 90), /malformed at byte 1: expected \d+ bytes of contents/],
    ['nothing', new Uint8Array(), /malformed at byte 0/],
    ['an empty sequence', sequence(), /expected tbsCertificate/],
    ['something else', integer(1), /expected a certificate, got integer/],
    ['version 4', write({ version: 4 }), /expected version 1, 2 or 3, got 4/],
    [
      'a version of a hundred bytes',
      sequence(sequence(context(0, integer(1n << 800n)), integer(1)), sequence(), bitString(new Uint8Array(1))),
      /expected the version from 0 to 2\^53-1/,
    ],
    [
      'an object identifier of 129 bytes',
      extended({ oid: '2.5.29.37', value: sequence(der(0x06, new Uint8Array(129))) }),
      /extension 2\.5\.29\.37, byte 3 of its value: expected a key purpose of at most 128 bytes, got 129/,
    ],
    ['a serial number of 129 bytes', write({ serialNumber: 1n << 1030n }), /expected the serial number of at most 128 bytes, got 129/],
    [
      'an object identifier of 129 bytes where nobody asks for one',
      sequence(sequence(context(7, der(0x06, new Uint8Array(129)))), sequence(), bitString(new Uint8Array(1))),
      /expected an object identifier of at most 128 bytes, got 129/,
    ],
    ['33 levels', Array.from({ length: 33 }).reduce<Uint8Array>((inner) => sequence(inner), sequence()), /expected at most 32 levels/],
    [
      '65,537 bytes',
      extended({ oid: '1.2.3', value: new Uint8Array(65_537) }),
      /malformed at byte 0: expected at most 65536 bytes, got 65\d+ bytes/,
    ],
    [
      'extensions in version 1',
      write({ version: 1, extensions: [EXTENSIONS.basicConstraints(true)] }),
      /expected no extensions in a certificate of version 1/,
    ],
    [
      'an extension twice',
      extended(EXTENSIONS.basicConstraints(true), EXTENSIONS.basicConstraints(false)),
      /expected extension 2\.5\.29\.19 only once/,
    ],
    ['a malformed extension', extended({ oid: '2.5.29.19', value: integer(1) }), /extension 2\.5\.29\.19, byte 0 of its value/],
    [
      'a subject with an empty relative distinguished name',
      extended(EXTENSIONS.subjectAltName(true, context(4, sequence(set())))),
      /expected an attribute of a relative distinguished name, got the end/,
    ],
    [
      'two names in one directory name',
      extended(EXTENSIONS.subjectAltName(true, context(4, sequence(), sequence()))),
      /expected one element of a directory name, got 2/,
    ],
    [
      'an EC key with parameters of its own',
      write({ publicKey: generateKeyPairSync('ec', { namedCurve: 'P-256', paramEncoding: 'explicit' }).publicKey }),
      /expected the name of a curve/,
    ],
  ])('refuses %s', (_, bytes, message) => {
    expect(() => decodeCertificate(bytes)).toThrow(
      expect.objectContaining({ code: 'attestation_malformed', message: expect.stringMatching(message) }),
    );
  });
});

describe('names', () => {
  const subject = (...name: Name) => decodeCertificate(write({ subject: name })).subject;

  test('are the same whatever case, white space and type of string', () => {
    expect(sameName(subject([OID.cn, utf8String('Test  CA')]), subject([OID.cn, printableString(' test ca')]))).toBe(true);
    expect(sameName(subject([OID.cn, utf8String('Test CA')]), subject([OID.o, utf8String('Test CA')]))).toBe(false);
    expect(
      sameName(subject([OID.cn, utf8String('a')], [OID.o, utf8String('b')]), subject([OID.o, utf8String('b')], [OID.cn, utf8String('a')])),
    ).toBe(false);
    expect(showName(subject())).toBe('(empty)');
    expect(showName(subject(['1.2.3', utf8String('x')]))).toBe('1.2.3=x');
  });
});

describe('extensions of attestation certificates', () => {
  const AAGUID = Uint8Array.from({ length: 16 }, (_, index) => index);

  test('reads them', () => {
    const certificate = withExtensions(
      EXTENSIONS.aaguid(AAGUID),
      { oid: '1.3.6.1.4.1.45724.2.1.1', value: bitString(Uint8Array.of(0x30), 4) },
      { oid: '1.3.6.1.4.1.45724.1.1.5', value: integer(0x50701) },
      { oid: '1.3.6.1.4.1.45724.1.1.2', value: octetString(Uint8Array.of(1, 2, 3, 4)) },
      { oid: '1.2.840.113635.100.8.2', value: sequence(context(1, octetString(AAGUID))) },
    );
    expect(aaguidExtension(certificate)).toEqual({ aaguid: AAGUID, critical: false });
    expect(transportsExtension(certificate)).toEqual(['usb', 'nfc']);
    expect(firmwareVersionExtension(certificate)).toBe(0x50701n);
    expect(serialNumberExtension(certificate)).toEqual(Uint8Array.of(1, 2, 3, 4));
    expect(appleNonceExtension(certificate)).toEqual(AAGUID);
  });

  test('gives undefined where there is none', () => {
    const certificate = decodeCertificate(write());
    const readers = [
      aaguidExtension,
      transportsExtension,
      firmwareVersionExtension,
      serialNumberExtension,
      appleNonceExtension,
      keyDescription,
    ];
    expect(readers.map((read) => read(certificate))).toEqual(readers.map(() => undefined));
  });

  test('refuses more than one nonce of Apple', () => {
    const value = sequence(context(1, octetString(AAGUID)), context(1, octetString(AAGUID)));
    expect(() => appleNonceExtension(withExtensions({ oid: '1.2.840.113635.100.8.2', value }))).toThrow(
      /expected one element of a sequence, got 2/,
    );
  });

  test('refuses an AAGUID of another length', () => {
    expect(() => aaguidExtension(withExtensions(EXTENSIONS.aaguid(AAGUID.subarray(1))))).toThrow(/expected an AAGUID of 16 bytes, got 15/);
  });

  test('reads the key description of Android', () => {
    const tee = [context(1, set(integer(2), integer(3))), context(600, nothing()), context(702, integer(2)), context(705, integer(140000))];
    const head = [integer(4), enumerated(1), integer(41), enumerated(2), octetString(AAGUID), octetString(new Uint8Array())];
    const value = sequence(...head, sequence(context(701, integer(1))), sequence(...tee));
    const description = keyDescription(withExtensions({ oid: '1.3.6.1.4.1.11129.2.1.17', value }));
    expect(description).toEqual({
      attestationVersion: 4,
      attestationSecurityLevel: 1,
      keyMintVersion: 41,
      keyMintSecurityLevel: 2,
      attestationChallenge: AAGUID,
      uniqueId: new Uint8Array(),
      softwareEnforced: { purpose: undefined, origin: undefined, allApplications: false, tags: [701] },
      teeEnforced: { purpose: [2, 3], origin: 2, allApplications: true, tags: [1, 600, 702, 705] },
    });
    expect(KEY_ORIGINS[description?.teeEnforced.origin ?? 0]).toBe('imported');
  });

  const head = [integer(4), enumerated(1), integer(41), enumerated(2), octetString(AAGUID), octetString(new Uint8Array())];
  const enforced = (...members: readonly Uint8Array[]) => sequence(...head, sequence(), sequence(...members));

  test.each([
    ['that ends too soon', sequence(integer(4)), 'byte 5: expected attestationSecurityLevel, got the end'],
    ['with a ninth field', sequence(...head, sequence(), sequence(), integer(1)), 'expected 8 fields of a key description, got 9'],
    ['with a member of another class', enforced(der(0xe1, set(integer(2)))), 'expected a context tag of teeEnforced, got private tag 1'],
    ['with a member twice', enforced(context(600, nothing()), context(600, nothing())), 'expected tag 600 of teeEnforced only once'],
    [
      'with two origins in one member',
      enforced(context(702, integer(0), integer(2))),
      'expected one element of tag 702 of teeEnforced, got 2',
    ],
    ['with an empty member', enforced(context(600)), 'expected one element of tag 600 of teeEnforced, got 0'],
    ['with a primitive member', enforced(contextPrimitive(1, Uint8Array.of(2))), 'expected a constructed element'],
  ])('refuses a key description %s', (_, value, message) => {
    expect(() => keyDescription(withExtensions({ oid: '1.3.6.1.4.1.11129.2.1.17', value }))).toThrow(
      expect.objectContaining({ code: 'attestation_malformed', message: expect.stringContaining(message) }),
    );
  });
});
