import {
  constants,
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  type KeyPairKeyObjectResult,
  sign,
} from 'node:crypto';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { KnownRegistration } from '../../../src/explain/report/known-ceremony.js';
import { concatBytes, encodeUtf8, fromHex } from '../../../src/kernel/bytes.js';
import { DIFFERENCES } from '../../../src/relying-party/differences.js';
import { loadLibrary } from '../../../src/relying-party/simplewebauthn.js';
import { ALGORITHMS } from '../../../src/webauthn/algorithms.js';
import {
  type AttestationObject,
  type AttestationStatement,
  decodeAttestationObject,
  encodeAttestationObject,
} from '../../../src/webauthn/attestation-object.js';
import { decodeAuthenticatorData, FLAG, OFFSETS } from '../../../src/webauthn/authenticator-data.js';
import { decodeBase64url, encodeBase64url } from '../../../src/webauthn/base64url.js';
import type { CborMap, CborValue } from '../../../src/webauthn/cbor.js';
import { decodeCertificate } from '../../../src/webauthn/certificate.js';
import { directoryName, writeName } from '../../../src/webauthn/certificate-writer.js';
import { decodeCoseKey, encodeCoseKey } from '../../../src/webauthn/cose-key.js';
import { contents, decodeDer } from '../../../src/webauthn/der.js';
import {
  bitString,
  context,
  contextPrimitive,
  enumerated,
  integer,
  nothing,
  objectIdentifier,
  octetString,
  sequence,
  set,
  utf8String,
} from '../../../src/webauthn/der-writer.js';
import {
  AT,
  caCertificate,
  caKey,
  type LeafFields,
  leafCertificate,
  MODEL_NAME,
  ROOT,
  rootCertificate,
} from '../../relying-party/attestation/authority.js';
import { RECORDINGS, recordedStatement, reportRecorded } from '../../relying-party/attestation/recordings.js';
import { flipped } from '../../relying-party/attestation/statements.js';
import { attest, eccArea, uint } from '../../relying-party/attestation/tpm-writer.js';
import { CREDENTIAL_ID, type RegistrationFields, registrationResponse, sha256, type TestKey } from '../../relying-party/ceremony.js';
import { FIELDS, key } from '../../relying-party/diagnosis/explained.js';
import { EXTENSIONS, ecKeyPair, type KeyPair, OID, USAGE } from '../../webauthn/certificate-writer.js';
import { authenticated, knownCredential, knownRegistration, registered as registeredAs } from './reported.js';

const STRANGER = rootCertificate({ subject: [[OID.cn, utf8String('Somebody else')]], issuer: [[OID.cn, utf8String('Somebody else')]] });

/** A certificate with another subject, signed anew: the writer puts each attribute into a relative distinguished name of its own. */
function replaceName(certificate: Uint8Array, name: Uint8Array, other: Uint8Array, issuer: KeyObject): Uint8Array {
  const { tbs } = decodeCertificate(certificate);
  const whole = Buffer.from(decodeDer(tbs).constructed ? contents(decodeDer(tbs)) : tbs);
  const start = whole.indexOf(name);
  const changed = sequence(concatBytes(whole.subarray(0, start), other, whole.subarray(start + name.length)));
  return sequence(changed, sequence(objectIdentifier('1.2.840.10045.4.3.2')), bitString(sign('sha256', changed, issuer)));
}

/** A test for each line of DIFFERENCES.md that report.test.ts has none for. */

/** The certificates of the test are good as of {@link AT}, and every algorithm will do. */
const known: KnownRegistration = { ...knownRegistration, algorithms: ALGORITHMS.map(({ id }) => id), at: AT };
const registered = (fields: Partial<RegistrationFields>, change: Partial<KnownRegistration> = {}) =>
  registeredAs(fields, { ...known, ...change });

const self = (alg: number) => ({
  fmt: 'packed',
  attStmt: (authData: Uint8Array, hash: Uint8Array): CborMap =>
    new Map<string, number | Uint8Array>([
      ['alg', alg],
      ['sig', sign('sha256', concatBytes(authData, hash), key.privateKey)],
    ]),
});
const beside = encodeCoseKey({ kty: 2, alg: -7, crv: 1, x: new Uint8Array(32).fill(1), y: new Uint8Array(32).fill(1) });

beforeAll(loadLibrary);
afterEach(() => {
  vi.useRealTimers();
});
/** The library asks the clock of the process, which is no part of ours. */
const at = (now: number) => vi.useFakeTimers({ now, toFake: ['Date'] });

describe('accepted by the library, refused by a step', () => {
  test.each<[string, Partial<RegistrationFields>, Partial<KnownRegistration>]>([
    ['attestation-object', { change: { attestationObject: (bytes) => concatBytes(bytes, Uint8Array.of(0)) } }, {}],
    ['credential-id-unused', {}, { credentialKnown: true }],
    ['cross-origin', { crossOrigin: true }, {}],
    ['top-origin', { topOrigin: 'https://evil.example' }, {}],
    ['algorithm', { publicKey: beside }, {}],
    ['attestation-statement', self(-257), {}],
    ['attestation-trust', self(-7), { selfAttestation: 'refuse' }],
    ['attestation-trust', { fmt: 'none' }, { attestationRoots: [ROOT.bytes] }],
    ['credential-id', { credentialId: new Uint8Array(1024).fill(1) }, {}],
    ['credential-id', { change: { json: (json) => ({ ...json, id: 'AAAA', rawId: 'AAAA' }) } }, {}],
  ])('%s', async (slug, fields, change) => {
    const report = await registered(fields, change);
    expect(report).toMatchObject({
      verdict: 'rejected',
      failed: { slug },
      library: { verdict: 'accepted' },
      difference: DIFFERENCES.find(({ where }) => where === slug)?.why,
    });
  });
});

describe('of a step that the library does not do in several ways, the report names the one that is', () => {
  const noUtf8 = (bytes: Uint8Array) => concatBytes(Uint8Array.of((bytes[0] ?? 0) + 1), bytes.subarray(1), fromHex('617861ff'));
  const outputs = (bytes: Uint8Array) =>
    concatBytes(
      bytes.map((byte, index) => (index === 32 ? byte | 0x80 : byte)),
      fromHex('80'),
    );
  const member = (publicKey: Uint8Array) => concatBytes(Uint8Array.of((publicKey[0] ?? 0) + 1), publicKey.subarray(1), fromHex('0900'));

  test.each([
    ['text that is no UTF-8', { attestationObject: noUtf8 }],
    ['extension outputs that are an array', { authData: outputs }],
  ])('%s, inside the attestation object', async (_, change) => {
    const report = await registered({ change });
    expect(report).toMatchObject({ failed: { slug: 'attestation-object' }, library: { verdict: 'accepted' } });
    expect(report.difference).toContain('the contents of the attestation object');
  });

  test('a bad public key, though there is a statement', async () => {
    const report = await registered({ ...self(-7), publicKey: member(key.publicKey) });
    expect(report).toMatchObject({ failed: { slug: 'algorithm', code: 'public_key_malformed' }, library: { verdict: 'accepted' } });
    expect(report.difference).toContain('only the part of the public key that the statement needs');
  });

  test('an RSA key that is too short', async () => {
    const pair = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const { n, e } = pair.publicKey.export({ format: 'jwk' });
    const publicKey = encodeCoseKey({ kty: 3, alg: -257, n: decodeBase64url(n ?? ''), e: decodeBase64url(e ?? '') });
    const other = { ...pair, publicKey, sign: (data: Uint8Array) => sign('sha256', data, pair.privateKey) };
    const report = await authenticated({ key: other }, { credential: { ...knownCredential, publicKey } });
    expect(report).toMatchObject({ failed: { slug: 'signature', code: 'public_key_malformed' }, library: { verdict: 'accepted' } });
    expect(report.difference).toContain('RSA keys of less than 2048 bits');
  });
});

test('an algorithm in no table is a rejection, at registration and at authentication', async () => {
  const unknown = encodeCoseKey({ kty: 2, alg: -262, crv: 1, x: new Uint8Array(32).fill(1), y: new Uint8Array(32).fill(1) });
  expect(await registered({ publicKey: unknown }, { algorithms: [-262] })).toMatchObject({
    verdict: 'rejected',
    failed: { slug: 'algorithm' },
  });
  expect(await registered(self(-262))).toMatchObject({ verdict: 'rejected', failed: { slug: 'attestation-statement' } });
  expect(await authenticated({}, { credential: { ...knownCredential, publicKey: unknown } })).toMatchObject({
    verdict: 'rejected',
    failed: { slug: 'signature', code: 'public_key_malformed' },
  });
});

test.each<[string, unknown]>([
  ['a status and an id', { status: 'present', id: 'AAAA' }],
  ['a status alone', { status: 'present' }],
  ['text', 'present'],
  ['the status of Level 2', { status: 'supported' }],
  ['a status of Level 1', { status: 'not-supported' }],
  ['a status of Level 2 in capitals', { status: 'Supported' }],
  ['a status that nobody has named', { status: 'quantum' }],
  ['an object without a status', {}],
  ['nothing', null],
])('client data with token binding as %s fail no step, whatever the library says', async (_, tokenBinding) => {
  for (const report of [await registered({ extra: { tokenBinding } }), await authenticated({ extra: { tokenBinding } })]) {
    expect(report).toMatchObject({ verdict: 'accepted', failed: undefined });
    expect(report.steps.filter(({ status }) => status === 'fail')).toEqual([]);
    expect(report.difference?.includes('tokenBinding') ?? false).toBe(report.library.verdict === 'rejected');
  }
  const forged = await authenticated({ extra: { tokenBinding }, change: { signature: (bytes) => flipped(bytes) } });
  expect(forged).toMatchObject({ verdict: 'rejected', failed: { slug: 'signature' } });
});

describe('refused by the library, allowed by the standard', () => {
  const refused = (difference: string) => ({ verdict: 'accepted', library: { verdict: 'rejected' }, difference });

  /** Ways to forge a statement, none of which a row may let through. */
  const forgeries = (object: AttestationObject): AttestationObject[] => {
    const flip = (bytes: CborValue, at = 1) => (bytes instanceof Uint8Array ? flipped(bytes, bytes.length - at) : bytes);
    const change = (member: string, make: (value: CborValue) => CborValue): AttestationObject => {
      const changed = (attStmt: CborMap): CborMap =>
        new Map([...attStmt].map(([name, value]) => [name, name === member ? make(value) : value]));
      const { statements } = object;
      return {
        ...object,
        attStmt: changed(object.attStmt),
        ...(statements && { statements: statements.map(({ fmt, attStmt }) => ({ fmt, attStmt: changed(attStmt) })) }),
      };
    };
    const { x5c } = Object.fromEntries(object.attStmt);
    return [
      ...(object.attStmt.has('response') ? [change('response', (value) => flip(value, 5))] : [change('sig', flip)]),
      // The signature of the attestation certificate, where its issuer is there.
      ...(Array.isArray(x5c) && x5c.length > 1 ? [change('x5c', () => [flip(x5c[0]), ...x5c.slice(1)])] : []),
    ];
  };
  const attestationObjectOf = (fields: Partial<RegistrationFields>) => {
    let made = new Uint8Array();
    registrationResponse({
      ...FIELDS,
      ...fields,
      change: {
        ...fields.change,
        attestationObject: (bytes) => (made = Uint8Array.from(fields.change?.attestationObject?.(bytes) ?? bytes)),
      },
    });
    return decodeAttestationObject(made);
  };

  /** Holds that a good registration is accepted for this reason, and that no forgery of it is. */
  const expectOverruled = async (fields: Partial<RegistrationFields>, difference: string) => {
    const report = await registered(fields);
    expect(report).toMatchObject(refused(difference));
    const other = {
      ...fields,
      ...(fields.attStmt && { attStmt: (authData: Uint8Array) => fields.attStmt?.(authData, sha256(Uint8Array.of(1))) ?? new Map() }),
    };
    const forged = forgeries(attestationObjectOf(fields)).map((object) => ({
      ...fields,
      change: { attestationObject: () => encodeAttestationObject(object) },
    }));
    for (const each of [other, ...forged]) {
      expect(await registered(each)).toMatchObject({ verdict: 'rejected', failed: { slug: 'attestation-statement' }, decidedBy: 'both' });
    }
    if (readCertificates(fields).length > 0) {
      expect(await registered(fields, { attestationRoots: [STRANGER] })).toMatchObject({
        verdict: 'rejected',
        failed: { slug: 'attestation-trust' },
      });
    }
    return report;
  };
  const readCertificates = (fields: Partial<RegistrationFields>) => {
    const x5c = attestationObjectOf(fields).attStmt.get('x5c');
    return Array.isArray(x5c) ? x5c : [];
  };

  /** A compound statement of the one that `statement` makes, and of others. */
  const compound = (statement: Partial<RegistrationFields>, ...others: readonly AttestationStatement[]) => ({
    ...statement,
    change: {
      ...statement.change,
      attestationObject: (bytes: Uint8Array) => {
        const { fmt, attStmt, authData } = decodeAttestationObject(bytes);
        const statements = [{ fmt, attStmt }, ...(others.length === 0 ? [{ fmt, attStmt }] : others)];
        return encodeAttestationObject({ fmt: 'compound', attStmt: new Map(), authData, statements });
      },
    },
  });
  const COMPOUND = 'The library does not know compound attestation. It is called for each statement separately.';
  const NO_STATEMENT: AttestationStatement = { fmt: 'none', attStmt: new Map() };

  const ALGORITHM =
    'The library verifies neither ES256K nor Ed448, nor the fully specified identifiers of RFC 9864 (-9, -19, -51, -52, -53).';

  const bytesOf = (text = '') => decodeBase64url(text);
  const ec = (alg: number, crv: number, namedCurve: string, hash: string) => () => {
    const pair = generateKeyPairSync('ec', { namedCurve });
    const { x, y } = pair.publicKey.export({ format: 'jwk' });
    const publicKey = encodeCoseKey({ kty: 2, alg, crv, x: bytesOf(x), y: bytesOf(y) });
    return { ...pair, publicKey, sign: (data: Uint8Array) => sign(hash, data, pair.privateKey) };
  };
  const edwards = (alg: number, crv: number, pair: KeyPairKeyObjectResult) => () => {
    const { x } = pair.publicKey.export({ format: 'jwk' });
    const publicKey = encodeCoseKey({ kty: 1, alg, crv, x: bytesOf(x) });
    return { privateKey: pair.privateKey, publicKey, sign: (data: Uint8Array) => sign(null, data, pair.privateKey) };
  };

  test.each<[string, () => TestKey]>([
    ['ES256K', ec(-47, 8, 'secp256k1', 'sha256')],
    ['ESP256', ec(-9, 1, 'P-256', 'sha256')],
    ['ESP384', ec(-51, 2, 'P-384', 'sha384')],
    ['ESP512', ec(-52, 3, 'P-521', 'sha512')],
    ['Ed25519', edwards(-19, 6, generateKeyPairSync('ed25519'))],
    ['Ed448', edwards(-53, 7, generateKeyPairSync('ed448'))],
  ])('the algorithm %s', async (_, make) => {
    const other = make();
    const report = await authenticated({ key: other }, { credential: { ...knownCredential, publicKey: other.publicKey } });
    expect(report).toMatchObject(refused(ALGORITHM));
    const forged = await authenticated(
      { key: other, change: { signature: (bytes) => flipped(bytes) } },
      { credential: { ...knownCredential, publicKey: other.publicKey } },
    );
    expect(forged).toMatchObject({ verdict: 'rejected', failed: { slug: 'signature', code: 'signature_invalid' } });
  });

  test('compound attestation', async () => {
    await expectOverruled(compound(self(-7)), COMPOUND);
  });

  const signedBy = (alg: number, x5c: readonly Uint8Array[], make: (data: Uint8Array) => Uint8Array): Partial<RegistrationFields> => ({
    attStmt: (authData, hash): CborMap =>
      new Map<string, CborValue>([
        ['alg', alg],
        ['sig', make(concatBytes(authData, hash))],
        ['x5c', [...x5c]],
      ]),
  });
  const packed = (pair: KeyPair, alg: number, make: (data: Uint8Array) => Uint8Array, change: Partial<LeafFields> = {}) => {
    const extensions = [EXTENSIONS.basicConstraints(false)];
    const leaf = leafCertificate({ subject: MODEL_NAME, publicKey: pair.publicKey, extensions, ...change });
    return { fmt: 'packed', ...signedBy(alg, [leaf, caCertificate()], make) };
  };
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pss = (hash: string) => (data: Uint8Array) =>
    sign(hash, data, { key: rsa.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST });

  test('an attestation certificate with an Ed25519 key', async () => {
    at(AT);
    const pair = generateKeyPairSync('ed25519');
    await expectOverruled(
      packed(pair, -8, (data) => sign(null, data, pair.privateKey)),
      'The library verifies statements only with attestation certificates on P-256 and P-384 and with RSA, and with ML-DSA if Node does.',
    );
  });

  const PSS =
    'The library assumes RSASSA-PKCS1-v1_5 for the RSA key of an attestation certificate, and so refuses signatures of PS256, PS384 and PS512.';
  const PSS_ALGORITHMS = [
    [-37, 'sha256'],
    [-38, 'sha384'],
    [-39, 'sha512'],
  ] as const;

  test.each(PSS_ALGORITHMS)('packed attestation signed with %i', async (alg, hash) => {
    at(AT);
    await expectOverruled(packed(rsa, alg, pss(hash)), PSS);
  });

  test('a subject with several attributes in one relative distinguished name', async () => {
    at(AT);
    const pair = ecKeyPair();
    const grouped = sequence(set(...MODEL_NAME.map(([oid, value]) => sequence(objectIdentifier(oid), value))));
    const [name] = [writeName(MODEL_NAME)];
    const leaf = leafCertificate({ subject: MODEL_NAME, publicKey: pair.publicKey, extensions: [EXTENSIONS.basicConstraints(false)] });
    const certificate = replaceName(leaf, name, grouped, caKey.privateKey);
    const make = (data: Uint8Array) => sign('sha256', data, pair.privateKey);
    await expectOverruled(
      { fmt: 'packed', ...signedBy(-7, [certificate, caCertificate()], make) },
      'The library reads only the first attribute of each relative distinguished name of the subject; §8.2.1 does not say how they are grouped.',
    );
  });

  /** The statement of a U2F key; `more`: members that the format does not have. */
  const u2f = (more: CborMap = new Map()) => {
    const attestationKey = ecKeyPair();
    const certificate = leafCertificate({
      version: 1,
      subject: [[OID.cn, utf8String('U2F key')]],
      publicKey: attestationKey.publicKey,
      extensions: [],
    });
    const attStmt = (authData: Uint8Array, hash: Uint8Array): CborMap => {
      const { rpIdHash } = decodeAuthenticatorData(authData);
      const { x, y } = Object(decodeCoseKey(key.publicKey));
      const message = concatBytes(Uint8Array.of(0), rpIdHash, hash, CREDENTIAL_ID, Uint8Array.of(4), x, y);
      return new Map<CborValue, CborValue>([['sig', sign('sha256', message, attestationKey.privateKey)], ['x5c', [certificate]], ...more]);
    };
    return { fmt: 'fido-u2f', attStmt };
  };

  test('fido-u2f with an AAGUID', async () => {
    at(AT);
    await expectOverruled(u2f(), 'The library refuses fido-u2f with an AAGUID that is not zero, which §8.6 does not require.');
  });

  /** The statement of a TPM, whose vendor the library knows. */
  const tpm = ({
    manufacturer = 'id:414D4400',
    purposes = ['2.23.133.8.3'],
    scheme = uint(0x0010, 2),
    names = [] as readonly Uint8Array[],
    pair = ecKeyPair(),
    alg = -7,
    hash = 'sha256',
    make = (data: Uint8Array): Uint8Array => sign('sha256', data, pair.privateKey),
  } = {}) => {
    const aik = leafCertificate({
      subject: [],
      publicKey: pair.publicKey,
      extensions: [
        EXTENSIONS.basicConstraints(false),
        EXTENSIONS.extendedKeyUsage(...purposes),
        EXTENSIONS.subjectAltName(
          true,
          ...names,
          directoryName(
            ['2.23.133.2.1', utf8String(manufacturer)],
            ['2.23.133.2.2', utf8String('TPM')],
            ['2.23.133.2.3', utf8String('id:0001')],
          ),
        ),
      ],
    });
    const attStmt = (authData: Uint8Array, clientDataHash: Uint8Array): CborMap => {
      const { x, y } = Object(decodeCoseKey(key.publicKey));
      const extraData = new Uint8Array(createHash(hash).update(concatBytes(authData, clientDataHash)).digest());
      const pubArea = eccArea(x, y, 0x000b, scheme);
      const name = concatBytes(uint(0x000b, 2), sha256(pubArea));
      const certInfo = attest({ magic: 0xff544347, type: 0x8017, extraData, name });
      return new Map<string, CborValue>([
        ['ver', '2.0'],
        ['alg', alg],
        ['x5c', [aik, caCertificate()]],
        ['sig', make(certInfo)],
        ['certInfo', certInfo],
        ['pubArea', pubArea],
      ]);
    };
    return { fmt: 'tpm', attStmt };
  };

  test('a TPM of a manufacturer that is not registered', async () => {
    at(AT);
    const report = await expectOverruled(
      tpm({ manufacturer: 'id:58585858' }),
      'The library refuses TPMs of unknown manufacturers, which §8.3 does not require.',
    );
    expect(report.library.reason).toContain('58585858');
  });

  test('an identity key of a TPM with another purpose before its own', async () => {
    at(AT);
    await expectOverruled(
      tpm({ purposes: ['2.23.133.8.1', '2.23.133.8.3'] }),
      'The library refuses AIK certificates whose extended key usage has another purpose before tcg-kp-AIKCertificate; §8.3.1 requires only its presence.',
    );
  });

  test('a TPM that names the scheme of the key', async () => {
    at(AT);
    const ecdsaWithSha256 = concatBytes(uint(0x0018, 2), uint(0x000b, 2));
    await expectOverruled(
      tpm({ scheme: ecdsaWithSha256 }),
      'The library cannot read a pubArea that names a scheme for its key, since details of the scheme precede the key.',
    );
  });

  test.each(PSS_ALGORITHMS)('a TPM that signs with %i', async (alg, hash) => {
    at(AT);
    await expectOverruled(tpm({ pair: rsa, alg, hash, make: pss(hash) }), PSS);
  });

  test('an identity key of a TPM whose directory name comes second', async () => {
    at(AT);
    await expectOverruled(
      tpm({ names: [contextPrimitive(2, encodeUtf8('tpm.example'))] }),
      'The library looks for the directory name only in the first subject alternative name of the AIK certificate; §8.3.1 requires no order.',
    );
  });

  /** An Android key of this credential; `tee`: members of its hardware enforced list; `root`: whether its certificates go on to the root. */
  const androidKey = ({ tee = [] as readonly Uint8Array[], identifier = Uint8Array.of(1), root = true } = {}) => ({
    fmt: 'android-key',
    attStmt: (authData: Uint8Array, hash: Uint8Array): CborMap => {
      const enforced = sequence(context(1, set(integer(2))), context(702, integer(0)), ...tee);
      const head = [integer(300), enumerated(1), integer(300), enumerated(1), octetString(hash), octetString(new Uint8Array())];
      const description = { oid: '1.3.6.1.4.1.11129.2.1.17', value: sequence(...head, sequence(), enforced) };
      const leaf = leafCertificate({
        subject: [[OID.cn, utf8String('Android Keystore Key')]],
        publicKey: createPublicKey(key.privateKey),
        extensions: [description, EXTENSIONS.authorityKeyIdentifier(Uint8Array.of(1))],
      });
      const constraints = [EXTENSIONS.basicConstraints(true), EXTENSIONS.keyUsage(USAGE.keyCertSign)];
      const identifiers = [EXTENSIONS.subjectKeyIdentifier(identifier), EXTENSIONS.authorityKeyIdentifier(Uint8Array.of(3))];
      const ca = caCertificate({ extensions: [...constraints, ...identifiers] });
      return new Map<string, CborValue>([
        ['alg', -7],
        ['sig', key.sign(concatBytes(authData, hash))],
        ['x5c', [leaf, ca, ...(root ? [ROOT.bytes] : [])]],
      ]);
    },
  });

  test.each([tpm(), androidKey()])('$fmt as both know it', async (statement) => {
    at(AT);
    expect(await registered(statement)).toMatchObject({ verdict: 'accepted', library: { verdict: 'accepted' }, difference: undefined });
  });

  test('an Android key whose authority key identifier is not that of its issuer', async () => {
    at(AT);
    await expectOverruled(
      androidKey({ identifier: Uint8Array.of(2) }),
      'The library refuses chains in which an authority key identifier is not the subject key identifier of the issuer; in RFC 5280 §4.2.1.1 both only help to find the issuer.',
    );
  });

  test('an Android key with a tag that the library does not know; and no tag may stand twice', async () => {
    at(AT);
    const unknown = context(799, integer(1));
    await expectOverruled(
      androidKey({ tee: [unknown] }),
      'The library cannot read authorization lists with unknown tags; Android adds some with every version of the schema.',
    );
    for (const tee of [
      [context(600, nothing()), unknown],
      [context(702, integer(2)), unknown],
    ]) {
      expect(await registered(androidKey({ tee }))).toMatchObject({ verdict: 'rejected', failed: { slug: 'attestation-statement' } });
    }
  });

  /** Extension outputs that every step passes and the library cannot read, which no row is about. */
  const unreadable = (bytes: Uint8Array) =>
    concatBytes(
      bytes.map((byte, index) => (index === OFFSETS.flags ? byte | FLAG.ed : byte)),
      fromHex('bf646e616d6501ff'),
    );
  const unexplained = (statement: Partial<RegistrationFields>) => ({ ...statement, change: { ...statement.change, authData: unreadable } });

  test.each<[string, Partial<RegistrationFields>]>([
    ['an alg that the format does not have', { ...u2f(new Map([['alg', -47]])), aaguid: new Uint8Array(16) }],
    ['certificates cut off before the root', androidKey({ root: false })],
    ['a compound attestation of one statement twice', compound(self(-7))],
    ['a compound attestation with an empty statement', compound(self(-7), NO_STATEMENT)],
  ])('no difference is switched on by what nobody signed: %s', async (_, statement) => {
    at(AT);
    expect(await registered(unexplained(statement))).toMatchObject({
      verdict: 'undecided',
      failed: undefined,
      disagreement: { code: 'verifiers_disagree' },
    });
  });

  test('of a compound attestation, each statement is accepted by both or refused for a reason of its own', async () => {
    at(AT);
    const known = await registered(compound(androidKey({ identifier: Uint8Array.of(2) }), NO_STATEMENT));
    expect(known).toMatchObject(refused(COMPOUND));
  });

  /** A recording as of some time after it was made, with a statement changed in what no signature covers. */
  const replayed = async (file: string, later: number, change: (object: AttestationObject) => AttestationObject = (object) => object) => {
    const recording = RECORDINGS.find((candidate) => candidate.file === file);
    if (recording === undefined) throw new Error(`expected the recording ${file}`);
    const statement = recordedStatement(recording);
    at(statement.at + later);
    const report = (object: AttestationObject) => reportRecorded(recording, encodeBase64url(encodeAttestationObject(object)));
    const replay = change(statement.attestationObject);
    for (const forged of forgeries(replay)) {
      expect(await report(forged)).toMatchObject({ verdict: 'rejected', failed: { slug: 'attestation-statement' } });
    }
    return report(replay);
  };

  test('an Android key with its own certificate alone', async () => {
    const alone = (object: AttestationObject): AttestationObject => {
      const x5c = object.attStmt.get('x5c');
      return { ...object, attStmt: new Map([...object.attStmt, ['x5c', Array.isArray(x5c) ? x5c.slice(0, 1) : []]]) };
    };
    expect(await replayed('pixel-8a-android-key.json', 0, alone)).toMatchObject(
      refused('The library refuses Android keys without issuer certificates; the standard allows them.'),
    );
  });

  test('an answer of SafetyNet that is two minutes old', async () => {
    expect(await replayed('safetynet-certified-device.json', 120_000)).toMatchObject(
      refused(
        'The library requires the SafetyNet response to be less than a minute old today; §8.5 does not, and the nonce of the response is bound to the challenge.',
      ),
    );
  });
});
