import { describe, expect, test } from 'vitest';
import { concatBytes } from '../../../src/kernel/bytes.js';
import { verifyAttestation } from '../../../src/relying-party/attestation/verify-attestation.js';
import type { CborValue } from '../../../src/webauthn/cbor.js';
import { context, enumerated, integer, nothing, octetString, sequence, set, utf8String } from '../../../src/webauthn/der-writer.js';
import { type Extension, ecKeyPair, OID } from '../../webauthn/certificate-writer.js';
import { AT, caCertificate, type LeafFields, leafCertificate } from './authority.js';
import { judged, slugs } from './outcome.js';
import { attestation, authenticatorData, CLIENT_DATA_HASH, credentialKey, ecdsa, flipped, members, signedBytes } from './statements.js';

const purpose = (...purposes: readonly number[]) => context(1, set(...purposes.map((value) => integer(value))));
const origin = (value: number) => context(702, integer(value));
const allApplications = context(600, nothing());
/** As real lists have, members that §8.4 does not ask about. */
const algorithm = context(2, integer(3));
const osVersion = context(705, integer(140000));

interface Lists {
  readonly software?: readonly Uint8Array[];
  readonly tee?: readonly Uint8Array[];
  readonly challenge?: Uint8Array;
}

function keyDescription({
  software = [],
  tee = [purpose(2), algorithm, origin(0), osVersion],
  challenge = CLIENT_DATA_HASH,
}: Lists = {}): Extension {
  const head = [integer(300), enumerated(1), integer(300), enumerated(1), octetString(challenge), octetString(new Uint8Array())];
  return { oid: '1.3.6.1.4.1.11129.2.1.17', value: sequence(...head, sequence(...software), sequence(...tee)) };
}

interface Change extends Lists {
  readonly leaf?: Partial<LeafFields>;
  readonly sig?: (sig: Uint8Array) => Uint8Array;
  readonly alg?: number;
  readonly issuers?: readonly Uint8Array[];
  readonly extra?: Readonly<Record<string, CborValue>>;
}

function androidKey({ leaf, sig = (bytes) => bytes, alg = -7, issuers = [caCertificate()], extra, ...lists }: Change = {}) {
  const authData = authenticatorData();
  const certificate = leafCertificate({
    subject: [[OID.cn, utf8String('Android Keystore Key')]],
    publicKey: credentialKey.publicKey,
    extensions: [keyDescription(lists)],
    ...leaf,
  });
  const entries = { alg, sig: sig(ecdsa(signedBytes(authData), credentialKey)), x5c: [certificate, ...issuers], ...extra };
  return attestation('android-key', members(entries), authData);
}

const otherKey = ecKeyPair();

describe('android-key (§8.4)', () => {
  describe('legal', () => {
    judged(androidKey, [
      ['enforced by the trusted environment', {}],
      ['enforced by software', { software: [purpose(2), origin(0)], tee: [] }],
      ['enforced by both', { software: [purpose(2)], tee: [origin(0)] }],
      ['without root or intermediate', { issuers: [] }],
      ['unknown members', { extra: { note: true } }],
      ['two empty lists, as in the test vector of the standard', { tee: [] }, [], ['key-origin', 'key-purpose']],
      ['a key that verifies too', { tee: [purpose(2, 3), origin(0)] }, [], ['key-purpose']],
    ]);
  });

  describe('forged or broken', () => {
    judged(androidKey, [
      ['sig missing', { extra: { sig: undefined } }, ['syntax']],
      ['signature changed', { sig: flipped }, ['signature']],
      ['bytes after the signature', { sig: (sig) => concatBytes(sig, Uint8Array.of(0)) }, ['signature']],
      ['alg of another key type', { alg: -257 }, ['algorithm-fits-key', 'signature']],
      [
        'certificate of another key',
        { leaf: { publicKey: otherKey.publicKey }, sig: () => ecdsa(signedBytes(authenticatorData()), otherKey) },
        ['public-key'],
      ],
      ['no key description', { leaf: { extensions: [] } }, ['key-description']],
      [
        'a key description that is none',
        { leaf: { extensions: [{ oid: '1.3.6.1.4.1.11129.2.1.17', value: sequence(integer(1)) }] } },
        ['key-description'],
      ],
      ['another challenge', { challenge: flipped(CLIENT_DATA_HASH) }, ['attestation-challenge']],
      ['allApplications by software', { software: [allApplications] }, ['all-applications']],
      ['allApplications by the environment', { tee: [purpose(2), allApplications, origin(0)] }, ['all-applications']],
      ['key imported', { tee: [purpose(2), origin(2)] }, ['key-origin']],
      ['key of unknown origin', { tee: [purpose(2), origin(3)] }, ['key-origin']],
      ['imported by one of two lists', { software: [origin(2)] }, ['key-origin']],
      ['key for verifying', { tee: [purpose(3), origin(0)] }, ['key-purpose']],
      ['key for decrypting too', { tee: [purpose(1, 2), origin(0)] }, ['key-purpose']],
      ['no origin in either list', { tee: [purpose(2)] }, ['key-origin']],
      ['no purpose in either list', { software: [origin(0)], tee: [] }, ['key-purpose']],
      ['certificate expired', { leaf: { notAfter: AT - 1000 } }, ['chain-validity']],
    ]);
  });

  test('is basic attestation', () => {
    const report = verifyAttestation(androidKey());
    expect(report.attestationType).toBe('basic');
    expect(slugs(report, 'skip')).toEqual([]);
  });
});
