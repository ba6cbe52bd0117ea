import type { KeyDescriptionToWrite } from '../../../authenticator/attestation/android-key.js';
import { ES384, RS256 } from '../../../authenticator/attestation/attestation-key.js';
import { attestationNonce } from '../../../authenticator/attestation/format.js';
import { ATTESTATION_EXTENSION } from '../../../webauthn/attestation-extensions.js';
import { flipBit } from '../../engine/edits.js';
import { chainRows } from './chain-rows.js';
import { AUTHORITY } from './makers/certified.js';
import { byExpired } from './makers/chains.js';
import {
  editMember,
  otherClientData,
  otherCounter,
  withMember,
  withoutClientDataHash,
  withoutExtension,
  withoutMember,
} from './makers/edits.js';
import { strangeKey } from './makers/keys.js';
import { androidKey } from './makers/statements.js';
import { type AcceptedRow, type AttestationRow, accepted, type RefusedRow, refused, untrusted } from './row.js';

const SIGNATURE = '§8.4: sig is a signature over authenticatorData and clientDataHash by the first certificate';
const CHALLENGE = '§8.4: attestationChallenge is identical to clientDataHash';
const APPLICATIONS = '§8.4: allApplications is in neither authorization list';
const ORIGIN = '§8.4: origin is KM_ORIGIN_GENERATED';
const PURPOSE = '§8.4: purpose is KM_PURPOSE_SIGN';
const COPIES = 'A key that was made outside may have copies there.';
const OTHER_CEREMONY = 'A key that was attested elsewhere is registered again and again, as a new one.';
const NOT_FOR_SIGNING = 'A key for other purposes may be used for them, and give its secret away.';

const STATEMENT: readonly AttestationRow[] = refused(
  'android-key',
  {
    id: 'signature',
    title: 'one bit of the signature flipped',
    rule: SIGNATURE,
    why: 'Nothing shows that the sender has the key.',
    check: 'signature',
    make: androidKey({ members: editMember('sig', flipBit(-1)) }),
  },
  {
    id: 'other-client-data',
    title: 'a signature over other client data',
    rule: SIGNATURE,
    why: OTHER_CEREMONY,
    check: 'signature',
    make: androidKey({ about: otherClientData }),
  },
  {
    id: 'other-authenticator-data',
    title: 'a signature over authenticator data with another counter',
    rule: SIGNATURE,
    why: 'Flags and counter can be changed on the way.',
    check: 'signature',
    make: androidKey({ about: otherCounter }),
  },
  {
    id: 'without-client-data',
    title: 'a signature over the authenticator data alone',
    rule: SIGNATURE,
    why: 'Nothing binds the signature to the challenge.',
    check: 'signature',
    make: androidKey({ signs: withoutClientDataHash }),
  },
  {
    id: 'signed-by-stranger',
    title: 'an honest certificate, and a signature with another key',
    rule: SIGNATURE,
    why: 'Nothing shows that the sender has the key.',
    check: 'signature',
    make: androidKey({ signer: strangeKey }),
  },
  {
    id: 'public-key',
    title: 'a certificate for another key than that of the credential',
    rule: '§8.4: the public key in the first certificate matches the credential public key',
    why: 'The key store vouches for a key of its own; the credential is another one, which anybody may hold.',
    check: 'public-key',
    make: androidKey({ key: strangeKey }),
  },
  {
    id: 'algorithm',
    title: 'alg ES384 with a P-256 key and a signature by ES256',
    rule: '§8.4: the signature is verified with the algorithm that alg names',
    why: 'Who ignores alg verifies with what the certificate happens to allow.',
    check: 'algorithm-fits-key',
    also: ['signature'],
    make: androidKey({ members: withMember('alg', ES384) }),
  },
  ...(['alg', 'sig', 'x5c'] as const).map((member) => ({
    id: `without-${member}`,
    title: `a statement without ${member}`,
    rule: '§8.4: the statement has alg, sig and x5c',
    why: 'A server that verifies only where there is something to verify lets everything pass.',
    check: 'syntax',
    make: androidKey({ members: withoutMember(member) }),
  })),
  {
    id: 'x5c-emptied',
    title: 'a statement with an empty x5c',
    rule: '§8.4: x5c begins with the certificate of the credential key',
    why: 'A loop over no certificates finds none that is wrong.',
    check: 'syntax',
    make: androidKey({ members: withMember('x5c', []) }),
  },
  {
    id: 'without-description',
    title: 'a certificate without a key description',
    rule: '§8.4: the first certificate has the extension with the key description',
    why: 'What a key may do is what its description says; without one it may do anything.',
    check: 'key-description',
    make: androidKey({ leaf: withoutExtension(ATTESTATION_EXTENSION.androidKeyDescription) }),
  },
  {
    id: 'challenge',
    title: 'a key that was attested for other client data',
    rule: CHALLENGE,
    why: OTHER_CEREMONY,
    check: 'attestation-challenge',
    make: androidKey({ challenge: (input) => otherClientData(input).clientDataHash }),
  },
  {
    id: 'challenge-empty',
    title: 'an attestationChallenge of no bytes',
    rule: CHALLENGE,
    why: 'Who compares as many bytes as there are compares as few as the sender likes.',
    check: 'attestation-challenge',
    make: androidKey({ challenge: () => new Uint8Array() }),
  },
  {
    id: 'challenge-cut',
    title: 'an attestationChallenge that is the first half of the hash',
    rule: CHALLENGE,
    why: 'Who compares as many bytes as there are compares as few as the sender likes.',
    check: 'attestation-challenge',
    make: androidKey({ challenge: ({ clientDataHash }) => clientDataHash.slice(0, 16) }),
  },
  {
    id: 'challenge-nonce',
    title: 'an attestationChallenge as the nonce of other formats',
    rule: CHALLENGE,
    why: 'Each format binds the client data in a way of its own; one does not stand for another.',
    check: 'attestation-challenge',
    make: androidKey({ challenge: attestationNonce }),
  },
);

interface DescriptionRow extends Pick<RefusedRow, 'id' | 'title' | 'rule' | 'why' | 'check' | 'disputed'> {
  readonly description: Partial<KeyDescriptionToWrite>;
}

const SIGNS = { purpose: ['sign'], origin: 'generated' } as const;

/** Where one list is wrong, the other is empty: some servers look at the one of the trusted environment alone. */
const DESCRIPTIONS: readonly DescriptionRow[] = [
  {
    id: 'all-applications',
    title: 'a key that every application may use, by the trusted environment',
    rule: APPLICATIONS,
    why: 'A credential is bound to one site; this key signs for whoever asks.',
    check: 'all-applications',
    description: { teeEnforced: { ...SIGNS, allApplications: true } },
  },
  {
    id: 'all-applications-by-software',
    title: 'a key that every application may use, by the software',
    rule: APPLICATIONS,
    why: 'The rule names both lists; who looks at one of them misses the other.',
    check: 'all-applications',
    description: { softwareEnforced: { allApplications: true } },
  },
  {
    id: 'origin-imported',
    title: 'a key that was imported',
    rule: ORIGIN,
    why: COPIES,
    check: 'key-origin',
    description: { teeEnforced: { ...SIGNS, origin: 'imported' } },
  },
  {
    id: 'origin-imported-by-software',
    title: 'a key that was imported, by the software',
    rule: ORIGIN,
    why: COPIES,
    check: 'key-origin',
    description: { softwareEnforced: { origin: 'imported' }, teeEnforced: { purpose: ['sign'] } },
  },
  {
    id: 'origin-securely-imported',
    title: 'a key that was imported in wrapped form',
    rule: ORIGIN,
    why: COPIES,
    check: 'key-origin',
    description: { teeEnforced: { ...SIGNS, origin: 'securely imported' } },
  },
  {
    id: 'origin-unknown',
    title: 'a key of unknown origin',
    rule: ORIGIN,
    why: COPIES,
    check: 'key-origin',
    description: { teeEnforced: { ...SIGNS, origin: 'unknown' } },
  },
  {
    id: 'without-origin',
    title: 'a key without an origin in either list',
    rule: ORIGIN,
    why: 'What is absent equals nothing, and is not the number 0 that stands for generated.',
    check: 'key-origin',
    description: { teeEnforced: { purpose: ['sign'] } },
  },
  {
    id: 'purpose-encryption',
    title: 'a key for encryption and decryption',
    rule: PURPOSE,
    why: NOT_FOR_SIGNING,
    check: 'key-purpose',
    description: { teeEnforced: { ...SIGNS, purpose: ['encrypt', 'decrypt'] } },
  },
  {
    id: 'purpose-signing-and-decryption',
    title: 'a key for signing and for decryption',
    rule: PURPOSE,
    why: NOT_FOR_SIGNING,
    check: 'key-purpose',
    description: { teeEnforced: { ...SIGNS, purpose: ['sign', 'decrypt'] } },
  },
  {
    id: 'purpose-encryption-by-software',
    title: 'a key for encryption, by the software',
    rule: PURPOSE,
    why: NOT_FOR_SIGNING,
    check: 'key-purpose',
    description: { softwareEnforced: { purpose: ['encrypt'] }, teeEnforced: { origin: 'generated' } },
  },
  {
    id: 'without-purpose',
    title: 'a key without a purpose in either list',
    rule: PURPOSE,
    why: 'What is absent equals nothing.',
    check: 'key-purpose',
    description: { teeEnforced: { origin: 'generated' } },
  },
];

const VERSIONS = 'Android key attestation: the schema has versions 1 to 4 for Keymaster, 100 and up for KeyMint';

const VALID: readonly (Pick<AcceptedRow, 'id' | 'title' | 'rule' | 'why' | 'disputed' | 'algorithm'> &
  Partial<Pick<DescriptionRow, 'description'>>)[] = [
  {
    id: 'of-strongbox',
    title: 'a key in a chip of its own',
    rule: '§8.4: says nothing of the security level; strongbox is the highest',
    why: 'A server that asks for the trusted environment by its number refuses better ones.',
    description: { attestationSecurityLevel: 'strongbox', keyMintSecurityLevel: 'strongbox' },
  },
  {
    id: 'of-keymaster-3',
    title: 'a description of version 2, by Keymaster 3',
    rule: VERSIONS,
    why: 'Phones of 2017 are in use.',
    description: { attestationVersion: 2, keyMintVersion: 3 },
  },
  {
    id: 'of-keymint-4',
    title: 'a description of version 400',
    rule: VERSIONS,
    why: 'New phones are locked out by every list of the versions that there were.',
    description: { attestationVersion: 400, keyMintVersion: 400 },
  },
  {
    id: 'of-software',
    title: 'a key whose origin and purpose the software enforces',
    rule: '§8.4: the union of both lists, unless only keys of a trusted environment are accepted',
    why: 'Emulators and old phones have no trusted environment.',
    disputed: 'A server may accept keys of a trusted environment only.',
    description: {
      attestationSecurityLevel: 'software',
      keyMintSecurityLevel: 'software',
      softwareEnforced: SIGNS,
      teeEnforced: {},
    },
  },
  {
    id: 'of-rs256',
    title: 'a key of RSA',
    rule: '§8.4: by the algorithm of the credential',
    why: 'A server that compares coordinates only finds none.',
    algorithm: RS256,
  },
];

/** §8.4. */
export const ANDROID_KEY: readonly AttestationRow[] = [
  ...STATEMENT,
  ...refused('android-key', ...DESCRIPTIONS.map(({ description, ...row }) => ({ ...row, make: androidKey({ description }) }))),
  ...accepted(
    'android-key',
    ...VALID.map(({ description, ...row }) => ({ ...row, make: androidKey({ ...(description && { description }) }) })),
    {
      id: 'without-root',
      title: 'a chain without its root',
      rule: '§8.4: x5c is the certificate of the credential key and its chain',
      why: 'Phones send the root; the standard does not ask for it.',
      make: androidKey({ x5c: (certificates) => certificates.slice(0, -1) }),
    },
    {
      id: 'issued-by-root',
      title: 'the certificate of the key alone, issued by the root',
      rule: '§8.4: x5c is the certificate of the credential key and its chain',
      why: 'The chain may be known to the server.',
      make: androidKey({ issued: () => ({ issuer: AUTHORITY.rootIssuer, path: [] }) }),
    },
  ),
  ...untrusted('android-key', {
    id: 'intermediate-expired',
    title: 'an intermediate that expired in 2020',
    rule: 'RFC 5280 §6.1.3: every certificate of the path is valid now',
    why: 'The key of a retired batch issues certificates that are valid in themselves.',
    check: 'chain-validity',
    make: androidKey({ issued: byExpired }),
  }),
  ...chainRows('android-key', androidKey),
];
