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
    judged(safetyNet, [
      ['as the service made it', {}],
      ['host by its common name', { leaf: { extensions: [EXTENSIONS.basicConstraints(false)] } }],
      ['unknown members', { extra: { note: 1 }, payload: { advice: 'LOCK_BOOTLOADER' } }],
      ['old', { payload: { timestampMs: AT - 3_600_000 } }, [], ['timestamp']],
      ['of the future', { payload: { timestampMs: AT + 3_600_000 } }, [], ['timestamp']],
      ['without a time', { payload: { timestampMs: undefined } }, [], ['timestamp']],
    ]);
  });

  describe('forged or broken', () => {
    judged(safetyNet, [
      ['ver missing', { extra: { ver: undefined } }, ['syntax']],
      ['ver empty', { extra: { ver: '' } }, ['version']],
      ['response as text', { extra: { response: 'a.b.c' } }, ['syntax']],
      ['response in two parts', { jws: (text) => text.slice(0, text.lastIndexOf('.')) }, ['response']],
      ['response without certificates', { header: { x5c: undefined } }, ['response']],
      ['response that is not UTF-8', { extra: { response: Uint8Array.of(0xff) } }, ['response']],
      ['a certificate that is none', { header: { x5c: ['AAAA'] } }, ['certificates']],
      [
        'payload changed',
        { jws: (text) => text.replace(/\..*\./, `.${part({ nonce: 'x' })}.`) },
        ['signature', 'nonce', 'cts-profile-match'],
        ['timestamp'],
      ],
      ['signature changed', { jws: (text) => `${text.slice(0, -8)}AAAAAAAA` }, ['signature']],
      ['alg none', { header: { alg: 'none' } }, ['signature']],
      ['alg of a shared secret', { header: { alg: 'HS256' } }, ['signature']],
      ['alg of another key type', { header: { alg: 'ES256' } }, ['signature']],
      ['another host', { leaf: { extensions: [dnsName('attest.android.com.example.org')] } }, ['hostname']],
      ['another host beside the right common name', { leaf: { extensions: [dnsName('example.org')] } }, ['hostname']],
      ['another nonce', { payload: { nonce: encodeBase64(sha256(new Uint8Array(1))) } }, ['nonce']],
      ['nonce as base64url', { payload: { nonce: encodeBase64url(sha256(signedBytes(authenticatorData()))) } }, ['nonce']],
      ['no nonce', { payload: { nonce: undefined } }, ['nonce']],
      ['ctsProfileMatch false', { payload: { ctsProfileMatch: false } }, ['cts-profile-match']],
      ['ctsProfileMatch as text', { payload: { ctsProfileMatch: 'true' } }, ['cts-profile-match']],
      ['certificate expired', { leaf: { notAfter: AT - 1000 } }, ['chain-validity']],
    ]);
  });

  test('has the certificates of the header as its trust path', () => {
    const report = verifyAttestation(safetyNet());
    expect(report.attestationType).toBe('basic');
    expect(report.trustPath).toHaveLength(2);
  });
});
