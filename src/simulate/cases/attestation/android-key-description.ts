import type { KeyDescriptionToWrite } from '../../../authenticator/attestation/android-key.js';
import { RS256 } from '../../../authenticator/attestation/attestation-key.js';
import { androidKey } from './makers/statements.js';
import { type AcceptedRow, type AttestationRow, accepted, type RefusedRow, refused } from './row.js';

const APPLICATIONS = '§8.4: allApplications is in neither authorization list';
const ORIGIN = '§8.4: origin is KM_ORIGIN_GENERATED';
const PURPOSE = '§8.4: purpose is KM_PURPOSE_SIGN';
const COPIES = 'A key that was made outside may have copies there.';
const NOT_FOR_SIGNING = 'A key for other purposes may be used for them, and give its secret away.';

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
    disputed: 'The purposes of a key are a set, which the standard compares with one value; a server may ask that signing be among them.',
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
    id: 'honest',
    title: 'a key in the trusted environment of a phone',
    rule: '§8.4: the whole procedure',
    why: 'Phones attest their keys like that.',
  },
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

/** §8.4: what the key description says of the key. */
export const ANDROID_KEY_DESCRIPTION: readonly AttestationRow[] = [
  ...refused('android-key', ...DESCRIPTIONS.map(({ description, ...row }) => ({ ...row, make: androidKey({ description }) }))),
  ...accepted('android-key', ...VALID.map(({ description = {}, ...row }) => ({ ...row, make: androidKey({ description }) }))),
];
