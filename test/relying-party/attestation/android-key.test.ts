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
    judged([
      { name: 'enforced by the trusted environment', make: () => androidKey() },
      { name: 'enforced by software', make: () => androidKey({ software: [purpose(2), origin(0)], tee: [] }) },
      { name: 'enforced by both', make: () => androidKey({ software: [purpose(2)], tee: [origin(0)] }) },
      { name: 'without root or intermediate', make: () => androidKey({ issuers: [] }) },
      { name: 'unknown members', make: () => androidKey({ extra: { note: true } }) },
      { name: 'a key that verifies too', make: () => androidKey({ tee: [purpose(2, 3), origin(0)] }), warns: ['key-purpose'] },
    ]);
  });

  describe('forged or broken', () => {
    judged([
      { name: 'sig missing', make: () => androidKey({ extra: { sig: undefined } }), fails: ['syntax'] },
      { name: 'signature changed', make: () => androidKey({ sig: flipped }), fails: ['signature'] },
      {
        name: 'bytes after the signature',
        make: () => androidKey({ sig: (sig) => concatBytes(sig, Uint8Array.of(0)) }),
        fails: ['signature'],
      },
      { name: 'alg of another key type', make: () => androidKey({ alg: -257 }), fails: ['algorithm-fits-key', 'signature'] },
      {
        name: 'certificate of another key',
        make: () => androidKey({ leaf: { publicKey: otherKey.publicKey }, sig: () => ecdsa(signedBytes(authenticatorData()), otherKey) }),
        fails: ['public-key'],
      },
      { name: 'no key description', make: () => androidKey({ leaf: { extensions: [] } }), fails: ['key-description'] },
      {
        name: 'a key description that is none',
        make: () => androidKey({ leaf: { extensions: [{ oid: '1.3.6.1.4.1.11129.2.1.17', value: sequence(integer(1)) }] } }),
        fails: ['key-description'],
      },
      { name: 'another challenge', make: () => androidKey({ challenge: flipped(CLIENT_DATA_HASH) }), fails: ['attestation-challenge'] },
      { name: 'allApplications by software', make: () => androidKey({ software: [allApplications] }), fails: ['all-applications'] },
      {
        name: 'allApplications by the environment',
        make: () => androidKey({ tee: [purpose(2), allApplications, origin(0)] }),
        fails: ['all-applications'],
      },
      { name: 'key imported', make: () => androidKey({ tee: [purpose(2), origin(2)] }), fails: ['key-origin'] },
      { name: 'key of unknown origin', make: () => androidKey({ tee: [purpose(2), origin(3)] }), fails: ['key-origin'] },
      { name: 'imported by one of two lists', make: () => androidKey({ software: [origin(2)] }), fails: ['key-origin'] },
      { name: 'key for verifying', make: () => androidKey({ tee: [purpose(3), origin(0)] }), fails: ['key-purpose'] },
      { name: 'key for decrypting too', make: () => androidKey({ tee: [purpose(1, 2), origin(0)] }), fails: ['key-purpose'] },
      { name: 'two empty lists', make: () => androidKey({ tee: [] }), fails: ['key-origin', 'key-purpose'] },
      { name: 'certificate expired', make: () => androidKey({ leaf: { notAfter: AT - 1000 } }), fails: ['chain-validity'] },
    ]);
  });

  test('is basic attestation', () => {
    const report = verifyAttestation(androidKey());
    expect(report.attestationType).toBe('basic');
    expect(slugs(report, 'skip')).toEqual([]);
  });
});
