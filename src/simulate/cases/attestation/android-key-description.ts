import { RS256 } from '../../../authenticator/attestation/attestation-key.js';
import { mapRows } from '../../engine/case.js';
import { androidKey } from './makers/statements.js';
import { type AttestationRow, accepted, breaking, refused } from './row.js';

const APPLICATIONS = '§8.4: allApplications is in neither authorization list';
const ORIGIN = '§8.4: origin is KM_ORIGIN_GENERATED';
const PURPOSE = '§8.4: purpose is KM_PURPOSE_SIGN';
const COPIES = 'A key made elsewhere may have copies.';
const NOT_FOR_SIGNING = 'A credential key is for signing and nothing else.';

const SIGNS = { purpose: ['sign'], origin: 'generated' } as const;

/**
 * Invalid Android key descriptions. A wrong value in one of the two authorization lists is an error even if the other list is right: some
 * servers check only the trusted-environment list.
 */
const DESCRIPTIONS = refused('android-key', {
  'all-applications': {
    title: 'allApplications in the trusted-environment list',
    rule: APPLICATIONS,
    why: 'A credential is bound to one site; this key signs for any application.',
    check: 'all-applications',
    make: androidKey({ description: { teeEnforced: { ...SIGNS, allApplications: true } } }),
  },
  'all-applications-by-software': {
    title: 'allApplications in the software list',
    rule: APPLICATIONS,
    why: 'The rule covers both authorization lists; a server that checks one misses the other.',
    check: 'all-applications',
    make: androidKey({ description: { softwareEnforced: { allApplications: true } } }),
  },
  ...breaking(ORIGIN, 'key-origin', {
    ...mapRows(
      { 'origin-imported': 'imported', 'origin-securely-imported': 'securely imported', 'origin-unknown': 'unknown' } as const,
      (origin) => ({
        title: `a key whose origin is "${origin}"`,
        why: COPIES,
        make: androidKey({ description: { teeEnforced: { ...SIGNS, origin } } }),
      }),
    ),
    'origin-imported-by-software': {
      title: 'an imported key, in the software list',
      why: COPIES,
      make: androidKey({ description: { softwareEnforced: { origin: 'imported' }, teeEnforced: { purpose: ['sign'] } } }),
    },
    'without-origin': {
      title: 'a key without an origin in either list',
      why: 'A missing origin must not be read as 0, which means "generated".',
      make: androidKey({ description: { teeEnforced: { purpose: ['sign'] } } }),
    },
  }),
  ...breaking(PURPOSE, 'key-purpose', {
    'purpose-encryption': {
      title: 'a key for encryption and decryption',
      why: NOT_FOR_SIGNING,
      make: androidKey({ description: { teeEnforced: { ...SIGNS, purpose: ['encrypt', 'decrypt'] } } }),
    },
    'purpose-signing-and-decryption': {
      title: 'a key for signing and decryption',
      why: NOT_FOR_SIGNING,
      disputed: 'The standard compares a set of purposes with a single value; a server may require only that signing is one of them.',
      make: androidKey({ description: { teeEnforced: { ...SIGNS, purpose: ['sign', 'decrypt'] } } }),
    },
    'purpose-encryption-by-software': {
      title: 'a key for encryption, in the software list',
      why: NOT_FOR_SIGNING,
      make: androidKey({ description: { softwareEnforced: { purpose: ['encrypt'] }, teeEnforced: { origin: 'generated' } } }),
    },
    'without-purpose': {
      title: 'a key without a purpose in either list',
      why: 'A missing value must not match.',
      make: androidKey({ description: { teeEnforced: { origin: 'generated' } } }),
    },
  }),
});

const VERSIONS = 'Android key attestation: the schema has versions 1 to 4 for Keymaster, 100 and up for KeyMint';

const VALID = accepted('android-key', {
  honest: {
    title: 'a key in the trusted environment of a phone',
    rule: '§8.4: the whole procedure',
    why: 'This is how phones attest their keys.',
    make: androidKey(),
  },
  'of-strongbox': {
    title: 'a StrongBox key',
    rule: '§8.4 says nothing about the security level; StrongBox is the highest',
    why: 'A server that accepts only the trusted environment refuses StrongBox, which is better.',
    make: androidKey({ description: { attestationSecurityLevel: 'strongbox', keyMintSecurityLevel: 'strongbox' } }),
  },
  'of-keymaster-3': {
    title: 'a description of version 2, by Keymaster 3',
    rule: VERSIONS,
    why: 'Phones from 2017 are still in use.',
    make: androidKey({ description: { attestationVersion: 2, keyMintVersion: 3 } }),
  },
  'of-keymint-4': {
    title: 'a description of version 400',
    rule: VERSIONS,
    why: 'A list of known versions locks out new phones.',
    make: androidKey({ description: { attestationVersion: 400, keyMintVersion: 400 } }),
  },
  'of-software': {
    title: 'a key whose origin and purpose are enforced by software',
    rule: '§8.4: the union of both lists, unless only keys of a trusted environment are accepted',
    why: 'Emulators and old phones have no trusted environment.',
    disputed: 'A server may accept only keys of a trusted environment.',
    make: androidKey({
      description: {
        attestationSecurityLevel: 'software',
        keyMintSecurityLevel: 'software',
        softwareEnforced: SIGNS,
        teeEnforced: {},
      },
    }),
  },
  'of-rs256': {
    title: 'an RSA key',
    rule: '§8.4: sig is made with the algorithm of the credential',
    why: 'A server that compares only coordinates finds none in an RSA key.',
    algorithm: RS256,
    make: androidKey(),
  },
});

/** Cases about the key properties in the Android key description extension (§8.4). */
export const ANDROID_KEY_DESCRIPTION: readonly AttestationRow[] = [...DESCRIPTIONS, ...VALID];
