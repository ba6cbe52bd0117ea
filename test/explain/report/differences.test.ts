import { generateKeyPairSync, type KeyPairKeyObjectResult, sign } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { readCredential } from '../../../src/explain/annotate/read-credential.js';
import type { KnownRegistration } from '../../../src/explain/report/known-ceremony.js';
import { reportRegistration } from '../../../src/explain/report/report.js';
import { concatBytes, encodeUtf8, equalBytes, fromHex } from '../../../src/kernel/bytes.js';
import { DIFFERENCES } from '../../../src/relying-party/differences.js';
import { loadLibrary } from '../../../src/relying-party/simplewebauthn.js';
import { type AttestationObject, decodeAttestationObject, encodeAttestationObject } from '../../../src/webauthn/attestation-object.js';
import { decodeAuthenticatorData } from '../../../src/webauthn/authenticator-data.js';
import { decodeBase64url, encodeBase64url } from '../../../src/webauthn/base64url.js';
import type { CborMap, CborValue } from '../../../src/webauthn/cbor.js';
import { decodeClientData } from '../../../src/webauthn/client-data.js';
import { decodeCoseKey, encodeCoseKey } from '../../../src/webauthn/cose-key.js';
import { printableString, utf8String } from '../../../src/webauthn/der-writer.js';
import { AT, caCertificate, leafCertificate, ROOT } from '../../relying-party/attestation/authority.js';
import { RECORDINGS, recordedCredential, recordedStatement } from '../../relying-party/attestation/recordings.js';
import { attest, eccArea, uint } from '../../relying-party/attestation/tpm-writer.js';
import { CREDENTIAL_ID, type RegistrationFields, sha256, type TestKey } from '../../relying-party/ceremony.js';
import { key } from '../../relying-party/diagnosis/explained.js';
import { EXTENSIONS, ecKeyPair, OID } from '../../webauthn/certificate-writer.js';
import { authenticated, knownCredential, knownRegistration, registered as registeredAs } from './reported.js';

/** A test for each line of DIFFERENCES.md that report.test.ts has none for. */

/** The certificates of the test are good as of {@link AT}, and every algorithm will do. */
const known: KnownRegistration = { ...knownRegistration, algorithms: undefined, at: AT };
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
    ['top-origin', { topOrigin: 'https://evil.example' }, {}],
    ['algorithm', { publicKey: beside }, {}],
    ['attestation-statement', self(-257), {}],
    ['attestation-trust', self(-7), { selfAttestation: 'refuse' }],
    ['attestation-trust', { fmt: 'none' }, { attestationRoots: [ROOT.bytes] }],
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
    expect(report.difference).toContain('inside the attestation object');
  });

  test('a bad public key, though there is a statement', async () => {
    const report = await registered({ ...self(-7), publicKey: member(key.publicKey) });
    expect(report).toMatchObject({ failed: { slug: 'algorithm', code: 'public_key_malformed' }, library: { verdict: 'accepted' } });
    expect(report.difference).toContain('no more of the public key than the statement needs');
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
  ['nothing', null],
])('client data with token binding as %s fail no step, whatever the library says', async (_, tokenBinding) => {
  for (const report of [await registered({ extra: { tokenBinding } }), await authenticated({ extra: { tokenBinding } })]) {
    expect(report).toMatchObject({ verdict: 'accepted', failed: undefined });
    expect(report.steps.filter(({ status }) => status === 'fail')).toEqual([]);
    expect(report.difference?.includes('tokenBinding') ?? false).toBe(report.library.verdict === 'rejected');
  }
});

describe('refused by the library, allowed by the standard', () => {
  const refused = (difference: string) => ({ verdict: 'accepted', library: { verdict: 'rejected' }, difference });

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
  });

  test('compound attestation', async () => {
    const { attStmt } = self(-7);
    const compound = (bytes: Uint8Array) => {
      const { attStmt: statement, authData } = decodeAttestationObject(bytes);
      const statements = [1, 2].map(() => ({ fmt: 'packed', attStmt: statement }));
      return encodeAttestationObject({ fmt: 'compound', attStmt: new Map(), authData, statements });
    };
    const report = await registered({ fmt: 'packed', attStmt, change: { attestationObject: compound } });
    expect(report).toMatchObject(refused('The library does not know compound attestation.'));
  });

  test('an attestation certificate with an Ed25519 key', async () => {
    at(AT);
    const pair = generateKeyPairSync('ed25519');
    const certificate = leafCertificate({
      subject: [
        [OID.c, printableString('SE')],
        [OID.o, utf8String('Example AB')],
        [OID.ou, utf8String('Authenticator Attestation')],
        [OID.cn, utf8String('Example key')],
      ],
      publicKey: pair.publicKey,
      extensions: [EXTENSIONS.basicConstraints(false)],
    });
    const attStmt = (authData: Uint8Array, hash: Uint8Array): CborMap =>
      new Map<string, CborValue>([
        ['alg', -8],
        ['sig', sign(null, concatBytes(authData, hash), pair.privateKey)],
        ['x5c', [certificate]],
      ]);
    const report = await registered({ fmt: 'packed', attStmt });
    expect(report).toMatchObject(
      refused(
        'The library verifies statements with attestation certificates on P-256 and P-384 and with RSA only, and ML-DSA where Node does.',
      ),
    );
  });

  test('fido-u2f with an AAGUID', async () => {
    at(AT);
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
      return new Map<string, Uint8Array | Uint8Array[]>([
        ['sig', sign('sha256', message, attestationKey.privateKey)],
        ['x5c', [certificate]],
      ]);
    };
    const report = await registered({ fmt: 'fido-u2f', attStmt });
    expect(report).toMatchObject(refused('The library refuses fido-u2f with an AAGUID that is not zero, which §8.6 does not ask for.'));
  });

  /** The statement of a TPM, whose vendor the library knows. */
  const tpm = ({ manufacturer = 'id:414D4400', purposes = ['2.23.133.8.3'], scheme = uint(0x0010, 2) } = {}) => {
    const aikKey = ecKeyPair();
    const aik = leafCertificate({
      subject: [],
      publicKey: aikKey.publicKey,
      extensions: [
        EXTENSIONS.basicConstraints(false),
        EXTENSIONS.extendedKeyUsage(...purposes),
        EXTENSIONS.directoryName([
          ['2.23.133.2.1', utf8String(manufacturer)],
          ['2.23.133.2.2', utf8String('TPM')],
          ['2.23.133.2.3', utf8String('id:0001')],
        ]),
      ],
    });
    const attStmt = (authData: Uint8Array, hash: Uint8Array): CborMap => {
      const { x, y } = Object(decodeCoseKey(key.publicKey));
      const pubArea = eccArea(x, y, 0x000b, scheme);
      const name = concatBytes(uint(0x000b, 2), sha256(pubArea));
      const certInfo = attest({ magic: 0xff544347, type: 0x8017, extraData: sha256(concatBytes(authData, hash)), name });
      return new Map<string, CborValue>([
        ['ver', '2.0'],
        ['alg', -7],
        ['x5c', [aik, caCertificate()]],
        ['sig', sign('sha256', certInfo, aikKey.privateKey)],
        ['certInfo', certInfo],
        ['pubArea', pubArea],
      ]);
    };
    return { fmt: 'tpm', attStmt };
  };

  test('a TPM of a manufacturer that is not registered', async () => {
    at(AT);
    const report = await registered(tpm({ manufacturer: 'id:58585858' }));
    expect(report).toMatchObject(refused('The library refuses TPMs of manufacturers that it does not know, which §8.3 does not ask for.'));
    expect(report.library.reason).toContain('58585858');
  });

  test('a TPM as both know it', async () => {
    at(AT);
    expect(await registered(tpm())).toMatchObject({ verdict: 'accepted', library: { verdict: 'accepted' }, difference: undefined });
  });

  test('an identity key of a TPM with another purpose before its own', async () => {
    at(AT);
    expect(await registered(tpm({ purposes: ['2.23.133.8.1', '2.23.133.8.3'] }))).toMatchObject(
      refused(
        'The library refuses AIK certificates whose extended key usage has another purpose before tcg-kp-AIKCertificate; §8.3.1 asks only that it be there.',
      ),
    );
  });

  test('a TPM that names the scheme of the key', async () => {
    at(AT);
    const ecdsaWithSha256 = concatBytes(uint(0x0018, 2), uint(0x000b, 2));
    expect(await registered(tpm({ scheme: ecdsaWithSha256 }))).toMatchObject(
      refused('The library cannot read a pubArea that names a scheme for its key, since details of the scheme stand before the key.'),
    );
  });

  /** A recording as of some time after it was made, with a statement changed in what no signature covers. */
  const replayed = async (file: string, later: number, change: (object: AttestationObject) => AttestationObject = (object) => object) => {
    const recording = RECORDINGS.find((candidate) => candidate.file === file);
    if (recording === undefined) throw new Error(`expected the recording ${file}`);
    const statement = recordedStatement(recording);
    const { challenge: issued, origin } = decodeClientData(decodeBase64url(recording.clientDataJSON));
    const { rpIdHash } = decodeAuthenticatorData(statement.attestationObject.authData);
    const labels = new URL(origin).hostname.split('.');
    const rpId = labels.map((_, index) => labels.slice(index).join('.')).find((name) => equalBytes(sha256(encodeUtf8(name)), rpIdHash));
    const id = encodeBase64url(recordedCredential(statement).credentialId);
    const attestationObject = encodeBase64url(encodeAttestationObject(change(statement.attestationObject)));
    const now = statement.at + later;
    at(now);
    return reportRegistration(
      readCredential({ id, rawId: id, type: 'public-key', response: { clientDataJSON: recording.clientDataJSON, attestationObject } }),
      { ...known, rpId, origins: [origin], challenge: { status: 'open', challenge: decodeBase64url(issued) }, at: statement.at },
    );
  };

  test('an Android key with its own certificate alone', async () => {
    const alone = (object: AttestationObject): AttestationObject => {
      const x5c = object.attStmt.get('x5c');
      return { ...object, attStmt: new Map([...object.attStmt, ['x5c', Array.isArray(x5c) ? x5c.slice(0, 1) : []]]) };
    };
    expect(await replayed('pixel-8a-android-key.json', 0, alone)).toMatchObject(
      refused(
        'The library refuses Android keys that bring no certificate but their own; the standard allows leaving out those of the issuers.',
      ),
    );
  });

  test('an answer of SafetyNet that is two minutes old', async () => {
    expect(await replayed('safetynet-certified-device.json', 120_000)).toMatchObject(
      refused(
        'The library wants the answer of SafetyNet to be less than a minute old as of today; §8.5 does not, and the nonce of the answer is bound to the challenge.',
      ),
    );
  });
});
