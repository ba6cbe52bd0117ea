import { appleExtension } from '../../../authenticator/attestation/apple.js';
import { ATTESTATION_EXTENSION } from '../../../webauthn/attestation-extensions.js';
import { octetString, sequence } from '../../../webauthn/der-writer.js';
import { flipBit } from '../../engine/edits.js';
import { chainRows, expiredIntermediate } from './chain-rows.js';
import { AUTHORITY, withExtension, withMember, withoutExtension } from './makers/certified.js';
import { apple } from './makers/statements.js';
import { type AttestationRow, accepted, breaking, refused } from './row.js';
import { faults, incomplete } from './shared-rows.js';

const NONCE = '§8.8: the extension 1.2.840.113635.100.8.2 equals the SHA-256 of authenticatorData and clientDataHash';

/** Cases for the attestation statement format `apple` (§8.8). */
export const APPLE: readonly AttestationRow[] = [
  ...refused('apple', {
    ...breaking(NONCE, 'nonce', {
      ...faults(apple, 'other-client-data', 'other-authenticator-data'),
      nonce: {
        title: 'one bit of the nonce flipped',
        why: 'The format has no signature; only the nonce binds it to the ceremony.',
        make: apple({ nonce: flipBit(-1) }),
      },
      'nonce-cut': {
        title: 'a nonce that is the first half of the hash',
        why: 'A comparison that stops where the shorter value ends accepts an empty or truncated value.',
        make: apple({ nonce: (nonce) => nonce.slice(0, 16) }),
      },
      'nonce-empty': {
        title: 'a nonce of no bytes',
        why: 'A comparison that stops where the shorter value ends accepts an empty or truncated value.',
        make: apple({ nonce: () => new Uint8Array() }),
      },
      'nonce-longer': {
        title: 'a nonce with a byte after the hash',
        why: 'A value that only starts with the right hash is wrong.',
        make: apple({ nonce: (nonce) => Uint8Array.of(...nonce, 0) }),
      },
      'nonce-of-client-data': {
        title: 'the hash of the client data as the nonce',
        why: 'Nothing binds the statement to flags and counter.',
        make: apple({ leaf: (fields, { clientDataHash }) => withExtension(appleExtension(clientDataHash))(fields) }),
      },
      'without-nonce': {
        title: 'a certificate without the extension',
        why: 'A missing value must not match.',
        make: apple({ leaf: withoutExtension(ATTESTATION_EXTENSION.appleNonce) }),
      },
    }),
    ...breaking(
      '§8.8: the credential public key equals the subject public key of the certificate',
      'public-key',
      faults(apple, 'public-key'),
    ),
    ...breaking('§8.8: the statement has x5c, which begins with the certificate of the credential key', 'syntax', {
      ...incomplete(apple, { x5c: 'x5c' }),
      ...faults(apple, 'x5c-emptied'),
    }),
  }),
  ...accepted('apple', {
    honest: {
      title: 'a certificate of the credential key with the nonce',
      rule: '§8.8: the whole procedure',
      why: 'This is how managed devices attest their keys.',
      make: apple(),
    },
    'with-root': {
      title: 'the whole chain, root included',
      rule: '§8.8: x5c is the certificate of the credential key and its chain',
      why: 'The standard allows the root in x5c.',
      make: apple({ x5c: (certificates) => [...certificates, AUTHORITY.root] }),
    },
    'with-algorithm': {
      title: 'a statement with alg',
      rule: '§8.8 has no alg, which the first devices sent',
      why: 'Devices from 2020 sent alg.',
      disputed: 'A server may insist on the syntax of §8.8, which has x5c only.',
      make: apple({ members: withMember('alg', -7) }),
    },
    'with-unknown-extension': {
      title: 'a certificate with an unknown extension that is not critical',
      rule: 'RFC 5280 §4.2: unknown extensions that are not critical are ignored',
      why: 'Apple has added extensions of its own.',
      make: apple({ leaf: withExtension({ oid: '1.2.840.113635.100.8.5', value: sequence(octetString(Uint8Array.of(1))) }) }),
    },
  }),
  ...expiredIntermediate('apple', apple),
  ...chainRows('apple', apple),
];
