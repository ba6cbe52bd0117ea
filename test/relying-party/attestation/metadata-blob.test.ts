import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { concatBytes, encodeUtf8 } from '../../../src/kernel/bytes.js';
import { readMetadataBlob } from '../../../src/relying-party/attestation/metadata-blob.js';
import { encodeBase64, encodeBase64url } from '../../../src/webauthn/base64url.js';
import { decodeCertificate } from '../../../src/webauthn/certificate.js';
import { der, sequence, utf8String } from '../../../src/webauthn/der-writer.js';
import { EXTENSIONS, ecKeyPair, type Name, OID } from '../../webauthn/certificate-writer.js';
import { AT, CA, leafCertificate, ROOT, YEAR } from './authority.js';
import { blobAuthority, blobPayload, readRefusal as refusal, writeBlob } from './metadata-writer.js';

type MetadataSettings = Parameters<typeof readMetadataBlob>[1];

const DAY = 86_400_000;
const AAGUID = '0132d110-bf4e-4208-a403-ab4f5f12efe5';
const ZEROS = '00000000-0000-0000-0000-000000000000';

const authority = blobAuthority(AT);
const attested = ecKeyPair();
const leaf = decodeCertificate(
  leafCertificate({
    subject: [[OID.cn, utf8String('A key')]],
    publicKey: attested.publicKey,
    extensions: [EXTENSIONS.basicConstraints(false)],
  }),
);
const keyIdentifier = createHash('sha1').update(leaf.publicKey.key).digest('hex');

const model = { fmt: 'packed', aaguid: AAGUID, attestationCertificates: [leaf, CA] };
const base64 = ({ bytes }: { readonly bytes: Uint8Array }) => encodeBase64(bytes);
const entry = (change: object = {}, statement: object = {}) => ({
  aaguid: AAGUID,
  metadataStatement: {
    description: 'Example Key 5',
    attestationTypes: ['basic_full'],
    attestationRootCertificates: [base64(ROOT)],
    icon: 'data:image/png;base64,AAAA',
    ...statement,
  },
  statusReports: [{ status: 'FIDO_CERTIFIED_L1', effectiveDate: '2024-02-01', certificateNumber: 'X' }],
  timeOfLastStatusChange: '2024-02-01',
  ...change,
});
const payload = (...entries: readonly unknown[]) => blobPayload(AT + 30 * DAY, entries);

function read(text: string, change: Partial<MetadataSettings> = {}) {
  return readMetadataBlob(encodeUtf8(text), { roots: [authority.root], at: AT, ...change });
}

describe('a BLOB of its root', () => {
  const blob = read(`${writeBlob(authority, payload(entry()))}\n`);

  test('is read and anchored', () => {
    expect(blob).toMatchObject({ legalHeader: 'For tests only.', no: 7, nextUpdate: AT + 30 * DAY });
    expect(blob.signer).toEqual(authority.signer);
    expect(blob.checks.map(({ slug, status }) => `${slug} ${status}`)).toEqual([
      'metadata-signature pass',
      'chain-validity pass',
      'chain-signatures pass',
      'chain-authorities pass',
      'chain-critical-extensions pass',
      'metadata-trust-anchor pass',
      'metadata-signer pass',
      'metadata-stale pass',
    ]);
  });

  test('names the model, its roots and its status', () => {
    expect(blob.nameOf(AAGUID.toUpperCase())).toBe('Example Key 5');
    expect(blob.rootsFor(model)).toEqual([ROOT]);
    expect(blob.find(model)?.attestationTypes).toEqual(['basic_full']);
    expect(blob.statusOf(model)).toEqual([
      {
        status: 'FIDO_CERTIFIED_L1',
        severity: 'pass',
        effectiveDate: '2024-02-01',
        message: 'FIDO metadata says FIDO_CERTIFIED_L1 since 2024-02-01: it is certified.',
      },
    ]);
  });

  test('knows nothing of other models', () => {
    const other = { fmt: 'packed', aaguid: ZEROS, attestationCertificates: [leaf] };
    expect([blob.find(other), blob.rootsFor(other), blob.nameOf(ZEROS), blob.statusOf(other)]).toEqual([undefined, [], undefined, []]);
  });
});

test('a BLOB as the FIDO Alliance writes it: RS256, with the CA between signer and root in x5c', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const subject: Name = [[OID.cn, utf8String('mds.fidoalliance.org')]];
  const signer = decodeCertificate(leafCertificate({ subject, publicKey, extensions: [EXTENSIONS.basicConstraints(false)] }));
  const x5c = [base64(signer), base64(CA)];
  const [input = ''] = /^[^.]+\.[^.]+/.exec(writeBlob(authority, payload(entry()), { alg: 'RS256', x5c })) ?? [];
  const signature = new Uint8Array(sign('sha256', encodeUtf8(input), privateKey));
  expect(read(`${input}.${encodeBase64url(signature)}`, { roots: [ROOT] })).toMatchObject({ signer });
});

test.each([
  ['the attestation certificate', keyIdentifier],
  ['a CA of its path, in upper case', createHash('sha1').update(CA.publicKey.key).digest('hex').toUpperCase()],
])('U2F models are found by the key identifier of %s', (_, identifier) => {
  const blob = read(writeBlob(authority, payload(entry({ aaguid: undefined, attestationCertificateKeyIdentifiers: [identifier] }))));
  const u2f = { fmt: 'fido-u2f', aaguid: ZEROS, attestationCertificates: [leaf, CA] };
  expect(blob.rootsFor(u2f)).toEqual([ROOT]);
  expect(blob.rootsFor({ ...u2f, attestationCertificates: [] })).toEqual([]);
});

describe('status reports', () => {
  const statusOf = (report: object) => read(writeBlob(authority, payload(entry({ statusReports: [report] })))).statusOf(model);

  test.each([
    ['REVOKED', 'fail', 'should not be trusted'],
    ['ATTESTATION_KEY_COMPROMISE', 'fail', 'proves nothing'],
    ['USER_KEY_REMOTE_COMPROMISE', 'fail', 'used remotely'],
    ['USER_VERIFICATION_BYPASS', 'fail', 'user verification'],
    ['USER_KEY_PHYSICAL_COMPROMISE', 'warn', 'extract'],
    ['UPDATE_AVAILABLE', 'warn', 'newer firmware'],
    ['RETIRED', 'warn', 'support'],
    ['NOT_FIDO_CERTIFIED', 'pass', 'not certified'],
    ['SELF_ASSERTION_SUBMITTED', 'pass', 'checklist'],
    ['FIDO_CERTIFIED_L3plus', 'pass', 'certified'],
    ['FIPS140_CERTIFIED_L2', 'pass', 'certified'],
    ['SOMETHING_OF_MDS_4', 'warn', 'an unknown status'],
    ['constructor', 'warn', 'an unknown status'],
  ])('%s is %s', (status, severity, words) => {
    const [finding] = statusOf({ status, effectiveDate: '2025-03-04', authenticatorVersion: 3 });
    expect(finding).toMatchObject({ status, severity, effectiveDate: '2025-03-04' });
    expect(finding?.message).toContain(`FIDO metadata says ${status} since 2025-03-04 (authenticator version 3): `);
    expect(finding?.message).toContain(words);
  });

  test.each([
    ['this certificate', base64(leaf), 'fail'],
    ['one that has issued it', base64(CA), 'fail'],
    ['something that cannot be read', 'AAAA', 'fail'],
    ['another certificate', base64(authority.signer), 'warn'],
  ])('a compromise of %s concerns this authenticator: %s', (_, certificate, severity) => {
    expect(statusOf({ status: 'ATTESTATION_KEY_COMPROMISE', batchCertificate: certificate })).toMatchObject([{ severity }]);
  });

  test('a compromise of a certificate does not fail what came without one', () => {
    const report = { status: 'ATTESTATION_KEY_COMPROMISE', certificate: base64(leaf) };
    const blob = read(writeBlob(authority, payload(entry({ statusReports: [report] }))));
    const [finding] = blob.statusOf({ ...model, attestationCertificates: [] });
    expect(finding).toMatchObject({ severity: 'warn', message: expect.stringContaining('this attestation has none') });
  });
});

test('a root that cannot be read is left out, and named', () => {
  const spaced = base64(ROOT).replace(/(.{64})/g, '$1\r\n ');
  const blob = read(writeBlob(authority, payload(entry({}, { attestationRootCertificates: ['MIIB', spaced, 'not base64!'] }))));
  expect(blob.rootsFor(model)).toEqual([ROOT]);
  const messages = blob.statusOf(model).map(({ status, severity, message }) => `${status} ${severity} ${message}`);
  expect(messages.slice(1)).toEqual([
    expect.stringMatching(/^ROOT_UNREADABLE warn .*\/entries\/0\/metadataStatement\/attestationRootCertificates\/0 /),
    expect.stringMatching(/^ROOT_UNREADABLE warn .*\/attestationRootCertificates\/2 .*expected base64/),
  ]);
});

describe('warnings', () => {
  const warned = (text: string, change: Partial<MetadataSettings> = {}) =>
    read(text, change).checks.flatMap(({ status, slug, received }) => (status === 'warn' ? [`${slug}: ${received}`] : []));

  test.each([
    ['in the day of nextUpdate', AT + 31 * DAY - 1, []],
    ['after it', AT + 31 * DAY, ['metadata-stale: nextUpdate 2026-02-14']],
  ])('%s', (_, at, expected) => {
    expect(warned(writeBlob(authority, payload()), { at })).toEqual(expected);
  });

  test('a signer of another name', () => {
    const other = blobAuthority(AT, { subject: [[OID.cn, utf8String('mds.example')]] });
    expect(warned(writeBlob(other, payload()), { roots: [other.root] })).toEqual(['metadata-signer: CN=mds.example']);
  });

  test('none where the name is an alternative one', () => {
    const value = sequence(der(0x82, encodeUtf8('MDS.fidoalliance.org')));
    const other = blobAuthority(AT, { subject: [], extensions: [{ oid: '2.5.29.17', critical: true, value }] });
    expect(warned(writeBlob(other, payload()), { roots: [other.root] })).toEqual([]);
  });
});

describe('trust', () => {
  const text = writeBlob(authority, payload());

  test('without a root it is refused', () => {
    const error = refusal(() => read(text, { roots: [] }));
    expect([error.code, error.message]).toEqual(['validation_failed', expect.stringContaining('GlobalSign Root R3')]);
  });

  test.each([
    ['another root', text, { roots: [ROOT] }, 'none of which is in the path of CN=mds.fidoalliance.org'],
    ['a signer that is not valid yet', text, { at: AT - 2 * DAY }, 'certificates that were valid at the time'],
    ['a signer that is not valid any more', text, { at: AT + YEAR + DAY }, 'certificates that were valid at the time'],
    ['the key of somebody else', writeBlob({ ...authority, signerKey: ecKeyPair() }, payload()), {}, 'invalid signature, "ES256"'],
    ['no algorithm', writeBlob(authority, payload(), { alg: 'none' }), {}, 'an unknown algorithm or key, "none"'],
    ['a secret', writeBlob(authority, payload(), { alg: 'HS256' }), {}, 'an unknown algorithm or key, "HS256"'],
    ['an algorithm of other keys', writeBlob(authority, payload(), { alg: 'RS256' }), {}, 'invalid signature, "RS256"'],
    ['no x5c', writeBlob(authority, payload(), { x5c: undefined, x5u: 'https://example.org' }), {}, 'x5c in the header'],
    ['an x5c of no certificate', writeBlob(authority, payload(), { x5c: ['AAAA'] }), {}, 'x5c in the header'],
    [
      'an x5c out of order',
      writeBlob(authority, payload(), { x5c: [base64(authority.signer), base64(leaf)] }),
      {},
      'each certificate issued and signed by the next',
    ],
  ])('%s is refused', (_, blob, change, words) => {
    const error = refusal(() => read(blob, change));
    expect([error.code, error.message]).toEqual(['validation_failed', expect.stringContaining(words)]);
    expect(error.message).toMatch(/^The metadata BLOB cannot be used: /);
  });

  test('a signer that is no CA cannot vouch for another', () => {
    const { publicKey, privateKey } = ecKeyPair();
    const forged = blobAuthority(AT, {
      issuer: [[OID.cn, utf8String('mds.fidoalliance.org')]],
      publicKey,
      signingKey: authority.signerKey.privateKey,
    });
    const x5c = [base64(forged.signer), base64(authority.signer), base64(authority.root)];
    const error = refusal(() => read(writeBlob({ ...forged, signerKey: { publicKey, privateKey } }, payload(), { x5c })));
    expect(error.message).toContain('is not a CA');
  });
});

describe('what is no BLOB', () => {
  const [header = '', body = '', signature = ''] = writeBlob(authority, payload()).split('.');
  const part = (text: string) => encodeBase64url(encodeUtf8(text));

  test.each([
    ['two parts', `${header}.${body}`, 'expected three parts with dots between them, got 2'],
    ['JSON', '{"entries": []}', 'expected three parts'],
    [
      'a character that is no base64url',
      `${header}.${body.slice(0, 10)}+${body.slice(11)}.${signature}`,
      'in the payload: Expected base64url without padding; got "+" at position 10',
    ],
    ['a padded signature', `${header}.${body}.${signature}==`, 'in the signature: '],
    ['a payload that is cut off', `${header}.${part('{"no": 7,\n "entr')}.${signature}`, 'in the payload, 2:7 (line:column): expected '],
    [
      'a header that is no UTF-8',
      `${encodeBase64url(Uint8Array.of(0x7b, 0xff))}.${body}.${signature}`,
      'in the header: Expected UTF-8; byte 1',
    ],
    ['a payload that is an array', `${header}.${part('[]')}.${signature}`, 'expected the payload to be a JSON object'],
    ['an empty file', '', 'expected three parts'],
  ])('%s', (_, text, words) => {
    const error = refusal(() => read(text));
    expect([error.code, error.message]).toEqual(['validation_failed', expect.stringContaining(words)]);
  });

  test('bytes', () => {
    const error = refusal(() => readMetadataBlob(concatBytes(Uint8Array.of(0xff), encodeUtf8(header)), { roots: [], at: AT }));
    expect(error.message).toContain('byte 0');
  });
});
