import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { concatBytes } from '../../../src/kernel/bytes.js';
import { readPublicArea, readTpmSignature } from '../../../src/relying-party/attestation/tpm-structures.js';
import { verifyAttestation } from '../../../src/relying-party/attestation/verify-attestation.js';
import { decodeBase64url } from '../../../src/webauthn/base64url.js';
import type { CborValue } from '../../../src/webauthn/cbor.js';
import { type Attribute, type Name, writeName } from '../../../src/webauthn/certificate-writer.js';
import { encodeCoseKey } from '../../../src/webauthn/cose-key.js';
import { context, objectIdentifier, octetString, sequence, set, utf8String } from '../../../src/webauthn/der-writer.js';
import { EXTENSIONS, type Extension, ecKeyPair, OID } from '../../webauthn/certificate-writer.js';
import { AT, caCertificate, type LeafFields, leafCertificate } from './authority.js';
import { judged, slugs } from './outcome.js';
import { AAGUID, attestation, authenticatorData, credentialKey, ecdsa, flipped, members, OTHER_AAGUID, signedBytes } from './statements.js';
import { type AttestFields, attest, eccArea, rsaArea, sized, uint } from './tpm-writer.js';

const aikKey = ecKeyPair();
const AIK = '2.23.133.8.3';
const MANUFACTURER: Attribute = ['2.23.133.2.1', utf8String('id:49465800')];
const MODEL: Attribute = ['2.23.133.2.2', utf8String('SLB 9670')];
const VERSION: Attribute = ['2.23.133.2.3', utf8String('id:0755')];
const NOT_CA = EXTENSIONS.basicConstraints(false);
const extensions = (altName: Extension, usage = EXTENSIONS.extendedKeyUsage(AIK)) => [NOT_CA, usage, altName];
const ALT_NAME = EXTENSIONS.directoryName([MANUFACTURER, MODEL, VERSION]);
const named = (...extension: Parameters<typeof extensions>) => ({ extensions: extensions(...extension) });
const withExtension = (extension: Extension) => ({ extensions: [...extensions(ALT_NAME), extension] });

const jwk = credentialKey.publicKey.export({ format: 'jwk' });
const [x, y] = [decodeBase64url(jwk.x ?? ''), decodeBase64url(jwk.y ?? '')];
const hash = (name: string, bytes: Uint8Array) => new Uint8Array(createHash(name).update(bytes).digest());
const nameOf = (area: Uint8Array, alg = 0x000b, digest = 'sha256') => concatBytes(uint(alg, 2), hash(digest, area));

const directoryNames = (...names: readonly Name[]) => EXTENSIONS.subjectAltName(true, ...names.map((name) => context(4, writeName(name))));

interface Change {
  readonly leaf?: Partial<LeafFields>;
  readonly extensions?: readonly Extension[];
  readonly area?: Uint8Array;
  readonly info?: Partial<AttestFields>;
  readonly certInfo?: (bytes: Uint8Array) => Uint8Array;
  readonly sig?: (sig: Uint8Array) => Uint8Array;
  readonly alg?: number;
  readonly authData?: Uint8Array;
  readonly extra?: Readonly<Record<string, CborValue>>;
}

function tpm({ area = eccArea(x, y), authData = authenticatorData(), alg = -7, ...change }: Change = {}) {
  const aik = leafCertificate({
    subject: [],
    publicKey: aikKey.publicKey,
    extensions: change.extensions ?? extensions(ALT_NAME),
    ...change.leaf,
  });
  const info = { magic: 0xff544347, type: 0x8017, extraData: hash('sha256', signedBytes(authData)), name: nameOf(area), ...change.info };
  const certInfo = (change.certInfo ?? ((bytes) => bytes))(attest(info));
  const sig = (change.sig ?? ((bytes) => bytes))(ecdsa(certInfo, aikKey));
  const entries = { ver: '2.0', alg, x5c: [aik, caCertificate()], sig, certInfo, pubArea: area, ...change.extra };
  return attestation('tpm', members(entries), authData);
}

/** r and s out of an ECDSA signature in DER, as in TPMT_SIGNATURE. */
function tpmSignature(der: Uint8Array): Uint8Array {
  const rLength = der[3] ?? 0;
  const r = der.subarray(4, 4 + rLength);
  const s = der.subarray(6 + rLength);
  const bare = (bytes: Uint8Array) => (bytes[0] === 0 ? bytes.subarray(1) : bytes);
  return concatBytes(uint(0x0018, 2), uint(0x000b, 2), sized(bare(r)), sized(bare(s)));
}

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const n = decodeBase64url(rsa.publicKey.export({ format: 'jwk' }).n ?? '');
const rsaAuthData = authenticatorData(AAGUID, encodeCoseKey({ kty: 3, alg: -257, n, e: Uint8Array.of(1, 0, 1) }));
const twoInOneRdn = {
  oid: '2.5.29.17',
  critical: true,
  value: sequence(
    context(4, sequence(set(...[MANUFACTURER, MODEL, VERSION].map(([oid, value]) => sequence(objectIdentifier(oid), value))))),
  ),
};

describe('tpm (§8.3)', () => {
  describe('legal', () => {
    judged(tpm, [
      ['EC key', {}],
      ['RSA key, exponent by default', { area: rsaArea(n), authData: rsaAuthData }],
      ['RSA key, exponent named', { area: rsaArea(n, 65537), authData: rsaAuthData }],
      ['EC key with a signature scheme', { area: eccArea(x, y, 0x000b, concatBytes(uint(0x0018, 2), uint(0x000b, 2))) }],
      ['sig as TPMT_SIGNATURE', { sig: tpmSignature }],
      ['AIK with an RSA key, signed by RS1', () => rs1()],
      ['all attributes in one relative distinguished name', { extensions: extensions(twoInOneRdn) }],
      ['AAGUID extension', withExtension(EXTENSIONS.aaguid(AAGUID))],
      ['unknown members', { extra: { note: 1 } }],
      [
        'manufacturer that is not registered',
        named(EXTENSIONS.directoryName([['2.23.133.2.1', utf8String('id:FFFFF1D0')], MODEL, VERSION])),
        [],
        ['certificate-tpm-manufacturer'],
      ],
    ]);
  });

  describe('forged or broken', () => {
    judged(tpm, [
      ['ver 1.2', { extra: { ver: '1.2' } }, ['version']],
      ['x5c missing', { extra: { x5c: undefined } }, ['syntax']],
      ['pubArea cut short', { area: eccArea(x, y).subarray(0, 60), info: { name: new Uint8Array(34) } }, ['pub-area']],
      ['bytes after pubArea', { area: concatBytes(eccArea(x, y), Uint8Array.of(0)) }, ['pub-area']],
      ['another key in pubArea', { area: eccArea(x, x) }, ['public-key']],
      ['another key type in pubArea', { area: rsaArea(n) }, ['public-key']],
      ['another exponent', { area: rsaArea(n, 3), authData: rsaAuthData }, ['public-key']],
      ['certInfo cut short', { certInfo: (bytes) => bytes.subarray(0, 80) }, ['cert-info']],
      ['bytes after certInfo', { certInfo: (bytes) => concatBytes(bytes, Uint8Array.of(0)) }, ['cert-info']],
      ['magic', { info: { magic: 0xff544348 } }, ['magic']],
      ['type: quote', { info: { type: 0x8018 } }, ['type']],
      ['extraData', { info: { extraData: hash('sha256', new Uint8Array(1)) } }, ['extra-data']],
      ['extraData by another hash', { info: { extraData: hash('sha1', signedBytes(authenticatorData())) } }, ['extra-data']],
      ['name of another key', { info: { name: nameOf(eccArea(y, x)) } }, ['name']],
      ['name without its algorithm', { info: { name: hash('sha256', eccArea(x, y)) } }, ['name']],
      ['a nameAlg that is none', { area: eccArea(x, y, 0x0010) }, ['name']],
      [
        'Name by SHA-1',
        () => {
          const area = eccArea(x, y, 0x0004);
          return tpm({ area, info: { name: nameOf(area, 0x0004, 'sha1') } });
        },
        ['name'],
      ],
      ['signature changed', { sig: flipped }, ['signature']],
      ['bytes after the signature', { sig: (sig) => concatBytes(sig, Uint8Array.of(0)) }, ['signature']],
      ['alg of another key type', { alg: -257 }, ['algorithm-fits-key', 'signature']],
      ['alg without a hash', { alg: -8 }, ['extra-data', 'algorithm-fits-key', 'signature']],
      [
        'AIK of version 1',
        { leaf: { version: 1, extensions: [] } },
        ['certificate-version', 'certificate-subject-alt-name', 'certificate-extended-key-usage'],
        ['certificate-basic-constraints'],
      ],
      ['AIK with a subject', { leaf: { subject: [[OID.cn, utf8String('TPM')]] } }, ['certificate-subject-empty']],
      ['no alternative name', { extensions: [NOT_CA, EXTENSIONS.extendedKeyUsage(AIK)] }, ['certificate-subject-alt-name']],
      ['no model', named(EXTENSIONS.directoryName([MANUFACTURER, VERSION])), ['certificate-subject-alt-name']],
      ['no manufacturer', named(EXTENSIONS.directoryName([MODEL, VERSION])), ['certificate-subject-alt-name']],
      [
        'manufacturer, model and version in different directory names',
        named(directoryNames([MANUFACTURER, MODEL], [VERSION])),
        ['certificate-subject-alt-name'],
      ],
      [
        'two manufacturers in one directory name',
        named(directoryNames([['2.23.133.2.1', utf8String('id:414D4400')], MANUFACTURER, MODEL, VERSION])),
        ['certificate-subject-alt-name'],
      ],
      [
        'alternative name not critical',
        named(EXTENSIONS.directoryName([MANUFACTURER, MODEL, VERSION], false)),
        ['certificate-subject-alt-name-critical'],
      ],
      ['another extended key usage', named(ALT_NAME, EXTENSIONS.extendedKeyUsage('2.23.133.8.1')), ['certificate-extended-key-usage']],
      [
        'AIK is a CA',
        { extensions: [...extensions(ALT_NAME).slice(1), EXTENSIONS.basicConstraints(true)] },
        ['certificate-basic-constraints'],
      ],
      ['AAGUID of another model', withExtension(EXTENSIONS.aaguid(OTHER_AAGUID)), ['certificate-aaguid']],
      [
        'AAGUID extension with an INTEGER',
        withExtension({ oid: '1.3.6.1.4.1.45724.1.1.4', value: sequence(octetString(AAGUID)) }),
        ['certificate-aaguid'],
      ],
      ['AIK expired', { leaf: { notAfter: AT - 1000 } }, ['chain-validity']],
    ]);
  });

  test('with an alg that nobody knows is rejected, as that of Windows Hello of 2018, which sent -262 for what became -65535', () => {
    const report = verifyAttestation(tpm({ alg: -262 }));
    expect(report.verdict).toBe('rejected');
    expect(slugs(report, 'fail')).toEqual(['algorithm-fits-key', 'signature']);
    expect(slugs(report, 'skip')).toEqual(['extra-data', 'certificate-aaguid']);
  });

  test('is attested by a CA, with x5c as its trust path', () => {
    const report = verifyAttestation(tpm());
    expect(report.attestationType).toBe('attca');
    expect(report.trustPath).toHaveLength(2);
  });
});

/** As older TPMs of Windows Hello sign. */
function rs1() {
  const authData = authenticatorData();
  const area = eccArea(x, y);
  const aik = leafCertificate({ subject: [], publicKey: rsa.publicKey, extensions: extensions(ALT_NAME) });
  const certInfo = attest({ magic: 0xff544347, type: 0x8017, extraData: hash('sha1', signedBytes(authData)), name: nameOf(area) });
  const sig = new Uint8Array(sign('sha1', certInfo, rsa.privateKey));
  return attestation('tpm', members({ ver: '2.0', alg: -65535, x5c: [aik, caCertificate()], sig, certInfo, pubArea: area }), authData);
}

describe('a TPMT_SIGNATURE', () => {
  const [first, second] = [Uint8Array.of(1, 2, 3), Uint8Array.of(4, 5)];
  const rsa = (scheme: number) => concatBytes(uint(scheme, 2), uint(0x000c, 2), sized(first));
  const ecdsaSignature = concatBytes(uint(0x0018, 2), uint(0x000b, 2), sized(first), sized(second));

  test.each([
    ['RSASSA', rsa(0x0014), { kind: 'rsa', scheme: 0x0014, hash: 0x000c, signature: first }],
    ['RSAPSS', rsa(0x0016), { kind: 'rsa', scheme: 0x0016, hash: 0x000c, signature: first }],
    ['ECDSA', ecdsaSignature, { kind: 'ecdsa', scheme: 0x0018, hash: 0x000b, r: first, s: second }],
  ])('of %s is read to its end', (_, bytes, read) => {
    expect(readTpmSignature(bytes)).toEqual(read);
    expect(() => readTpmSignature(concatBytes(bytes, Uint8Array.of(0)))).toThrow(/^sig /);
    expect(() => readTpmSignature(bytes.slice(0, -1))).toThrow(/^sig /);
  });

  test('of another scheme is refused', () => {
    expect(() => readTpmSignature(rsa(0x001a))).toThrow('sig has sigAlg 26, which is neither RSASSA, RSAPSS nor ECDSA');
  });
});

describe('a public area', () => {
  const [NULL, RSAES, ECDSA, ECDAA] = [0x10, 0x15, 0x18, 0x1a].map((alg) => uint(alg, 2));
  const none = NULL ?? new Uint8Array();
  const head = (type: number) => concatBytes(uint(type, 2), uint(0x000b, 2), uint(0x00060472, 4), sized(Uint8Array.of(1, 2, 3)));
  const details = (alg: Uint8Array = none, size = 2) => concatBytes(alg, new Uint8Array(size).fill(9));
  const ecc = (symmetric: Uint8Array, scheme: Uint8Array, kdf: Uint8Array, points = [x, y]) =>
    readPublicArea(concatBytes(head(0x0023), symmetric, scheme, uint(0x0003, 2), kdf, ...points.map(sized)));
  const rsa = (symmetric: Uint8Array, scheme: Uint8Array, exponent: number) =>
    readPublicArea(concatBytes(head(0x0001), symmetric, scheme, uint(2048, 2), uint(exponent, 4), sized(x)));
  const key = { kty: 2, curve: 3, crv: 1, x, y };

  test.each([
    ['without details', none, none, none, false],
    ['with a symmetric algorithm', details(uint(6, 2), 4), none, none, true],
    ['with a scheme', none, details(ECDSA), none, true],
    ['with ECDAA, which counts', none, details(ECDAA, 4), none, true],
    ['with a key derivation function', none, none, details(uint(0x20, 2)), true],
    ['with all of them', details(uint(6, 2), 4), details(ECDSA), details(uint(0x20, 2)), true],
  ] as const)('of an EC key %s', (_, symmetric, scheme, kdf, detailed) => {
    expect(ecc(symmetric, scheme, kdf)).toEqual({ type: 0x23, nameAlg: 0x000b, detailed, key });
  });

  test('of an RSA key, whose exponent 0 is the usual one', () => {
    const read = { type: 1, nameAlg: 0x000b };
    expect(rsa(none, none, 0)).toEqual({ ...read, detailed: false, key: { kty: 3, n: x, e: 65537 } });
    expect(rsa(none, RSAES ?? none, 3)).toEqual({ ...read, detailed: false, key: { kty: 3, n: x, e: 3 } });
    expect(rsa(details(uint(6, 2), 4), details(ECDSA), 1)).toEqual({ ...read, detailed: true, key: { kty: 3, n: x, e: 1 } });
  });

  test('gives coordinates the leading zeros back that a TPM left out', () => {
    const [short, long] = [x.slice(1), concatBytes(Uint8Array.of(7), y)];
    expect(ecc(none, none, none, [short, long]).key).toEqual({ ...key, x: concatBytes(Uint8Array.of(0), short), y: long });
  });

  test('must end where it ends', () => {
    const whole = concatBytes(head(0x0001), none, none, uint(2048, 2), uint(0, 4), sized(Uint8Array.of(5)));
    expect(() => readPublicArea(concatBytes(whole, Uint8Array.of(1, 2)))).toThrow(
      `pubArea should end at byte ${whole.length}; 2 more bytes follow`,
    );
    expect(() => readPublicArea(whole.slice(0, -1))).toThrow(
      `pubArea ends at byte ${whole.length - 1}, inside unique, which starts at byte ${whole.length - 1}`,
    );
    expect(() => readPublicArea(head(0x0008))).toThrow('pubArea has type 8, which is neither TPM_ALG_RSA (1) nor TPM_ALG_ECC (35)');
  });
});
