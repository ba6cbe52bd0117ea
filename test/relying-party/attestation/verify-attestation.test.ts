import { describe, expect, test } from 'vitest';
import { fromHex, toHex } from '../../../src/kernel/bytes.js';
import { findOpenCheck, verifyAttestation } from '../../../src/relying-party/attestation/verify-attestation.js';
import type { AttestationStatement } from '../../../src/webauthn/attestation-object.js';
import type { CborMap, CborValue } from '../../../src/webauthn/cbor.js';
import { decodeCertificate } from '../../../src/webauthn/certificate.js';
import { context, octetString, printableString, sequence, utf8String } from '../../../src/webauthn/der-writer.js';
import { EXTENSIONS, ecKeyPair, OID } from '../../webauthn/certificate-writer.js';
import { caCertificate, leafCertificate, ROOT } from './authority.js';
import { judged, slugs } from './outcome.js';
import {
  type AttestationInput,
  attestation,
  authenticatorData,
  credentialKey,
  ecdsa,
  flipped,
  members,
  sha256,
  signedBytes,
} from './statements.js';

const authData = authenticatorData();
const sig = ecdsa(signedBytes(authData), credentialKey);
const self: AttestationStatement = { fmt: 'packed', attStmt: members({ alg: -7, sig }) };
const forged: AttestationStatement = { fmt: 'packed', attStmt: members({ alg: -7, sig: flipped(sig) }) };
const none: AttestationStatement = { fmt: 'none', attStmt: new Map() };
const apple: AttestationStatement = {
  fmt: 'apple',
  attStmt: members({
    x5c: [
      leafCertificate({
        subject: [[OID.cn, utf8String('Credential')]],
        publicKey: credentialKey.publicKey,
        extensions: [{ oid: '1.2.840.113635.100.8.2', value: sequence(context(1, octetString(sha256(signedBytes(authData))))) }],
      }),
      caCertificate(),
    ],
  }),
};

/** Each row has a statement of its own. */
const same = (input: AttestationInput = compound(self, apple)) => input;

function compound(...statements: readonly AttestationStatement[]): AttestationInput {
  const whole = attestation('compound', new Map());
  return { ...whole, attestationObject: { ...whole.attestationObject, statements } };
}

test('a compound statement is not offered its own kind, and an empty list is called so', () => {
  const { checks } = verifyAttestation(compound(self, { fmt: 'example', attStmt: new Map() }));
  expect(checks.find(({ slug }) => slug === '2/example/format')?.expected).not.toContain('compound');
  const [syntax] = verifyAttestation(attestation('packed', members({ alg: -7, sig: Uint8Array.of(1), x5c: [] }))).checks;
  expect(syntax?.received).toBe('x5c is an empty array');
});

describe('none (§8.7)', () => {
  judged(same, [
    ['legal', attestation('none', new Map())],
    ['with a member', attestation('none', members({ alg: -7 })), ['syntax']],
  ]);
});

describe('compound (§8.9)', () => {
  judged(same, [
    ['two statements', compound(self, apple)],
    ['three statements', compound(self, apple, none)],
    ['sixteen statements', compound(...Array.from({ length: 16 }, () => self))],
    ['seventeen statements', compound(...Array.from({ length: 17 }, () => self)), ['syntax']],
    ['one statement', compound(self), ['syntax']],
    ['no statement', compound(), ['syntax']],
    ['no list of statements', attestation('compound', new Map()), ['syntax']],
    ['compound inside compound', compound(self, { fmt: 'compound', attStmt: new Map() }), ['syntax']],
    ['a failing statement', compound(apple, forged), ['2/packed/signature']],
    ['a failing statement before a good one', compound(forged, apple), ['1/packed/signature']],
    ['a statement of unknown format', compound(self, { fmt: 'example', attStmt: new Map() }), ['2/example/format']],
  ]);

  test('reports each statement, and is trusted when one of them leads to a root', () => {
    const report = verifyAttestation({ ...compound(self, apple), roots: [ROOT] });
    expect(report).toMatchObject({ fmt: 'compound', attestationType: 'compound', trustPath: [], trust: { status: 'trusted' } });
    expect(report.parts?.map(({ fmt, verdict, attestationType, trust }) => [fmt, verdict, attestationType, trust.status])).toEqual([
      ['packed', 'accepted', 'self', 'none'],
      ['apple', 'accepted', 'anonca', 'trusted'],
    ]);
  });

  test('has no trust to give without certificates', () => {
    expect(verifyAttestation({ ...compound(self, none), roots: [ROOT] }).trust.status).toBe('none');
  });
});

describe('verifyAttestation', () => {
  judged(same, [
    ['unknown format', attestation('example', new Map()), ['format']],
    ['format in upper case', attestation('Packed', self.attStmt), ['format']],
    ['authenticator data cut short', attestation('none', new Map(), authData.subarray(0, 60)), ['authenticator-data']],
    [
      'authenticator data of an authentication',
      attestation(
        'none',
        new Map(),
        authData.slice(0, 37).map((byte, index) => (index === 32 ? byte & 0x3f : byte)),
      ),
      ['authenticator-data'],
    ],
  ]);

  const variants = (attStmt: CborMap): [string, CborValue, number][] =>
    [...attStmt].flatMap(([name, value]) => {
      const list = Array.isArray(value) ? value : [value];
      const [first] = list;
      return first instanceof Uint8Array ? Array.from(first, (_, at): [string, CborValue, number] => [String(name), value, at]) : [];
    });
  /** `value` with one bit changed in it, or in the first of its certificates. */
  const changed = (value: CborValue, at: number): CborValue => {
    const [first, ...rest] = Array.isArray(value) ? value : [value];
    const bytes = first instanceof Uint8Array ? flipped(first, at) : new Uint8Array();
    return Array.isArray(value) ? [bytes, ...rest] : bytes;
  };

  test.each([self, apple])('accepts no $fmt statement with a changed byte, and throws for none', ({ fmt, attStmt }) => {
    const accepted = variants(attStmt).filter(([name, value, at]) => {
      const report = verifyAttestation(attestation(fmt, new Map([...attStmt, [name, changed(value, at)]])));
      return report.verdict === 'accepted';
    });
    // The number of unused bits of a certificate's signature is not looked at: some old security keys have it wrong.
    expect(accepted.map(([name, , at]) => [name, at])).toEqual(fmt === 'apple' ? [['x5c', unusedBitsAt()]] : []);
  });

  test.each([self, apple])('accepts no $fmt statement with a member left out', ({ fmt, attStmt }) => {
    for (const name of attStmt.keys()) {
      expect(verifyAttestation(attestation(fmt, new Map([...attStmt].filter(([other]) => other !== name)))).verdict).toBe('rejected');
    }
  });
});

function unusedBitsAt(): number {
  const x5c = apple.attStmt.get('x5c');
  const [der] = Array.isArray(x5c) ? x5c : [];
  return der instanceof Uint8Array ? der.length - decodeCertificate(der).signature.length - 1 : -1;
}

describe('trust', () => {
  test('stands beside the verdict', () => {
    const forgedButChained = verifyAttestation({ ...compound(apple, forged), roots: [ROOT] });
    expect(forgedButChained).toMatchObject({ verdict: 'rejected', trust: { status: 'trusted' } });
    const stranger = decodeCertificate(
      leafCertificate({
        subject: [[OID.c, printableString('SE')]],
        publicKey: ecKeyPair().publicKey,
        extensions: [EXTENSIONS.basicConstraints(true)],
      }),
    );
    const report = verifyAttestation({ ...attestation(apple.fmt, apple.attStmt), roots: [stranger] });
    expect(report).toMatchObject({ verdict: 'accepted', trust: { status: 'untrusted', check: { slug: 'trust-anchor', status: 'fail' } } });
    expect(slugs(report, 'fail')).toEqual([]);
  });
});

test('says what leaves a verdict open, whatever else was skipped without harm', () => {
  const attestationKey = ecKeyPair();
  const leaf = leafCertificate({
    publicKey: attestationKey.publicKey,
    extensions: [EXTENSIONS.basicConstraints(false)],
  });
  // ecdsa-with-SHA…, but of a number that nobody has registered.
  const odd = fromHex(toHex(leaf).replaceAll('2a8648ce3d040302', '2a8648ce3d04030f'));
  const signature = ecdsa(signedBytes(authData), attestationKey);
  const report = verifyAttestation(attestation('packed', members({ alg: -7, sig: signature, x5c: [odd, caCertificate()] })));
  expect(report.verdict).toBe('undetermined');
  expect(slugs(report, 'skip')).toEqual(['certificate-aaguid', 'chain-signatures']);
  expect(findOpenCheck(report.checks)?.received).toContain('1.2.840.10045.4.3.15 is not known here');
});
