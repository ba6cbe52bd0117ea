import { ES384 } from '../../../authenticator/attestation/attestation-key.js';
import { attestationNonce } from '../../../authenticator/attestation/format.js';
import { ATTESTATION_EXTENSION } from '../../../webauthn/attestation-extensions.js';
import { chainRows, expiredIntermediate } from './chain-rows.js';
import { AUTHORITY, otherClientData, withMember, withoutExtension } from './makers/certified.js';
import { androidKey } from './makers/statements.js';
import { type AttestationRow, accepted, breaking, refused } from './row.js';
import { faults, incomplete } from './shared-rows.js';

const SIGNATURE = '§8.4: sig is a signature over authenticatorData and clientDataHash by the first certificate';
const CHALLENGE = '§8.4: attestationChallenge is identical to clientDataHash';
const OTHER_CEREMONY = 'A key attested elsewhere could be registered here as new.';

const STATEMENT: readonly AttestationRow[] = refused('android-key', {
  ...breaking(
    SIGNATURE,
    'signature',
    faults(androidKey, 'signature', 'other-client-data', 'other-authenticator-data', 'without-client-data', 'signed-by-stranger'),
  ),
  ...breaking(
    '§8.4: the public key in the first certificate matches the credential public key',
    'public-key',
    faults(androidKey, 'public-key'),
  ),
  algorithm: {
    title: 'alg ES384 with a P-256 key and a signature by ES256',
    rule: '§8.4: the signature is verified with the algorithm that alg names',
    why: 'A server that ignores alg lets the certificate choose the algorithm.',
    check: 'algorithm-fits-key',
    also: ['signature'],
    make: androidKey({ members: withMember('alg', ES384) }),
  },
  ...breaking('§8.4: the statement has alg, sig and x5c, which begins with the certificate of the credential key', 'syntax', {
    ...incomplete(androidKey, { alg: 'alg', sig: 'sig', x5c: 'x5c' }),
    ...faults(androidKey, 'x5c-emptied'),
  }),
  'without-description': {
    title: 'a certificate without a key description',
    rule: '§8.4: the first certificate has the extension with the key description',
    why: 'The description says what a key may do; without it, the key may do anything.',
    check: 'key-description',
    make: androidKey({ leaf: withoutExtension(ATTESTATION_EXTENSION.androidKeyDescription) }),
  },
  ...breaking(CHALLENGE, 'attestation-challenge', {
    challenge: {
      title: 'a key that was attested for other client data',
      why: OTHER_CEREMONY,
      make: androidKey({ challenge: (input) => otherClientData(input).clientDataHash }),
    },
    'challenge-empty': {
      title: 'an attestationChallenge of no bytes',
      why: 'A comparison that stops where the shorter value ends accepts an empty or truncated value.',
      make: androidKey({ challenge: () => new Uint8Array() }),
    },
    'challenge-cut': {
      title: 'an attestationChallenge that is the first half of the hash',
      why: 'A comparison that stops where the shorter value ends accepts an empty or truncated value.',
      make: androidKey({ challenge: ({ clientDataHash }) => clientDataHash.slice(0, 16) }),
    },
    'challenge-nonce': {
      title: 'an attestationChallenge that is the nonce of other formats',
      why: 'Each format binds the client data differently; one must not stand in for another.',
      make: androidKey({ challenge: attestationNonce }),
    },
  }),
});

/** Cases for the attestation statement format `android-key` (§8.4). */
export const ANDROID_KEY: readonly AttestationRow[] = [
  ...STATEMENT,
  ...accepted('android-key', {
    'without-root': {
      title: 'a chain without its root',
      rule: '§8.4: x5c is the certificate of the credential key and its chain',
      why: 'Phones send the root, but the standard does not require it.',
      make: androidKey({ x5c: (certificates) => certificates.slice(0, -1) }),
    },
    'issued-by-root': {
      title: 'the certificate of the key alone, issued by the root',
      rule: '§8.4: x5c is the certificate of the credential key and its chain',
      why: 'The server may already know the chain.',
      make: androidKey({ issued: () => ({ issuer: AUTHORITY.rootIssuer, path: [] }) }),
    },
  }),
  ...expiredIntermediate('android-key', androidKey),
  ...chainRows('android-key', androidKey),
];
