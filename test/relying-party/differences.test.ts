import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { concatBytes, encodeUtf8, fromHex } from '../../src/kernel/bytes.js';
import * as traits from '../../src/relying-party/ceremony-traits.js';
import { acceptedAgainst, DIFFERENCES, refusedAgainst } from '../../src/relying-party/differences.js';
import { AUTHENTICATION_STEPS } from '../../src/relying-party/steps/authentication.js';
import type { AuthenticationContext, LibraryRefusal, RegistrationContext } from '../../src/relying-party/steps/context.js';
import { REGISTRATION_STEPS } from '../../src/relying-party/steps/registration.js';
import { encodeBase64, encodeBase64url } from '../../src/webauthn/base64url.js';
import type { CborValue } from '../../src/webauthn/cbor.js';
import { type Certificate, decodeCertificate } from '../../src/webauthn/certificate.js';
import type { CoseKey } from '../../src/webauthn/cose-key.js';
import { enumerated, integer, octetString, sequence, context as tagged, utf8String } from '../../src/webauthn/der-writer.js';
import { EXTENSIONS, type Extension, ecKeyPair } from '../webauthn/certificate-writer.js';
import { AT, caCertificate, leafCertificate, YEAR } from './attestation/authority.js';
import { eccArea, uint } from './attestation/tpm-writer.js';
import { authenticationOf, registrationOf } from './diagnosis/explained.js';

const registration = registrationOf({}, { credentialKnown: false }).context;
const authentication = authenticationOf({}).context;
function reportOf(context: RegistrationContext) {
  const report = context.attestation();
  if (report === undefined) throw new Error('Expected a report.');
  return report;
}
const report = reportOf(registration);

const { readKey: _key, readPart, readFormat: _format, LIBRARY_AUTHORIZATIONS: _tags, ...TRAITS } = traits;
/** The names of the properties that a ceremony has. */
const having = (context: traits.Context, at = AT) => Object.entries(TRAITS).flatMap(([name, holds]) => (holds(context, at) ? [name] : []));

interface Made {
  readonly certificates?: readonly Certificate[];
  readonly members?: Readonly<Record<string, CborValue>>;
  readonly key?: CoseKey;
}

/** A registration whose statement has this format, and says and is certified so. */
function attested(fmt: string, { certificates = [], members = {}, key }: Made = {}): RegistrationContext {
  const attStmt = new Map<CborValue, CborValue>(Object.entries(members));
  if (!registration.attestationObject.ok) throw new Error('Expected an attestation object.');
  return {
    ...registration,
    attestationObject: { ok: true, value: { ...registration.attestationObject.value, fmt, attStmt } },
    attestation: () => ({ ...report, fmt, certificates, trustPath: certificates.map(({ bytes }) => bytes) }),
    ...(key && { credentialKey: { ok: true, value: key } }),
  };
}

const leafKey = ecKeyPair();
const made = (extensions: readonly Extension[] = [], publicKey = leafKey.publicKey, notAfter = AT + YEAR) =>
  decodeCertificate(leafCertificate({ publicKey, extensions, notAfter }));
const good = made();
const expired = made([], leafKey.publicKey, AT - 1000);
const ca = decodeCertificate(caCertificate());
const rsaKey: CoseKey = { kty: 3, alg: -257, n: new Uint8Array(256), e: fromHex('010001') };
const okpKey: CoseKey = { kty: 1, alg: -8, crv: 6, x: new Uint8Array(32) };

const directory = (manufacturer: string) =>
  EXTENSIONS.directoryName([
    ['2.23.133.2.1', utf8String(manufacturer)],
    ['2.23.133.2.2', utf8String('model')],
    ['2.23.133.2.3', utf8String('id:01')],
  ]);
const AIK = '2.23.133.8.3';
const aik = (...extensions: readonly Extension[]) => made([directory('id:414D4400'), ...extensions]);
const described = (...tags: readonly number[]) => {
  const list = sequence(...tags.map((tag) => tagged(tag, integer(1))));
  const head = [integer(3), enumerated(1), integer(3), enumerated(1), octetString(new Uint8Array(1)), octetString(new Uint8Array())];
  return made([{ oid: '1.3.6.1.4.1.11129.2.1.17', value: sequence(...head, sequence(), list) }]);
};
/** A certificate with these names of its kinds of alternative names and these key identifiers. */
function withExtensions(change: Partial<Certificate['extensions']>, certificate = good): Certificate {
  return { ...certificate, extensions: { ...certificate.extensions, ...change } };
}
const identified = (authority: string | undefined, subject: string | undefined, certificate = good) =>
  withExtensions(
    {
      ...(authority !== undefined && { authorityKeyIdentifier: encodeUtf8(authority) }),
      ...(subject !== undefined && { subjectKeyIdentifier: encodeUtf8(subject) }),
    },
    certificate,
  );
const root = { ...good, issuer: good.subject };
const grouped = { ...good, subject: { ...good.subject, rdns: [...good.subject.rdns.slice(1), good.subject.rdns.flat()] } };
const on = (namedCurve: string) => made([], generateKeyPairSync('ec', { namedCurve }).publicKey);
const ofRsa = made([], generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey);
const ofEd25519 = made([], generateKeyPairSync('ed25519').publicKey);
const answer = (payload: object) => ({
  response: encodeUtf8(
    `${encodeBase64url(encodeUtf8(JSON.stringify({ alg: 'ES256', x5c: [encodeBase64(good.bytes)] })))}.${encodeBase64url(encodeUtf8(JSON.stringify(payload)))}.AAAA`,
  ),
});
const answered = (timestampMs: number) => attested('android-safetynet', { members: answer({ timestampMs }) });
const nameDns = { kind: 'dns', name: 'example.org' } as const;
const names = (...subjectAltName: Certificate['extensions']['subjectAltName'] & object) => withExtensions({ subjectAltName }, aik());
const [directoryName] = aik().extensions.subjectAltName ?? [];
if (directoryName === undefined) throw new Error('Expected a directory name.');
const zeros = new Uint8Array(16);
const ofAaguid = (aaguid: Uint8Array, fmt: string): RegistrationContext => ({
  ...attested(fmt),
  authenticatorData: registrationOf({ aaguid }).context.authenticatorData,
});
const unreadable = { ok: false, error: new Error('unreadable') } as never;
const binding = <C extends traits.Context>(context: C, tokenBinding: unknown): C =>
  context.clientData.ok ? { ...context, clientData: { ok: true, value: { ...context.clientData.value, tokenBinding } } } : context;
const keyed = (alg: number): AuthenticationContext => ({
  ...authentication,
  credentialKey: { ok: true, value: { kty: 2, alg, crv: 1, x: new Uint8Array(32), y: new Uint8Array(32) } },
});
const scheme = concatBytes(uint(0x0018, 2), uint(0x000b, 2));
const area = (...rest: readonly Uint8Array[]) => eccArea(new Uint8Array(32), new Uint8Array(32), 0x000b, ...rest);

type Row = readonly [name: string, context: traits.Context, expected: readonly string[], at?: number];

const ROWS: readonly Row[] = [
  ['no attestation', registration, []],
  ['a login', authentication, []],
  ['an object that cannot be read', { ...registration, attestationObject: unreadable, attestation: () => undefined }, []],
  [
    'a byte after the object',
    { ...registration, attestationObjectBytes: concatBytes(registration.attestationObjectBytes, zeros) },
    ['hasBytesAfterObject'],
  ],
  ['an object that is cut off', { ...registration, attestationObjectBytes: registration.attestationObjectBytes.slice(0, -1) }, []],

  ['U2F without AAGUID', ofAaguid(zeros, 'fido-u2f'), []],
  ['U2F with an AAGUID', ofAaguid(zeros.with(15, 1), 'fido-u2f'), ['hasU2fAaguid']],
  ['U2F without authenticator data', { ...ofAaguid(zeros, 'fido-u2f'), authenticatorData: unreadable }, []],
  ['an AAGUID elsewhere', ofAaguid(zeros.with(15, 1), 'packed'), []],

  ['one Android certificate', attested('android-key', { certificates: [good] }), ['hasLoneAndroidCertificate']],
  ['two Android certificates', attested('android-key', { certificates: [good, ca] }), []],
  ['one certificate elsewhere', attested('packed', { certificates: [good] }), []],
  ['an RSA key of Android', attested('android-key', { certificates: [good, ca], key: rsaKey }), ['hasOtherKeyThanEc']],
  ['an Edwards key of Apple', attested('apple', { key: okpKey }), ['hasOtherKeyThanEc']],
  ['an EC key of Apple', attested('apple'), []],
  ['an RSA key elsewhere', attested('packed', { key: rsaKey }), []],
  ['a key of Apple that cannot be read', { ...attested('apple'), credentialKey: unreadable }, ['hasOtherKeyThanEc']],
  ['no key of Apple', { ...attested('apple'), credentialKey: undefined }, ['hasOtherKeyThanEc']],

  ...(['present', 'supported', 'not-supported'] as const).map(
    (status) => [`tokenBinding ${status} at a registration`, binding(registration, { status }), []] as const,
  ),
  ...(['present', 'supported', 'notSupported'] as const).map(
    (status) => [`tokenBinding ${status} at a login`, binding(authentication, { status }), []] as const,
  ),
  ['another tokenBinding at a registration', binding(registration, { status: 'notSupported' }), ['hasRefusedTokenBinding']],
  ['another tokenBinding at a login', binding(authentication, { status: 'not-supported' }), ['hasRefusedTokenBinding']],
  ['tokenBinding without a status', binding(registration, {}), ['hasRefusedTokenBinding']],
  ['tokenBinding that is text', binding(registration, 'present'), ['hasRefusedTokenBinding']],
  ['tokenBinding null', binding(registration, null), []],
  ['client data that cannot be read', { ...registration, clientData: unreadable }, []],

  ...[-9, -19, -47, -51, -52, -53].map((alg) => [`a login with ${alg}`, keyed(alg), ['hasUnverifiedAlgorithm']] as const),
  ['a login with ES384', keyed(-35), []],
  ['a login with a key that cannot be read', { ...authentication, credentialKey: unreadable }, []],
  ...['packed', 'tpm', 'android-key'].map(
    (fmt) => [`a statement of ${fmt} with ES256K`, attested(fmt, { members: { alg: -47 } }), ['hasUnverifiedAlgorithm']] as const,
  ),
  ['a statement with ES256', attested('packed', { members: { alg: -7 } }), []],
  ['a statement whose alg is text', attested('packed', { members: { alg: 'ES256K' } }), []],
  ['a statement whose alg is not read', attested('apple', { members: { alg: -47 } }), []],
  ['an ML-DSA key that no Node reads', attested('none', { key: { kty: 7, alg: -48, pub: new Uint8Array(5) } }), ['hasUnknownMlDsa']],

  ['an expired certificate', attested('packed', { certificates: [expired] }), ['hasCertificateOutOfTime']],
  ['a certificate at its end', attested('packed', { certificates: [good] }), [], good.notAfter],
  ['a certificate after its end', attested('packed', { certificates: [good] }), ['hasCertificateOutOfTime'], good.notAfter + 1000],
  ['an expired certificate of a TPM', attested('tpm', { certificates: [{ ...aik(), notAfter: AT - 1000 }] }), ['hasCertificateOutOfTime']],
  ['an expired certificate of Apple', attested('apple', { certificates: [expired] }), []],
  ['an expired issuer', attested('packed', { certificates: [good, expired] }), []],
  ['an expired issuer of Android', attested('android-key', { certificates: [good, expired] }), ['hasCertificateOutOfTime']],

  ...['P-256', 'P-384'].map((curve) => [`a certificate on ${curve}`, attested('packed', { certificates: [on(curve)] }), []] as const),
  ['a certificate of RSA', attested('packed', { certificates: [ofRsa] }), []],
  ['a certificate on P-521', attested('packed', { certificates: [on('P-521')] }), ['hasUnusualCertificateKey']],
  ['a certificate of Ed25519', attested('packed', { certificates: [ofEd25519] }), ['hasUnusualCertificateKey']],
  ['a certificate of Android on P-521', attested('android-key', { certificates: [on('P-521'), ca] }), ['hasUnusualCertificateKey']],
  [
    'a certificate of a TPM on P-521',
    attested('tpm', { certificates: [{ ...aik(), publicKey: on('P-521').publicKey }] }),
    ['hasUnusualCertificateKey'],
  ],
  ['a certificate elsewhere on P-521', attested('apple', { certificates: [on('P-521')] }), []],

  ...[-37, -38, -39].map(
    (alg) => [`a statement with ${alg}`, attested('packed', { certificates: [ofRsa], members: { alg } }), ['hasPssStatement']] as const,
  ),
  ['a statement of a TPM with PS256', attested('tpm', { certificates: [aik()], members: { alg: -37 } }), ['hasPssStatement']],
  ['a statement with RS256', attested('packed', { certificates: [ofRsa], members: { alg: -257 } }), []],
  ['a statement with PS256 of Android', attested('android-key', { certificates: [ofRsa, ca], members: { alg: -37 } }), []],
  ['a statement with PS256 and no certificate', attested('packed', { members: { alg: -37 } }), []],
  ['a statement with an algorithm of no table', attested('packed', { certificates: [ofRsa], members: { alg: -999 } }), []],
  ['a statement with a name for an algorithm', attested('packed', { certificates: [ofRsa], members: { alg: 'PS256' } }), []],

  ['a subject with a group', attested('packed', { certificates: [grouped] }), ['hasGroupedSubject']],
  ['a subject with a group elsewhere', attested('apple', { certificates: [grouped] }), []],

  ['a certificate of a TPM', attested('tpm', { certificates: [aik()] }), []],
  ['a directory name first', attested('tpm', { certificates: [names(directoryName, nameDns as never)] }), []],
  ['a directory name later', attested('tpm', { certificates: [names(nameDns as never, directoryName)] }), ['hasDirectoryNameLater']],
  ['no directory name', attested('tpm', { certificates: [names(nameDns as never)] }), ['hasUnknownManufacturer']],
  ['a directory name later elsewhere', attested('packed', { certificates: [names(nameDns as never, directoryName)] }), []],
  ['a manufacturer of the FIDO Alliance', attested('tpm', { certificates: [made([directory('id:FFFFF1D0')])] }), []],
  ['a manufacturer in lower case', attested('tpm', { certificates: [made([directory('id:414d4400')])] }), []],
  ['an unknown manufacturer', attested('tpm', { certificates: [made([directory('id:00000000')])] }), ['hasUnknownManufacturer']],
  ['no manufacturer', attested('tpm', { certificates: [good] }), ['hasUnknownManufacturer']],
  ['a TPM without a certificate', attested('tpm'), []],
  ['the purpose first', attested('tpm', { certificates: [aik(EXTENSIONS.extendedKeyUsage(AIK, '1.2.3'))] }), []],
  ['another purpose first', attested('tpm', { certificates: [aik(EXTENSIONS.extendedKeyUsage('1.2.3', AIK))] }), ['hasOtherPurposeFirst']],
  ['another purpose alone', attested('tpm', { certificates: [aik(EXTENSIONS.extendedKeyUsage('1.2.3'))] }), []],
  ['another purpose first elsewhere', attested('packed', { certificates: [aik(EXTENSIONS.extendedKeyUsage('1.2.3', AIK))] }), []],
  ['a public area', attested('tpm', { members: { pubArea: area() } }), []],
  ['a public area with a scheme', attested('tpm', { members: { pubArea: area(scheme) } }), ['hasDetailedPublicArea']],
  ['a public area that is cut off', attested('tpm', { members: { pubArea: area(scheme).slice(0, -1) } }), []],
  ['a public area that is text', attested('tpm', { members: { pubArea: 'area' } }), []],
  ['a public area with a scheme elsewhere', attested('packed', { members: { pubArea: area(scheme) } }), []],

  ['the identifier of the issuer', attested('android-key', { certificates: [identified('a', 'b'), identified('c', 'a')] }), []],
  [
    'the identifier of another issuer',
    attested('android-key', { certificates: [identified('a', 'b'), identified('c', 'd')] }),
    ['hasOtherKeyIdentifier'],
  ],
  [
    'the identifier of another issuer, later',
    attested('android-key', { certificates: [identified('a', 'b'), identified('c', 'a'), identified('a', 'd')] }),
    ['hasOtherKeyIdentifier'],
  ],
  ['no identifier of the issuer', attested('android-key', { certificates: [identified('a', 'b'), identified('c', undefined)] }), []],
  ['no identifier for the issuer', attested('android-key', { certificates: [identified(undefined, 'b'), identified('c', 'd')] }), []],
  ['a root with its own identifier', attested('android-key', { certificates: [good, identified('a', 'a', root)] }), []],
  [
    'a root with another identifier',
    attested('android-key', { certificates: [good, identified('a', 'b', root)] }),
    ['hasOtherKeyIdentifier'],
  ],
  ['identifiers elsewhere', attested('packed', { certificates: [identified('a', 'b'), identified('c', 'd')] }), []],

  ['known authorizations', attested('android-key', { certificates: [described(1, 702, 724), ca] }), []],
  ['an unknown authorization', attested('android-key', { certificates: [described(702, 725), ca] }), ['hasUnknownAuthorization']],
  [
    'a description that cannot be read',
    attested('android-key', { certificates: [made([{ oid: '1.3.6.1.4.1.11129.2.1.17', value: sequence() }]), ca] }),
    [],
  ],
  ['an unknown authorization elsewhere', attested('packed', { certificates: [described(725)] }), []],

  ...[0, -60_000].map((late) => [`an answer of SafetyNet at ${late}`, answered(AT + late), []] as const),
  ...[-60_001, 1].map((late) => [`an answer of SafetyNet at ${late}`, answered(AT + late), ['hasOldSafetyNetAnswer']] as const),
  ['an answer of SafetyNet without a time', attested('android-safetynet', { members: answer({ timestampMs: '0' }) }), []],
  ['an answer of SafetyNet that is text', attested('android-safetynet', { members: { response: 'x' } }), []],
  ['an answer elsewhere', attested('packed', { members: answer({ timestampMs: 0 }) }), []],
];

describe('the properties of', () => {
  test.each(ROWS.map(([name, context, expected, at]) => ({ name, context, expected, at })))('$name', ({ context, expected, at }) => {
    expect(having(context, at)).toEqual(expected);
  });

  test('a key of ML-DSA that Node reads or does not', () => {
    const pub = new Uint8Array(1312).fill(3);
    const [major = 0] = process.versions.node.split('.').map(Number);
    expect(having(attested('none', { key: { kty: 7, alg: -48, pub } }))).toEqual(major < 24 ? ['hasUnknownMlDsa'] : []);
  });

  test('every one of them is found in a row', () => {
    expect(new Set(ROWS.flatMap(([, , expected]) => expected))).toEqual(new Set(Object.keys(TRAITS)));
  });
});

const refusal = (parts?: LibraryRefusal['parts']): LibraryRefusal => ({
  verdict: 'rejected',
  reason: 'because',
  cause: undefined,
  at: AT,
  ...(parts && { parts }),
});

describe('a difference', () => {
  test('where the library refuses is named by the property', () => {
    const whys = ROWS.map(([name, context, , at = AT]) => `${name}: ${refusedAgainst(context, { ...refusal(), at }) ?? 'unknown'}`);
    return expect(`${whys.join('\n')}\n`).toMatchFileSnapshot('differences/refused.txt');
  });

  test('where the library accepts is named by the step, for some by what it found', async () => {
    const failing = { status: 'fail', expected: 'a', received: 'b', hint: 'c' } as const;
    const contexts: readonly traits.Context[] = [
      registration,
      { ...registration, attestationObjectBytes: concatBytes(registration.attestationObjectBytes, zeros) },
      authentication,
      { ...authentication, credentialKey: { ok: true, value: rsaKey } },
    ];
    const lines = [...REGISTRATION_STEPS, ...AUTHENTICATION_STEPS].flatMap(({ section, number, slug, title, failure }) => {
      const found = (['signature_invalid', 'public_key_malformed'] as const).flatMap((code) =>
        contexts.map((context, index) => {
          const why = acceptedAgainst(context, { section, number, slug, title, failure, ...failing, code });
          return { why, when: `${code}, ${index}` };
        }),
      );
      // Most steps say the same whatever they found.
      const isOne = found.every(({ why }) => why === found[0]?.why);
      return isOne ? [`${section}/${slug}: ${found[0]?.why}`] : found.map(({ why, when }) => `${section}/${slug}, ${when}: ${why}`);
    });
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('differences/accepted.txt');
  });

  test('of a compound explains each of its parts, or nothing', () => {
    const parts = [attested('fido-u2f'), attested('packed')].map((context) => {
      if (!context.attestationObject.ok) throw new Error('Expected an object.');
      const { fmt, attStmt } = context.attestationObject.value;
      return { statement: { fmt, attStmt }, report: context.attestation() };
    });
    if (!registration.attestationObject.ok) throw new Error('Expected an object.');
    const statements = parts.map(({ statement }) => statement);
    const compound: RegistrationContext = {
      ...registration,
      attestationObject: { ok: true, value: { ...registration.attestationObject.value, fmt: 'compound', statements } },
      attestation: () => ({ ...report, fmt: 'compound', parts: parts.flatMap((part) => part.report ?? []) }),
    };
    const why = 'The library does not know compound attestation. It is called for each statement separately.';
    const verified = { verdict: 'verified' } as const;
    expect([
      refusedAgainst(compound, refusal()),
      refusedAgainst(compound, refusal([verified, verified])),
      refusedAgainst(compound, refusal([refusal(), verified])),
      refusedAgainst(compound, refusal([verified, refusal()])),
      refusedAgainst(compound, refusal([verified, verified, refusal()])),
    ]).toEqual([why, why, why, undefined, undefined]);
    expect(readPart(compound, 0)).toEqual({
      ...compound,
      attestationObject: { ok: true, value: { ...statements[0], authData: registration.attestationObject.value.authData } },
      attestation: expect.any(Function),
    });
    expect(readPart(compound, 2)).toBeUndefined();
    expect(readPart(authentication, 0)).toBeUndefined();
    expect(readPart({ ...compound, attestationObject: unreadable }, 0)).toBeUndefined();
  });

  test('stands in the table once', () => {
    const keys = DIFFERENCES.map(({ direction, where, why }) => `${direction} ${where} ${why}`);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
