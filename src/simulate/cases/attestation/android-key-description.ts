import type { KeyDescriptionToWrite } from '../../../authenticator/attestation/android-key.js';
import { RS256 } from '../../../authenticator/attestation/attestation-key.js';
import { androidKey } from './makers/statements.js';
import { type AcceptedRow, type AttestationRow, accepted, breaking, type RefusedRow, refused } from './row.js';

const APPLICATIONS = '§8.4: allApplications is in neither authorization list';
const ORIGIN = '§8.4: origin is KM_ORIGIN_GENERATED';
const PURPOSE = '§8.4: purpose is KM_PURPOSE_SIGN';
const COPIES = 'A key made elsewhere may have copies.';
const NOT_FOR_SIGNING = 'A credential key is for signing and nothing else.';

interface DescriptionRow extends Pick<RefusedRow, 'id' | 'title' | 'rule' | 'why' | 'check' | 'disputed'> {
  readonly description: Partial<KeyDescriptionToWrite>;
}

const SIGNS = { purpose: ['sign'], origin: 'generated' } as const;

/** If one list is wrong, the other does not make up for it: some servers only look at the list of the trusted environment. */
const DESCRIPTIONS: readonly DescriptionRow[] = [
  {
    id: 'all-applications',
    title: 'allApplications in the list of the trusted environment',
    rule: APPLICATIONS,
    why: 'A credential is bound to one site; this key signs for any application.',
    check: 'all-applications',
    description: { teeEnforced: { ...SIGNS, allApplications: true } },
  },
  {
    id: 'all-applications-by-software',
    title: 'allApplications in the software list',
    rule: APPLICATIONS,
    why: 'The rule covers both lists; checking one misses the other.',
    check: 'all-applications',
    description: { softwareEnforced: { allApplications: true } },
  },
  ...breaking<DescriptionRow>(
    ORIGIN,
    'key-origin',
    {
      id: 'origin-imported',
      title: 'an imported key',
      why: COPIES,
      description: { teeEnforced: { ...SIGNS, origin: 'imported' } },
    },
    {
      id: 'origin-imported-by-software',
      title: 'an imported key, in the software list',
      why: COPIES,
      description: { softwareEnforced: { origin: 'imported' }, teeEnforced: { purpose: ['sign'] } },
    },
    {
      id: 'origin-securely-imported',
      title: 'a securely imported key',
      why: COPIES,
      description: { teeEnforced: { ...SIGNS, origin: 'securely imported' } },
    },
    {
      id: 'origin-unknown',
      title: 'a key of unknown origin',
      why: COPIES,
      description: { teeEnforced: { ...SIGNS, origin: 'unknown' } },
    },
    {
      id: 'without-origin',
      title: 'a key without an origin in either list',
      why: 'A missing origin is not 0, the number for generated.',
      description: { teeEnforced: { purpose: ['sign'] } },
    },
  ),
  ...breaking<DescriptionRow>(
    PURPOSE,
    'key-purpose',
    {
      id: 'purpose-encryption',
      title: 'a key for encryption and decryption',
      why: NOT_FOR_SIGNING,
      description: { teeEnforced: { ...SIGNS, purpose: ['encrypt', 'decrypt'] } },
    },
    {
      id: 'purpose-signing-and-decryption',
      title: 'a key for signing and decryption',
      why: NOT_FOR_SIGNING,
      disputed: 'The purposes are a set, which the standard compares with one value; a server may only require that signing is among them.',
      description: { teeEnforced: { ...SIGNS, purpose: ['sign', 'decrypt'] } },
    },
    {
      id: 'purpose-encryption-by-software',
      title: 'a key for encryption, in the software list',
      why: NOT_FOR_SIGNING,
      description: { softwareEnforced: { purpose: ['encrypt'] }, teeEnforced: { origin: 'generated' } },
    },
    {
      id: 'without-purpose',
      title: 'a key without a purpose in either list',
      why: 'A missing value must not match.',
      description: { teeEnforced: { origin: 'generated' } },
    },
  ),
];

const VERSIONS = 'Android key attestation: the schema has versions 1 to 4 for Keymaster, 100 and up for KeyMint';

const VALID: readonly (Pick<AcceptedRow, 'id' | 'title' | 'rule' | 'why' | 'disputed' | 'algorithm'> &
  Partial<Pick<DescriptionRow, 'description'>>)[] = [
  {
    id: 'honest',
    title: 'a key in the trusted environment of a phone',
    rule: '§8.4: the whole procedure',
    why: 'This is how phones attest their keys.',
  },
  {
    id: 'of-strongbox',
    title: 'a StrongBox key',
    rule: '§8.4 says nothing about the security level; StrongBox is the highest',
    why: 'A server that requires exactly the trusted environment refuses something better.',
    description: { attestationSecurityLevel: 'strongbox', keyMintSecurityLevel: 'strongbox' },
  },
  {
    id: 'of-keymaster-3',
    title: 'a description of version 2, by Keymaster 3',
    rule: VERSIONS,
    why: 'Phones from 2017 are still in use.',
    description: { attestationVersion: 2, keyMintVersion: 3 },
  },
  {
    id: 'of-keymint-4',
    title: 'a description of version 400',
    rule: VERSIONS,
    why: 'A list of known versions locks out new phones.',
    description: { attestationVersion: 400, keyMintVersion: 400 },
  },
  {
    id: 'of-software',
    title: 'a key whose origin and purpose are enforced by software',
    rule: '§8.4: the union of both lists, unless only keys of a trusted environment are accepted',
    why: 'Emulators and old phones have no trusted environment.',
    disputed: 'A server may accept only keys of a trusted environment.',
    description: {
      attestationSecurityLevel: 'software',
      keyMintSecurityLevel: 'software',
      softwareEnforced: SIGNS,
      teeEnforced: {},
    },
  },
  {
    id: 'of-rs256',
    title: 'an RSA key',
    rule: '§8.4: sig is made with the algorithm of the credential',
    why: 'A server that only compares coordinates finds none.',
    algorithm: RS256,
  },
];

/** §8.4: what the key description says of the key. */
export const ANDROID_KEY_DESCRIPTION: readonly AttestationRow[] = [
  ...refused('android-key', ...DESCRIPTIONS.map(({ description, ...row }) => ({ ...row, make: androidKey({ description }) }))),
  ...accepted('android-key', ...VALID.map(({ description = {}, ...row }) => ({ ...row, make: androidKey({ description }) }))),
];
