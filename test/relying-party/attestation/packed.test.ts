import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { concatBytes } from '../../../src/kernel/bytes.js';
import { verifyAttestation } from '../../../src/relying-party/attestation/verify-attestation.js';
import type { CborValue } from '../../../src/webauthn/cbor.js';
import { encodeCoseKey } from '../../../src/webauthn/cose-key.js';
import { integer, octetString, printableString, sequence, utf8String } from '../../../src/webauthn/der-writer.js';
import { EXTENSIONS, type Extension, ecKeyPair, type Name, OID } from '../../webauthn/certificate-writer.js';
import { AT, caCertificate, caKey, type LeafFields, leafCertificate, MODEL_NAME, rootCertificate, rootKey, YEAR } from './authority.js';
import { judged } from './outcome.js';
import {
  AAGUID,
  attestation,
  authenticatorData,
  credentialKey,
  ec2Key,
  ecdsa,
  flipped,
  members,
  OTHER_AAGUID,
  signedBytes,
} from './statements.js';

const attestationKey = ecKeyPair();
const without = (oid: string): Name => MODEL_NAME.filter(([other]) => other !== oid);
const replaced = (oid: string, value: Uint8Array): Name => MODEL_NAME.map((attribute) => (attribute[0] === oid ? [oid, value] : attribute));
const FIRMWARE = '1.3.6.1.4.1.45724.1.1.5';
const SERIAL_NUMBER = '1.3.6.1.4.1.45724.1.1.2';
const NOT_CA = EXTENSIONS.basicConstraints(false);
const CRITICAL = 'chain-critical-extensions';
const withExtension = (...extensions: readonly Extension[]) => ({ extensions: [NOT_CA, ...extensions] });
const withIssuers = (...issuers: readonly Uint8Array[]) => ({ issuers });
const withSubject = (subject: Name) => ({ leaf: { subject } });

interface Change {
  readonly leaf?: Partial<LeafFields>;
  readonly issuers?: readonly Uint8Array[];
  readonly alg?: number;
  readonly sig?: (sig: Uint8Array) => Uint8Array;
  readonly authData?: Uint8Array;
  readonly extra?: Readonly<Record<string, CborValue>>;
  readonly extensions?: readonly Extension[];
}

function packed({
  leaf = {},
  issuers = [caCertificate()],
  alg = -7,
  sig = (bytes) => bytes,
  authData = authenticatorData(),
  ...change
}: Change = {}) {
  const certificate = leafCertificate({
    subject: MODEL_NAME,
    publicKey: attestationKey.publicKey,
    extensions: change.extensions ?? [NOT_CA, EXTENSIONS.aaguid(AAGUID)],
    ...leaf,
  });
  const signature = sig(ecdsa(signedBytes(authData), attestationKey));
  return attestation('packed', members({ alg, sig: signature, x5c: [certificate, ...issuers], ...change.extra }), authData);
}

describe('packed with certificates (§8.2)', () => {
  describe('legal', () => {
    judged(packed, [
      ['attestation certificate and intermediate', {}],
      ['attestation certificate alone', { issuers: [] }],
      ['the root stands in x5c', withIssuers(caCertificate(), rootCertificate())],
      ['the root stands in x5c twice', withIssuers(caCertificate(), rootCertificate(), rootCertificate())],
      ['unknown members', { extra: { note: 'x', ecdaaKeyId: new Uint8Array(4) } }],
      ['no AAGUID extension', { extensions: [NOT_CA] }],
      ['a serial number of an enterprise', withExtension({ oid: SERIAL_NUMBER, value: octetString(AAGUID) })],
      ['a firmware version beyond 2^53', withExtension({ oid: FIRMWARE, value: integer(2n ** 60n) })],
      ['unknown extension that is not critical', withExtension({ oid: '1.2.3.4', value: sequence() })],
    ]);
  });

  describe('unusual but real', () => {
    judged(packed, [
      [
        'strings of other types, country in lower case',
        withSubject([...without(OID.c), [OID.c, utf8String('se')]]),
        [],
        ['certificate-subject-c'],
      ],
      ['common name as PrintableString', withSubject(replaced(OID.cn, printableString('Example key'))), [], ['certificate-subject-cn']],
      ['no basic constraints', { extensions: [] }, [], ['certificate-basic-constraints']],
      [
        'a serial number without an OCTET STRING of its own',
        withExtension({ oid: SERIAL_NUMBER, value: utf8String('12345') }),
        [],
        ['certificate-serial-number'],
      ],
      ['an expired root at the end of x5c', withIssuers(caCertificate(), rootCertificate({ notAfter: AT - 1000 })), [], ['chain-validity']],
      [
        'a root of version 1 at the end of x5c',
        withIssuers(caCertificate(), rootCertificate({ version: 1, extensions: [] })),
        [],
        ['chain-authorities'],
      ],
    ]);
  });

  const p384 = ecKeyPair('P-384');
  describe('forged or broken', () => {
    judged(packed, [
      ['x5c empty', { extra: { x5c: [] } }, ['syntax']],
      ['x5c no array', { extra: { x5c: null } }, ['syntax']],
      ['alg as text', { extra: { alg: 'ES256' } }, ['syntax']],
      ['sig missing', { extra: { sig: undefined } }, ['syntax']],
      ['a certificate cut short', withIssuers(caCertificate().subarray(0, 100)), ['certificates']],
      ['bytes after a certificate', withIssuers(concatBytes(caCertificate(), Uint8Array.of(0))), ['certificates']],
      ['signature changed', { sig: flipped }, ['signature']],
      ['bytes after the signature', { sig: (sig) => concatBytes(sig, Uint8Array.of(0)) }, ['signature']],
      ['signature by the credential', { sig: () => ecdsa(signedBytes(authenticatorData()), credentialKey) }, ['signature']],
      ['alg of another key type', { alg: -257 }, ['algorithm-fits-key', 'signature']],
      ['alg of another curve', { alg: -35 }, ['algorithm-fits-key', 'signature']],
      [
        'key on another curve than alg wants',
        { leaf: { publicKey: p384.publicKey }, sig: () => ecdsa(signedBytes(authenticatorData()), p384) },
        ['algorithm-fits-key', 'signature'],
      ],
      ['version 1', { leaf: { version: 1, extensions: [] } }, ['certificate-version'], ['certificate-basic-constraints']],
      ['version 2', { leaf: { version: 2, extensions: [] } }, ['certificate-version'], ['certificate-basic-constraints']],
      ['no country', withSubject(without(OID.c)), ['certificate-subject-c']],
      ...['SWE', 'S1', 'S', 'Sweden', ''].map((country) => {
        const subject = replaced(OID.c, printableString(country));
        return [`country "${country}"`, withSubject(subject), ['certificate-subject-c']] as const;
      }),
      ['two countries', withSubject([...MODEL_NAME, [OID.c, printableString('DE')]]), ['certificate-subject-c']],
      ['two units, the right one last', withSubject([[OID.ou, utf8String('Other')], ...MODEL_NAME]), ['certificate-subject-ou']],
      ['two units, the right one first', withSubject([...MODEL_NAME, [OID.ou, utf8String('Other')]]), ['certificate-subject-ou']],
      ['no organization', withSubject(without(OID.o)), ['certificate-subject-o']],
      ['no unit', withSubject(without(OID.ou)), ['certificate-subject-ou']],
      ['wrong unit', withSubject(replaced(OID.ou, utf8String('authenticator attestation'))), ['certificate-subject-ou']],
      ['no common name', withSubject(without(OID.cn)), ['certificate-subject-cn']],
      ['empty organization', withSubject(replaced(OID.o, utf8String(''))), ['certificate-subject-o']],
      ['the attestation certificate is a CA', { extensions: [EXTENSIONS.basicConstraints(true)] }, ['certificate-basic-constraints']],
      ['AAGUID of another model', withExtension(EXTENSIONS.aaguid(OTHER_AAGUID)), ['certificate-aaguid']],
      ['AAGUID zero in the authenticator data', { authData: authenticatorData(new Uint8Array(16)) }, ['certificate-aaguid']],
      ['AAGUID critical', withExtension(EXTENSIONS.aaguid(AAGUID, true)), ['certificate-aaguid-not-critical', CRITICAL]],
      ['AAGUID in one OCTET STRING only', withExtension({ oid: '1.3.6.1.4.1.45724.1.1.4', value: AAGUID }), ['certificate-aaguid']],
      [
        'serial number critical',
        withExtension({ oid: SERIAL_NUMBER, critical: true, value: octetString(AAGUID) }),
        ['certificate-serial-number-not-critical', CRITICAL],
      ],
      [
        'firmware version critical',
        withExtension({ oid: FIRMWARE, critical: true, value: integer(7) }),
        ['certificate-firmware-version-not-critical', CRITICAL],
      ],
      ['firmware version below 0', withExtension({ oid: FIRMWARE, value: Uint8Array.of(2, 1, 0xff) }), ['certificate-firmware-version']],
      ['firmware version as text', withExtension({ oid: FIRMWARE, value: utf8String('5.7.1') }), ['certificate-firmware-version']],
      ['unknown critical extension', withExtension({ oid: '1.2.3.4', critical: true, value: sequence() }), [CRITICAL]],
      ['attestation certificate expired', { leaf: { notAfter: AT - 1000 } }, ['chain-validity']],
      ['attestation certificate of tomorrow', { leaf: { notBefore: AT + 1000 } }, ['chain-validity']],
      ['intermediate expired', withIssuers(caCertificate({ notAfter: AT - YEAR / 2 })), ['chain-validity']],
      ['issuer of another name', withIssuers(rootCertificate()), ['chain-signatures']],
      ['issuer of the same name with another key', withIssuers(caCertificate({ publicKey: rootKey.publicKey })), ['chain-signatures']],
      ['certificates in another order', withIssuers(rootCertificate(), caCertificate()), ['chain-signatures']],
      ['certificate not signed by its issuer', { leaf: { signingKey: ecKeyPair('P-384').privateKey } }, ['chain-signatures']],
      ['issuer that is no CA', withIssuers(caCertificate({ extensions: [NOT_CA] })), ['chain-authorities']],
      ['issuer without basic constraints', withIssuers(caCertificate({ extensions: [] })), ['chain-authorities']],
      [
        'issuer that may not sign certificates',
        withIssuers(caCertificate({ extensions: [EXTENSIONS.basicConstraints(true), EXTENSIONS.keyUsage(0x80)] })),
        ['chain-authorities'],
      ],
      [
        'more CAs than the root allows',
        withIssuers(caCertificate(), rootCertificate({ extensions: [EXTENSIONS.basicConstraints(true, 0)] })),
        ['chain-authorities'],
      ],
      [
        'an attestation certificate that issued another one',
        () => {
          const inner: Name = [[OID.cn, utf8String('Stolen')]];
          const stolen = leafCertificate({ subject: inner, publicKey: caKey.publicKey, extensions: [NOT_CA] });
          return packed({ leaf: { issuer: inner }, issuers: [stolen, caCertificate()] });
        },
        ['chain-authorities'],
      ],
    ]);
  });
});

function self({ alg = -7, keyAlg = -7, sig = (bytes: Uint8Array) => bytes } = {}) {
  const authData = authenticatorData(AAGUID, ec2Key(credentialKey, keyAlg));
  return attestation('packed', members({ alg, sig: sig(ecdsa(signedBytes(authData), credentialKey)) }), authData);
}

describe('packed without certificates: self attestation (§8.2)', () => {
  judged(self, [
    ['legal', {}],
    ['legal with ESP256', { alg: -9, keyAlg: -9 }],
    ['alg of another algorithm', { alg: -257 }, ['self-algorithm']],
    ['alg of the same algorithm by another number', { alg: -9 }, ['self-algorithm']],
    ['signature changed', { sig: flipped }, ['signature']],
    ['bytes after the signature', { sig: (sig) => concatBytes(sig, Uint8Array.of(0, 0)) }, ['signature']],
    [
      'a key that is none',
      () => attestation('packed', members({ alg: -7, sig: new Uint8Array(70) }), authenticatorData(AAGUID, Uint8Array.of(0xa0))),
      ['credential-public-key'],
    ],
  ]);

  test('knows every algorithm that this Node has', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed448');
    const x = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
    const authData = authenticatorData(AAGUID, encodeCoseKey({ kty: 1, alg: -53, crv: 7, x: new Uint8Array(x) }));
    const sig = new Uint8Array(sign(null, signedBytes(authData), privateKey));
    const report = verifyAttestation(attestation('packed', members({ alg: -53, sig }), authData));
    expect(report).toMatchObject({ verdict: 'accepted', attestationType: 'self', trustPath: [], trust: { status: 'none' } });
  });

  test('leaves the verdict open where this Node does not have it, and never accepts', () => {
    const authData = authenticatorData(AAGUID, encodeCoseKey({ kty: 7, alg: -48, pub: new Uint8Array(1312) }));
    const { verdict } = verifyAttestation(attestation('packed', members({ alg: -48, sig: new Uint8Array(2420) }), authData));
    expect(['undetermined', 'rejected']).toContain(verdict);
  });
});
