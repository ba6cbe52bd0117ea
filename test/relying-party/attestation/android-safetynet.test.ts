import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { encodeUtf8 } from '../../../src/kernel/bytes.js';
import { verifyAttestation } from '../../../src/relying-party/attestation/verify-attestation.js';
import { encodeBase64, encodeBase64url } from '../../../src/webauthn/base64url.js';
import type { CborValue } from '../../../src/webauthn/cbor.js';
import { der, sequence, utf8String } from '../../../src/webauthn/der-writer.js';
import { EXTENSIONS, type Extension, OID } from '../../webauthn/certificate-writer.js';
import { AT, caCertificate, type LeafFields, leafCertificate } from './authority.js';
import { judged } from './outcome.js';
import { attestation, authenticatorData, members, sha256, signedBytes } from './statements.js';

const serviceKey = generateKeyPairSync('rsa', { modulusLength: 2048 });
const dnsName = (name: string): Extension => ({ oid: '2.5.29.17', value: sequence(der(0x82, encodeUtf8(name))) });
const HOST = [EXTENSIONS.basicConstraints(false), dnsName('attest.android.com')];

interface Change {
  readonly leaf?: Partial<LeafFields>;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly jws?: (text: string) => string;
  readonly extra?: Readonly<Record<string, CborValue>>;
}

const part = (value: unknown) => encodeBase64url(encodeUtf8(JSON.stringify(value)));

function safetyNet({ leaf, payload, header, jws = (text) => text, extra }: Change = {}) {
  const authData = authenticatorData();
  const certificate = leafCertificate({
    subject: [[OID.cn, utf8String('attest.android.com')]],
    publicKey: serviceKey.publicKey,
    extensions: HOST,
    ...leaf,
  });
  const nonce = encodeBase64(sha256(signedBytes(authData)));
  const x5c = [certificate, caCertificate()].map(encodeBase64);
  const signed = `${part({ alg: 'RS256', x5c, ...header })}.${part({ nonce, timestampMs: AT - 2000, ctsProfileMatch: true, basicIntegrity: true, ...payload })}`;
  const signature = new Uint8Array(sign('sha256', encodeUtf8(signed), serviceKey.privateKey));
  const response = encodeUtf8(jws(`${signed}.${encodeBase64url(signature)}`));
  return attestation('android-safetynet', members({ ver: '214815042', response, ...extra }), authData);
}

describe('android-safetynet (§8.5)', () => {
  describe('legal', () => {
    judged([
      { name: 'as the service made it', make: () => safetyNet() },
      { name: 'host by its common name', make: () => safetyNet({ leaf: { extensions: [EXTENSIONS.basicConstraints(false)] } }) },
      { name: 'unknown members', make: () => safetyNet({ extra: { note: 1 }, payload: { advice: 'LOCK_BOOTLOADER' } }) },
      { name: 'old', make: () => safetyNet({ payload: { timestampMs: AT - 3_600_000 } }), warns: ['timestamp'] },
      { name: 'of the future', make: () => safetyNet({ payload: { timestampMs: AT + 3_600_000 } }), warns: ['timestamp'] },
      { name: 'without a time', make: () => safetyNet({ payload: { timestampMs: undefined } }), warns: ['timestamp'] },
    ]);
  });

  describe('forged or broken', () => {
    judged([
      { name: 'ver missing', make: () => safetyNet({ extra: { ver: undefined } }), fails: ['syntax'] },
      { name: 'ver empty', make: () => safetyNet({ extra: { ver: '' } }), fails: ['version'] },
      { name: 'response as text', make: () => safetyNet({ extra: { response: 'a.b.c' } }), fails: ['syntax'] },
      {
        name: 'response in two parts',
        make: () => safetyNet({ jws: (text) => text.slice(0, text.lastIndexOf('.')) }),
        fails: ['response'],
      },
      { name: 'response without certificates', make: () => safetyNet({ header: { x5c: undefined } }), fails: ['response'] },
      { name: 'response that is not UTF-8', make: () => safetyNet({ extra: { response: Uint8Array.of(0xff) } }), fails: ['response'] },
      { name: 'a certificate that is none', make: () => safetyNet({ header: { x5c: ['AAAA'] } }), fails: ['certificates'] },
      {
        name: 'payload changed',
        make: () => safetyNet({ jws: (text) => text.replace(/\..*\./, `.${part({ nonce: 'x' })}.`) }),
        fails: ['signature', 'nonce', 'cts-profile-match'],
        warns: ['timestamp'],
      },
      { name: 'signature changed', make: () => safetyNet({ jws: (text) => `${text.slice(0, -8)}AAAAAAAA` }), fails: ['signature'] },
      { name: 'alg none', make: () => safetyNet({ header: { alg: 'none' } }), fails: ['signature'] },
      { name: 'alg of a shared secret', make: () => safetyNet({ header: { alg: 'HS256' } }), fails: ['signature'] },
      { name: 'alg of another key type', make: () => safetyNet({ header: { alg: 'ES256' } }), fails: ['signature'] },
      {
        name: 'another host',
        make: () => safetyNet({ leaf: { extensions: [dnsName('attest.android.com.example.org')] } }),
        fails: ['hostname'],
      },
      {
        name: 'another host beside the right common name',
        make: () => safetyNet({ leaf: { extensions: [dnsName('example.org')] } }),
        fails: ['hostname'],
      },
      { name: 'another nonce', make: () => safetyNet({ payload: { nonce: encodeBase64(sha256(new Uint8Array(1))) } }), fails: ['nonce'] },
      {
        name: 'nonce as base64url',
        make: () => safetyNet({ payload: { nonce: encodeBase64url(sha256(signedBytes(authenticatorData()))) } }),
        fails: ['nonce'],
      },
      { name: 'no nonce', make: () => safetyNet({ payload: { nonce: undefined } }), fails: ['nonce'] },
      { name: 'ctsProfileMatch false', make: () => safetyNet({ payload: { ctsProfileMatch: false } }), fails: ['cts-profile-match'] },
      { name: 'ctsProfileMatch as text', make: () => safetyNet({ payload: { ctsProfileMatch: 'true' } }), fails: ['cts-profile-match'] },
      { name: 'certificate expired', make: () => safetyNet({ leaf: { notAfter: AT - 1000 } }), fails: ['chain-validity'] },
    ]);
  });

  test('has the certificates of the header as its trust path', () => {
    const report = verifyAttestation(safetyNet());
    expect(report.attestationType).toBe('basic');
    expect(report.trustPath).toHaveLength(2);
  });
});
