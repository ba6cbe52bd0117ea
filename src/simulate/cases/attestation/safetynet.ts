import { createHmac } from 'node:crypto';
import { SAFETYNET_HOST } from '../../../authenticator/attestation/android-safetynet.js';
import { attestationNonce, attToBeSigned } from '../../../authenticator/attestation/format.js';
import { decodeBase64url, encodeBase64, encodeBase64url } from '../../../webauthn/base64url.js';
import { decodeUtf8, encodeUtf8, toHex } from '../../../webauthn/bytes.js';
import { named, WRITE_EXTENSION, writePem } from '../../../webauthn/certificate-writer.js';
import { contextPrimitive } from '../../../webauthn/der-writer.js';
import { type ByteEdit, flipBit } from '../../engine/edits.js';
import { chainRows } from './chain-rows.js';
import { AUTHORITY, strangeKey } from './makers/certified.js';
import { each, otherClientData, otherCounter, withExtension, withFields, withMember, withoutMember } from './makers/edits.js';
import { safetyNet } from './makers/statements.js';
import { type AttestationRow, accepted, refused } from './row.js';

const NONCE = '§8.5: nonce is base64 of the SHA-256 of authenticatorData and clientDataHash';
const JWS = '§8.5: response is a JWS of the SafetyNet service, verified as its documentation says';
const HOST = '§8.5: the certificate was issued to attest.android.com';
const INTEGRITY = '§8.5: ctsProfileMatch is true';
const ROOTED = 'A phone that is rooted or emulated passes as an honest one.';

const dnsNames = (...names: readonly string[]) =>
  withExtension(WRITE_EXTENSION.subjectAltName(false, ...names.map((name) => contextPrimitive(2, encodeUtf8(name)))));
const issuedTo = (host: string) => each(withFields({ subject: [named('CN', host)] }), dnsNames(host));

/** HMAC with a public key in PEM, the form in which libraries hold the keys of certificates. */
function hmac(publicKey: Uint8Array, data: Uint8Array): Uint8Array {
  const pem = writePem(publicKey, { begin: '-----BEGIN PUBLIC KEY-----', end: '-----END PUBLIC KEY-----' });
  return new Uint8Array(createHmac('sha256', `${pem}\n`).update(data).digest());
}

/** A payload without one of its members. */
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

/** §8.5. The service was switched off in 2025; the format stays in the standard. */
export const SAFETYNET: readonly AttestationRow[] = [
  ...refused(
    'android-safetynet',
    {
      id: 'signature',
      title: 'one bit of the signature of the JWS flipped',
      rule: JWS,
      why: 'Everybody can write such a text.',
      check: 'signature',
      make: safetyNet({ jws: editPart(2, flipBit(-1)) }),
    },
    {
      id: 'unsigned',
      title: 'a JWS of alg none, without a signature',
      rule: JWS,
      why: 'Who lets the sender choose the algorithm lets him choose none.',
      check: 'signature',
      make: safetyNet({ header: { alg: 'none' }, jws: (jws) => jws.replace(/[^.]+$/, '') }),
    },
    {
      id: 'signed-with-public-key',
      title: 'a JWS of alg HS256, with the public key of the certificate as the secret',
      rule: JWS,
      why: 'Who takes the public key of the certificate for a shared secret has one that everybody knows.',
      check: 'signature',
      make: safetyNet({
        header: { alg: 'HS256' },
        signer: (_, certified) => ({ ...certified, signJws: (data) => hmac(certified.publicKey, data) }),
      }),
    },
    {
      id: 'signed-by-stranger',
      title: 'an honest certificate, and a JWS with the signature of another key',
      rule: JWS,
      why: 'The certificates of the service are public.',
      check: 'signature',
      make: safetyNet({ signer: strangeKey, header: { alg: 'ES256' } }),
    },
    {
      id: 'payload-changed',
      title: 'a JWS whose payload was changed after it was signed',
      rule: JWS,
      why: ROOTED,
      check: 'signature',
      make: safetyNet({
        payload: (payload) => ({ ...payload, ctsProfileMatch: false }),
        jws: editPart(1, (payload) => encodeUtf8(decodeUtf8(payload).replace('"ctsProfileMatch":false', '"ctsProfileMatch":true'))),
      }),
    },
    {
      id: 'without-certificates',
      title: 'a JWS without certificates in its header',
      rule: JWS,
      why: 'A loop over no certificates finds none that is wrong.',
      check: 'response',
      make: safetyNet({ x5c: () => [] }),
    },
    {
      id: 'without-signature-part',
      title: 'a JWS of two parts',
      rule: JWS,
      why: 'What is cut off must not read as empty, nor break the server.',
      check: 'response',
      make: safetyNet({ jws: (jws) => jws.replace(/\.[^.]*$/, '') }),
    },
    {
      id: 'response-not-json',
      title: 'a response that is no JWS',
      rule: JWS,
      why: 'What cannot be read is an error, and not one of the server.',
      check: 'response',
      make: safetyNet({ jws: () => 'a.b.c' }),
    },
    {
      id: 'other-client-data',
      title: 'a nonce of other client data',
      rule: NONCE,
      why: 'An answer that was recorded elsewhere serves for every challenge.',
      check: 'nonce',
      make: safetyNet({ about: otherClientData }),
    },
    {
      id: 'other-authenticator-data',
      title: 'a nonce of authenticator data with another counter',
      rule: NONCE,
      why: 'Nothing binds the answer to the credential.',
      check: 'nonce',
      make: safetyNet({ about: otherCounter }),
    },
    {
      id: 'nonce-not-hashed',
      title: 'a nonce that is not hashed',
      rule: NONCE,
      why: 'What the standard hashes is compared as a hash.',
      check: 'nonce',
      make: safetyNet({ payload: (payload, input) => ({ ...payload, nonce: encodeBase64(attToBeSigned(input)) }) }),
    },
    {
      id: 'nonce-in-hexadecimal',
      title: 'a nonce in hexadecimal digits',
      rule: NONCE,
      why: 'A comparison that knows many encodings takes one text for another.',
      check: 'nonce',
      make: safetyNet({ payload: (payload, input) => ({ ...payload, nonce: toHex(attestationNonce(input)) }) }),
    },
    {
      id: 'without-nonce',
      title: 'a payload without a nonce',
      rule: NONCE,
      why: 'What is absent equals nothing.',
      check: 'nonce',
      make: safetyNet({ payload: without('nonce') }),
    },
    {
      id: 'nonce-empty',
      title: 'an empty nonce',
      rule: NONCE,
      why: 'Every text begins with the empty one.',
      check: 'nonce',
      make: safetyNet({ payload: (payload) => ({ ...payload, nonce: '' }) }),
    },
    {
      id: 'host',
      title: 'a certificate for another host',
      rule: HOST,
      why: 'Whoever has a certificate for his own server speaks as the service.',
      check: 'hostname',
      make: safetyNet({ leaf: issuedTo('www.example.com') }),
    },
    {
      id: 'host-with-suffix',
      title: 'a certificate for a host whose name begins with that of the service',
      rule: HOST,
      why: 'The end of a host name decides whose it is.',
      check: 'hostname',
      make: safetyNet({ leaf: issuedTo(`${SAFETYNET_HOST}.example.com`) }),
    },
    {
      id: 'host-with-prefix',
      title: 'a certificate for a host whose name ends in that of the service, without a dot between',
      rule: HOST,
      why: 'Without the dot it is a domain that anybody can register.',
      check: 'hostname',
      make: safetyNet({ leaf: issuedTo(`not${SAFETYNET_HOST}`) }),
    },
    {
      id: 'integrity',
      title: 'a device that does not pass the compatibility test',
      rule: INTEGRITY,
      why: ROOTED,
      check: 'cts-profile-match',
      make: safetyNet({ payload: (payload) => ({ ...payload, ctsProfileMatch: false }) }),
    },
    {
      id: 'integrity-as-text',
      title: 'ctsProfileMatch as the text "false"',
      rule: INTEGRITY,
      why: 'Every text that is not empty counts as true where nobody looks at the type.',
      check: 'cts-profile-match',
      make: safetyNet({ payload: (payload) => ({ ...payload, ctsProfileMatch: 'false' }) }),
    },
    {
      id: 'without-integrity',
      title: 'a payload without ctsProfileMatch, with basicIntegrity',
      rule: INTEGRITY,
      why: 'Basic integrity is the weaker promise; an unlocked phone may pass it.',
      check: 'cts-profile-match',
      make: safetyNet({ payload: without('ctsProfileMatch') }),
    },
    {
      id: 'without-version',
      title: 'a statement without ver',
      rule: '§8.5: the statement has ver and response',
      why: 'The version says how the response is to be read.',
      check: 'syntax',
      make: safetyNet({ members: withoutMember('ver') }),
    },
    {
      id: 'version-empty',
      title: 'an empty ver',
      rule: '§8.5: ver is a version of Google Play Services, and not empty',
      why: 'The version says how the response is to be read.',
      check: 'version',
      disputed: 'A server that knows one version of the response only need not look at ver.',
      make: safetyNet({ members: withMember('ver', '') }),
    },
    {
      id: 'without-response',
      title: 'a statement without response',
      rule: '§8.5: the statement has ver and response',
      why: 'A server that verifies only where there is something to verify lets everything pass.',
      check: 'syntax',
      make: safetyNet({ members: withoutMember('response') }),
    },
  ),
  ...accepted(
    'android-safetynet',
    {
      id: 'honest',
      title: 'an answer of the service for an honest phone',
      rule: '§8.5: the whole procedure',
      why: 'Phones answered so until 2025.',
      make: safetyNet(),
    },
    {
      id: 'with-root',
      title: 'the whole chain in the header, its root with it',
      rule: JWS,
      why: 'The service has sent its chain with and without the root.',
      make: safetyNet({ x5c: (certificates) => [...certificates, AUTHORITY.root] }),
    },
    {
      id: 'host-among-others',
      title: 'a certificate for several hosts, the service among them',
      rule: HOST,
      why: 'Certificates of servers name several hosts.',
      make: safetyNet({ leaf: dnsNames(SAFETYNET_HOST, 'attest.example.com') }),
    },
    {
      id: 'payload-with-more',
      title: 'a payload with members that nobody knows',
      rule: '§8.5: by the documentation of the service, which added members over time',
      why: 'Every new member would lock all phones out.',
      make: safetyNet({ payload: (payload) => ({ ...payload, advice: 'RESTORE_TO_FACTORY_ROM', deprecationInformation: 'none' }) }),
    },
  ),
  ...chainRows('android-safetynet', safetyNet),
];
