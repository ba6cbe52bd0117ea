import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { concatBytes } from '../../../src/kernel/bytes.js';
import { verifyAttestation } from '../../../src/relying-party/attestation/verify-attestation.js';
import type { CborValue } from '../../../src/webauthn/cbor.js';
import { encodeCoseKey } from '../../../src/webauthn/cose-key.js';
import { integer, octetString, printableString, sequence, utf8String } from '../../../src/webauthn/der-writer.js';
import { EXTENSIONS, type Extension, ecKeyPair, type Name, OID } from '../../webauthn/certificate-writer.js';
import { AT, caCertificate, caKey, type LeafFields, leafCertificate, rootCertificate, rootKey, YEAR } from './authority.js';
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
const SUBJECT: Name = [
  [OID.c, printableString('SE')],
  [OID.o, utf8String('Example AB')],
  [OID.ou, utf8String('Authenticator Attestation')],
  [OID.cn, utf8String('Example key')],
];
const without = (oid: string): Name => SUBJECT.filter(([other]) => other !== oid);
const replaced = (oid: string, value: Uint8Array): Name => SUBJECT.map((attribute) => (attribute[0] === oid ? [oid, value] : attribute));
const FIRMWARE = '1.3.6.1.4.1.45724.1.1.5';
const SERIAL_NUMBER = '1.3.6.1.4.1.45724.1.1.2';
const NOT_CA = EXTENSIONS.basicConstraints(false);

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
    subject: SUBJECT,
    publicKey: attestationKey.publicKey,
    extensions: change.extensions ?? [NOT_CA, EXTENSIONS.aaguid(AAGUID)],
    ...leaf,
  });
  const signature = sig(ecdsa(signedBytes(authData), attestationKey));
  return attestation('packed', members({ alg, sig: signature, x5c: [certificate, ...issuers], ...change.extra }), authData);
}

describe('packed with certificates (§8.2)', () => {
  describe('legal', () => {
    judged([
      { name: 'attestation certificate and intermediate', make: () => packed() },
      { name: 'attestation certificate alone', make: () => packed({ issuers: [] }) },
      { name: 'the root stands in x5c', make: () => packed({ issuers: [caCertificate(), rootCertificate()] }) },
      { name: 'the root stands in x5c twice', make: () => packed({ issuers: [caCertificate(), rootCertificate(), rootCertificate()] }) },
      { name: 'unknown members', make: () => packed({ extra: { note: 'x', ecdaaKeyId: new Uint8Array(4) } }) },
      { name: 'no AAGUID extension', make: () => packed({ extensions: [NOT_CA] }) },
      {
        name: 'a serial number of an enterprise',
        make: () => packed({ extensions: [NOT_CA, { oid: SERIAL_NUMBER, value: octetString(AAGUID) }] }),
      },
      {
        name: 'a firmware version beyond 2^53',
        make: () => packed({ extensions: [NOT_CA, { oid: FIRMWARE, value: integer(2n ** 60n) }] }),
      },
      {
        name: 'unknown extension that is not critical',
        make: () => packed({ extensions: [NOT_CA, { oid: '1.2.3.4', value: sequence() }] }),
      },
    ]);
  });

  describe('unusual but real', () => {
    judged([
      {
        name: 'strings of other types, country in lower case',
        make: () => packed({ leaf: { subject: [...without(OID.c), [OID.c, utf8String('se')]] } }),
        warns: ['certificate-subject-c'],
      },
      {
        name: 'common name as PrintableString',
        make: () => packed({ leaf: { subject: replaced(OID.cn, printableString('Example key')) } }),
        warns: ['certificate-subject-cn'],
      },
      { name: 'no basic constraints', make: () => packed({ extensions: [] }), warns: ['certificate-basic-constraints'] },
      {
        name: 'a serial number without an OCTET STRING of its own',
        make: () => packed({ extensions: [NOT_CA, { oid: SERIAL_NUMBER, value: utf8String('12345') }] }),
        warns: ['certificate-serial-number'],
      },
      {
        name: 'an expired root at the end of x5c',
        make: () => packed({ issuers: [caCertificate(), rootCertificate({ notAfter: AT - 1000 })] }),
        warns: ['chain-validity'],
      },
      {
        name: 'a root of version 1 at the end of x5c',
        make: () => packed({ issuers: [caCertificate(), rootCertificate({ version: 1, extensions: [] })] }),
        warns: ['chain-authorities'],
      },
    ]);
  });

  const p384 = ecKeyPair('P-384');
  describe('forged or broken', () => {
    judged([
      { name: 'x5c empty', make: () => packed({ extra: { x5c: [] } }), fails: ['syntax'] },
      { name: 'x5c no array', make: () => packed({ extra: { x5c: null } }), fails: ['syntax'] },
      { name: 'alg as text', make: () => packed({ extra: { alg: 'ES256' } }), fails: ['syntax'] },
      { name: 'sig missing', make: () => packed({ extra: { sig: undefined } }), fails: ['syntax'] },
      { name: 'a certificate cut short', make: () => packed({ issuers: [caCertificate().subarray(0, 100)] }), fails: ['certificates'] },
      {
        name: 'bytes after a certificate',
        make: () => packed({ issuers: [concatBytes(caCertificate(), Uint8Array.of(0))] }),
        fails: ['certificates'],
      },
      { name: 'signature changed', make: () => packed({ sig: flipped }), fails: ['signature'] },
      { name: 'bytes after the signature', make: () => packed({ sig: (sig) => concatBytes(sig, Uint8Array.of(0)) }), fails: ['signature'] },
      {
        name: 'signature by the credential',
        make: () => packed({ sig: () => ecdsa(signedBytes(authenticatorData()), credentialKey) }),
        fails: ['signature'],
      },
      { name: 'alg of another key type', make: () => packed({ alg: -257 }), fails: ['algorithm-fits-key', 'signature'] },
      { name: 'alg of another curve', make: () => packed({ alg: -35 }), fails: ['algorithm-fits-key', 'signature'] },
      {
        name: 'key on another curve than alg wants',
        make: () => packed({ leaf: { publicKey: p384.publicKey }, sig: () => ecdsa(signedBytes(authenticatorData()), p384) }),
        fails: ['algorithm-fits-key', 'signature'],
      },
      {
        name: 'version 1',
        make: () => packed({ leaf: { version: 1, extensions: [] } }),
        fails: ['certificate-version'],
        warns: ['certificate-basic-constraints'],
      },
      {
        name: 'version 2',
        make: () => packed({ leaf: { version: 2, extensions: [] } }),
        fails: ['certificate-version'],
        warns: ['certificate-basic-constraints'],
      },
      { name: 'no country', make: () => packed({ leaf: { subject: without(OID.c) } }), fails: ['certificate-subject-c'] },
      ...['SWE', 'S1', 'S', 'Sweden', ''].map((country) => ({
        name: `country "${country}"`,
        make: () => packed({ leaf: { subject: replaced(OID.c, printableString(country)) } }),
        fails: ['certificate-subject-c'],
      })),
      {
        name: 'two countries',
        make: () => packed({ leaf: { subject: [...SUBJECT, [OID.c, printableString('DE')]] } }),
        fails: ['certificate-subject-c'],
      },
      {
        name: 'two units, the right one last',
        make: () => packed({ leaf: { subject: [[OID.ou, utf8String('Other')], ...SUBJECT] } }),
        fails: ['certificate-subject-ou'],
      },
      {
        name: 'two units, the right one first',
        make: () => packed({ leaf: { subject: [...SUBJECT, [OID.ou, utf8String('Other')]] } }),
        fails: ['certificate-subject-ou'],
      },
      { name: 'no organization', make: () => packed({ leaf: { subject: without(OID.o) } }), fails: ['certificate-subject-o'] },
      { name: 'no unit', make: () => packed({ leaf: { subject: without(OID.ou) } }), fails: ['certificate-subject-ou'] },
      {
        name: 'wrong unit',
        make: () => packed({ leaf: { subject: replaced(OID.ou, utf8String('authenticator attestation')) } }),
        fails: ['certificate-subject-ou'],
      },
      { name: 'no common name', make: () => packed({ leaf: { subject: without(OID.cn) } }), fails: ['certificate-subject-cn'] },
      {
        name: 'empty organization',
        make: () => packed({ leaf: { subject: replaced(OID.o, utf8String('')) } }),
        fails: ['certificate-subject-o'],
      },
      {
        name: 'the attestation certificate is a CA',
        make: () => packed({ extensions: [EXTENSIONS.basicConstraints(true)] }),
        fails: ['certificate-basic-constraints'],
      },
      {
        name: 'AAGUID of another model',
        make: () => packed({ extensions: [NOT_CA, EXTENSIONS.aaguid(OTHER_AAGUID)] }),
        fails: ['certificate-aaguid'],
      },
      {
        name: 'AAGUID zero in the authenticator data',
        make: () => packed({ authData: authenticatorData(new Uint8Array(16)) }),
        fails: ['certificate-aaguid'],
      },
      {
        name: 'AAGUID critical',
        make: () => packed({ extensions: [NOT_CA, EXTENSIONS.aaguid(AAGUID, true)] }),
        fails: ['certificate-aaguid-not-critical', 'chain-critical-extensions'],
      },
      {
        name: 'AAGUID in one OCTET STRING only',
        make: () => packed({ extensions: [NOT_CA, { oid: '1.3.6.1.4.1.45724.1.1.4', value: AAGUID }] }),
        fails: ['certificate-aaguid'],
      },
      {
        name: 'serial number critical',
        make: () => packed({ extensions: [NOT_CA, { oid: SERIAL_NUMBER, critical: true, value: octetString(AAGUID) }] }),
        fails: ['certificate-serial-number-not-critical', 'chain-critical-extensions'],
      },
      {
        name: 'firmware version critical',
        make: () => packed({ extensions: [NOT_CA, { oid: FIRMWARE, critical: true, value: integer(7) }] }),
        fails: ['certificate-firmware-version-not-critical', 'chain-critical-extensions'],
      },
      {
        name: 'firmware version below 0',
        make: () => packed({ extensions: [NOT_CA, { oid: FIRMWARE, value: Uint8Array.of(2, 1, 0xff) }] }),
        fails: ['certificate-firmware-version'],
      },
      {
        name: 'firmware version as text',
        make: () => packed({ extensions: [NOT_CA, { oid: FIRMWARE, value: utf8String('5.7.1') }] }),
        fails: ['certificate-firmware-version'],
      },
      {
        name: 'unknown critical extension',
        make: () => packed({ extensions: [NOT_CA, { oid: '1.2.3.4', critical: true, value: sequence() }] }),
        fails: ['chain-critical-extensions'],
      },
      { name: 'attestation certificate expired', make: () => packed({ leaf: { notAfter: AT - 1000 } }), fails: ['chain-validity'] },
      { name: 'attestation certificate of tomorrow', make: () => packed({ leaf: { notBefore: AT + 1000 } }), fails: ['chain-validity'] },
      {
        name: 'intermediate expired',
        make: () => packed({ issuers: [caCertificate({ notAfter: AT - YEAR / 2 })] }),
        fails: ['chain-validity'],
      },
      { name: 'issuer of another name', make: () => packed({ issuers: [rootCertificate()] }), fails: ['chain-signatures'] },
      {
        name: 'issuer of the same name with another key',
        make: () => packed({ issuers: [caCertificate({ publicKey: rootKey.publicKey })] }),
        fails: ['chain-signatures'],
      },
      {
        name: 'certificates in another order',
        make: () => packed({ issuers: [rootCertificate(), caCertificate()] }),
        fails: ['chain-signatures'],
      },
      {
        name: 'certificate not signed by its issuer',
        make: () => packed({ leaf: { signingKey: ecKeyPair('P-384').privateKey } }),
        fails: ['chain-signatures'],
      },
      {
        name: 'issuer that is no CA',
        make: () => packed({ issuers: [caCertificate({ extensions: [NOT_CA] })] }),
        fails: ['chain-authorities'],
      },
      {
        name: 'issuer without basic constraints',
        make: () => packed({ issuers: [caCertificate({ extensions: [] })] }),
        fails: ['chain-authorities'],
      },
      {
        name: 'issuer that may not sign certificates',
        make: () => packed({ issuers: [caCertificate({ extensions: [EXTENSIONS.basicConstraints(true), EXTENSIONS.keyUsage(0x80)] })] }),
        fails: ['chain-authorities'],
      },
      {
        name: 'more CAs than the root allows',
        make: () => packed({ issuers: [caCertificate(), rootCertificate({ extensions: [EXTENSIONS.basicConstraints(true, 0)] })] }),
        fails: ['chain-authorities'],
      },
      {
        name: 'an attestation certificate that issued another one',
        make: () => {
          const inner: Name = [[OID.cn, utf8String('Stolen')]];
          const stolen = leafCertificate({ subject: inner, publicKey: caKey.publicKey, extensions: [NOT_CA] });
          return packed({ leaf: { issuer: inner }, issuers: [stolen, caCertificate()] });
        },
        fails: ['chain-authorities'],
      },
    ]);
  });
});

function self({ alg = -7, keyAlg = -7, sig = (bytes: Uint8Array) => bytes } = {}) {
  const authData = authenticatorData(AAGUID, ec2Key(credentialKey, keyAlg));
  return attestation('packed', members({ alg, sig: sig(ecdsa(signedBytes(authData), credentialKey)) }), authData);
}

describe('packed without certificates: self attestation (§8.2)', () => {
  judged([
    { name: 'legal', make: () => self() },
    { name: 'legal with ESP256', make: () => self({ alg: -9, keyAlg: -9 }) },
    { name: 'alg of another algorithm', make: () => self({ alg: -257 }), fails: ['self-algorithm'] },
    { name: 'alg of the same algorithm by another number', make: () => self({ alg: -9 }), fails: ['self-algorithm'] },
    { name: 'signature changed', make: () => self({ sig: flipped }), fails: ['signature'] },
    { name: 'bytes after the signature', make: () => self({ sig: (sig) => concatBytes(sig, Uint8Array.of(0, 0)) }), fails: ['signature'] },
    {
      name: 'a key that is none',
      make: () => attestation('packed', members({ alg: -7, sig: new Uint8Array(70) }), authenticatorData(AAGUID, Uint8Array.of(0xa0))),
      fails: ['credential-public-key'],
    },
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
