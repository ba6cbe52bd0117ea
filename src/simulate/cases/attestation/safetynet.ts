import { createHmac } from 'node:crypto';
import { SAFETYNET_HOST } from '../../../authenticator/attestation/android-safetynet.js';
import { attestationNonce, attToBeSigned } from '../../../authenticator/attestation/format.js';
import { decodeUtf8, encodeUtf8, toHex } from '../../../kernel/bytes.js';
import { decodeBase64url, encodeBase64, encodeBase64url } from '../../../webauthn/base64url.js';
import { named, WRITE_EXTENSION } from '../../../webauthn/certificate-writer.js';
import { contextPrimitive } from '../../../webauthn/der-writer.js';
import { writePem } from '../../../webauthn/pem.js';
import { inOrder } from '../../engine/authenticator-data-edits.js';
import { type ByteEdit, flipBit } from '../../engine/edits.js';
import { chainRows } from './chain-rows.js';
import { AUTHORITY, strangeKey, withExtension, withFields, withMember } from './makers/certified.js';
import { safetyNet } from './makers/statements.js';
import { type AttestationRow, accepted, breaking, refused } from './row.js';
import { faults, incomplete } from './shared-rows.js';

const NONCE = '§8.5: nonce is base64 of the SHA-256 of authenticatorData and clientDataHash';
const JWS = '§8.5: response is a JWS of the SafetyNet service, verified as its documentation says';
const HOST = '§8.5: the certificate was issued to attest.android.com';
const INTEGRITY = '§8.5: ctsProfileMatch is true';
const YEAR_MS = 365 * 24 * 60 * 60 * 1000;
const ROOTED = 'A rooted or emulated phone would pass for an honest one.';

const dnsNames = (...names: readonly string[]) =>
  withExtension(WRITE_EXTENSION.subjectAltName(false, ...names.map((name) => contextPrimitive(2, encodeUtf8(name)))));
const issuedTo = (host: string) => inOrder(withFields({ subject: [named('CN', host)] }), dnsNames(host));

/** Computes an HMAC with a public key as its secret. The key is in PEM, the form in which libraries hold the keys of certificates. */
function hmac(publicKey: Uint8Array, data: Uint8Array): Uint8Array {
  const pem = writePem(publicKey, { begin: '-----BEGIN PUBLIC KEY-----', end: '-----END PUBLIC KEY-----' });
  return new Uint8Array(createHmac('sha256', `${pem}\n`).update(data).digest());
}

/** Removes a member from the JWS payload. */
function without(member: string) {
  return (payload: Readonly<Record<string, unknown>>) => Object.fromEntries(Object.entries(payload).filter(([name]) => name !== member));
}

/** Changes one part of a JWS: header, payload or signature. */
function editPart(index: 0 | 1 | 2, edit: ByteEdit): (jws: string) => string {
  return (jws) =>
    jws
      .split('.')
      .map((part, at) => (at === index ? encodeBase64url(edit(decodeBase64url(part))) : part))
      .join('.');
}

/**
 * Cases for the attestation statement format `android-safetynet` (§8.5). Google shut the service down in 2025, but the standard still has
 * the format.
 */
export const SAFETYNET: readonly AttestationRow[] = [
  ...refused('android-safetynet', {
    ...breaking(JWS, 'signature', {
      signature: {
        title: 'one bit of the signature of the JWS flipped',
        why: 'Anyone can write such a JWS.',
        make: safetyNet({ jws: editPart(2, flipBit(-1)) }),
      },
      unsigned: {
        title: 'a JWS of alg none, without a signature',
        why: 'A server that lets the sender pick the algorithm lets them pick "none".',
        make: safetyNet({ header: { alg: 'none' }, jws: (jws) => jws.replace(/[^.]+$/, '') }),
      },
      'signed-with-public-key': {
        title: 'a JWS of alg HS256, with the public key of the certificate as the secret',
        why: 'A server that uses the public key as the HMAC secret uses a secret everyone knows.',
        make: safetyNet({
          header: { alg: 'HS256' },
          signer: (_, certified) => ({ ...certified, signJws: (data) => hmac(certified.publicKey, data) }),
        }),
      },
      'signed-by-stranger': {
        title: 'an honest certificate, but a JWS signed by another key',
        why: 'The certificates of the service are public.',
        make: safetyNet({ signer: strangeKey, header: { alg: 'ES256' } }),
      },
      'payload-changed': {
        title: 'a JWS whose payload was changed after it was signed',
        why: ROOTED,
        make: safetyNet({
          payload: (payload) => ({ ...payload, ctsProfileMatch: false }),
          jws: editPart(1, (payload) => encodeUtf8(decodeUtf8(payload).replace('"ctsProfileMatch":false', '"ctsProfileMatch":true'))),
        }),
      },
    }),
    ...breaking(JWS, 'response', {
      'without-certificates': {
        title: 'a JWS without certificates in its header',
        why: 'A loop over an empty list finds nothing wrong.',
        make: safetyNet({ x5c: () => [] }),
      },
      'without-signature-part': {
        title: 'a JWS of two parts',
        why: 'Truncated data must neither count as empty nor crash the server.',
        make: safetyNet({ jws: (jws) => jws.replace(/\.[^.]*$/, '') }),
      },
      'response-not-json': {
        title: 'a response that is not a JWS',
        why: 'Malformed input deserves a 4xx, not a crash.',
        make: safetyNet({ jws: () => 'a.b.c' }),
      },
    }),
    ...breaking(NONCE, 'nonce', {
      ...faults(safetyNet, 'other-client-data', 'other-authenticator-data'),
      'nonce-not-hashed': {
        title: 'a nonce that is not hashed',
        why: 'The standard compares a hash; nothing else will do.',
        make: safetyNet({ payload: (payload, input) => ({ ...payload, nonce: encodeBase64(attToBeSigned(input)) }) }),
      },
      'nonce-in-hexadecimal': {
        title: 'a nonce in hexadecimal',
        why: 'A comparison that accepts several encodings can confuse two values.',
        make: safetyNet({ payload: (payload, input) => ({ ...payload, nonce: toHex(attestationNonce(input)) }) }),
      },
      'without-nonce': {
        title: 'a payload without a nonce',
        why: 'A missing value must not match.',
        make: safetyNet({ payload: without('nonce') }),
      },
      'nonce-empty': {
        title: 'an empty nonce',
        why: 'Every string starts with the empty string, so a prefix comparison succeeds.',
        make: safetyNet({ payload: (payload) => ({ ...payload, nonce: '' }) }),
      },
    }),
    ...breaking(HOST, 'hostname', {
      host: {
        title: 'a certificate for another host',
        why: 'Anyone with a certificate for their own server could speak for the service.',
        make: safetyNet({ leaf: issuedTo('www.example.com') }),
      },
      'host-with-suffix': {
        title: 'a certificate for a host that starts with the name of the service',
        why: 'The end of a host name decides who owns it.',
        make: safetyNet({ leaf: issuedTo(`${SAFETYNET_HOST}.example.com`) }),
      },
      'host-with-prefix': {
        title: 'a certificate for a host that ends in the name of the service, without a dot before it',
        why: 'Without the dot, anyone can register that domain.',
        make: safetyNet({ leaf: issuedTo(`not${SAFETYNET_HOST}`) }),
      },
    }),
    ...breaking(INTEGRITY, 'cts-profile-match', {
      integrity: {
        title: 'a device that does not pass the compatibility test',
        why: ROOTED,
        make: safetyNet({ payload: (payload) => ({ ...payload, ctsProfileMatch: false }) }),
      },
      'integrity-as-text': {
        title: 'ctsProfileMatch is the string "false"',
        why: 'Any non-empty string counts as true if the server does not check the type.',
        make: safetyNet({ payload: (payload) => ({ ...payload, ctsProfileMatch: 'false' }) }),
      },
      'without-integrity': {
        title: 'a payload without ctsProfileMatch, with basicIntegrity',
        why: 'Basic integrity is the weaker test; an unlocked phone may pass it.',
        make: safetyNet({ payload: without('ctsProfileMatch') }),
      },
    }),
    ...breaking('§8.5: the statement has ver and response', 'syntax', incomplete(safetyNet, { version: 'ver', response: 'response' })),
    'version-empty': {
      title: 'an empty ver',
      rule: '§8.5: ver is a version of Google Play Services, and not empty',
      why: 'The version says how to read the response.',
      check: 'version',
      disputed: 'A server may ignore ver: there is only one form of the response.',
      make: safetyNet({ members: withMember('ver', '') }),
    },
  }),
  ...accepted('android-safetynet', {
    honest: {
      title: 'the service’s answer for an honest phone',
      rule: '§8.5: the whole procedure',
      why: 'This is how phones answered until 2025.',
      make: safetyNet(),
    },
    'with-root': {
      title: 'the whole chain in the header, root included',
      rule: JWS,
      why: 'The service has sent its chain both with and without the root.',
      make: safetyNet({ x5c: (certificates) => [...certificates, AUTHORITY.root] }),
    },
    'host-among-others': {
      title: 'a certificate for several hosts, the service among them',
      rule: HOST,
      why: 'Server certificates often name several hosts.',
      make: safetyNet({ leaf: dnsNames(SAFETYNET_HOST, 'attest.example.com') }),
    },
    old: {
      title: 'the service’s answer from a year ago',
      rule: '§8.5: the documentation of the service, which is gone',
      why: 'The nonce already binds the answer to the registration.',
      disputed: 'The documentation of the service had servers compare timestampMs with their own clock.',
      make: safetyNet({ payload: (payload) => ({ ...payload, timestampMs: Number(payload['timestampMs']) - YEAR_MS }) }),
    },
    'payload-with-more': {
      title: 'a payload with unknown members',
      rule: '§8.5: the documentation of the service, which added members over time',
      why: 'A server that refuses unknown members locks out every phone when one is added.',
      make: safetyNet({ payload: (payload) => ({ ...payload, advice: 'RESTORE_TO_FACTORY_ROM', deprecationInformation: 'none' }) }),
    },
  }),
  ...chainRows('android-safetynet', safetyNet),
];
