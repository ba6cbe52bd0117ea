import { ES384 } from '../../../authenticator/attestation/attestation-key.js';
import { attestationNonce } from '../../../authenticator/attestation/format.js';
import { ATTESTATION_EXTENSION } from '../../../webauthn/attestation-extensions.js';
import { flipBit } from '../../engine/edits.js';
import { chainRows } from './chain-rows.js';
import {
  AUTHORITY,
  editMember,
  otherClientData,
  otherCounter,
  strangeKey,
  withMember,
  withoutClientDataHash,
  withoutExtension,
  withoutMember,
} from './makers/certified.js';
import { byExpired } from './makers/chains.js';
import { androidKey } from './makers/statements.js';
import { type AttestationRow, accepted, breaking, refused, untrusted } from './row.js';

const SIGNATURE = '§8.4: sig is a signature over authenticatorData and clientDataHash by the first certificate';
const CHALLENGE = '§8.4: attestationChallenge is identical to clientDataHash';
const OTHER_CEREMONY = 'A key attested elsewhere could be registered here as new.';

const STATEMENT: readonly AttestationRow[] = refused(
  'android-key',
  ...breaking(
    SIGNATURE,
    'signature',
    {
      id: 'signature',
      title: 'one bit of the signature flipped',
      why: 'Nothing proves that the sender holds the key.',
      make: androidKey({ members: editMember('sig', flipBit(-1)) }),
    },
    {
      id: 'other-client-data',
      title: 'a signature over other client data',
      why: OTHER_CEREMONY,
      make: androidKey({ about: otherClientData }),
    },
    {
      id: 'other-authenticator-data',
      title: 'a signature over authenticator data with another counter',
      why: 'Flags and counter can be changed in transit.',
      make: androidKey({ about: otherCounter }),
    },
    {
      id: 'without-client-data',
      title: 'a signature over the authenticator data only',
      why: 'Nothing binds the signature to the challenge.',
      make: androidKey({ signs: withoutClientDataHash }),
    },
    {
      id: 'signed-by-stranger',
      title: 'an honest certificate, but a signature by another key',
      why: 'Nothing proves that the sender holds the key.',
      make: androidKey({ signer: strangeKey }),
    },
  ),
  {
    id: 'public-key',
    title: 'a certificate for another key than the credential’s',
    rule: '§8.4: the public key in the first certificate matches the credential public key',
    why: 'The key store vouches for one key while the credential is another, which anyone may hold.',
    check: 'public-key',
    make: androidKey({ key: strangeKey }),
  },
  {
    id: 'algorithm',
    title: 'alg ES384 with a P-256 key and a signature by ES256',
    rule: '§8.4: the signature is verified with the algorithm that alg names',
    why: 'A server that ignores alg lets the certificate choose the algorithm.',
    check: 'algorithm-fits-key',
    also: ['signature'],
    make: androidKey({ members: withMember('alg', ES384) }),
  },
  ...(['alg', 'sig', 'x5c'] as const).map((member) => ({
    id: `without-${member}`,
    title: `a statement without ${member}`,
    rule: '§8.4: the statement has alg, sig and x5c',
    why: 'A server that only verifies what is present can be handed nothing.',
    check: 'syntax',
    make: androidKey({ members: withoutMember(member) }),
  })),
  {
    id: 'x5c-emptied',
    title: 'a statement with an empty x5c',
    rule: '§8.4: x5c begins with the certificate of the credential key',
    why: 'A loop over an empty list finds nothing wrong.',
    check: 'syntax',
    make: androidKey({ members: withMember('x5c', []) }),
  },
  {
    id: 'without-description',
    title: 'a certificate without a key description',
    rule: '§8.4: the first certificate has the extension with the key description',
    why: 'The description says what a key may do; without it, the key may do anything.',
    check: 'key-description',
    make: androidKey({ leaf: withoutExtension(ATTESTATION_EXTENSION.androidKeyDescription) }),
  },
  ...breaking(
    CHALLENGE,
    'attestation-challenge',
    {
      id: 'challenge',
      title: 'a key that was attested for other client data',
      why: OTHER_CEREMONY,
      make: androidKey({ challenge: (input) => otherClientData(input).clientDataHash }),
    },
    {
      id: 'challenge-empty',
      title: 'an attestationChallenge of no bytes',
      why: 'A comparison that stops at the shorter value can be passed with almost nothing.',
      make: androidKey({ challenge: () => new Uint8Array() }),
    },
    {
      id: 'challenge-cut',
      title: 'an attestationChallenge that is the first half of the hash',
      why: 'A comparison that stops at the shorter value can be passed with almost nothing.',
      make: androidKey({ challenge: ({ clientDataHash }) => clientDataHash.slice(0, 16) }),
    },
    {
      id: 'challenge-nonce',
      title: 'an attestationChallenge that is the nonce of other formats',
      why: 'Each format binds the client data differently; one must not stand in for another.',
      make: androidKey({ challenge: attestationNonce }),
    },
  ),
);

/** §8.4. */
export const ANDROID_KEY: readonly AttestationRow[] = [
  ...STATEMENT,
  ...accepted(
    'android-key',
    {
      id: 'without-root',
      title: 'a chain without its root',
      rule: '§8.4: x5c is the certificate of the credential key and its chain',
      why: 'Phones send the root, but the standard does not require it.',
      make: androidKey({ x5c: (certificates) => certificates.slice(0, -1) }),
    },
    {
      id: 'issued-by-root',
      title: 'the certificate of the key alone, issued by the root',
      rule: '§8.4: x5c is the certificate of the credential key and its chain',
      why: 'The server may already know the chain.',
      make: androidKey({ issued: () => ({ issuer: AUTHORITY.rootIssuer, path: [] }) }),
    },
  ),
  ...untrusted('android-key', {
    id: 'intermediate-expired',
    title: 'an intermediate that expired in 2020',
    rule: 'RFC 5280 §6.1.3: every certificate of the path is valid now',
    why: 'A retired batch key can still issue certificates that look fine on their own.',
    check: 'chain-validity',
    make: androidKey({ issued: byExpired }),
  }),
  ...chainRows('android-key', androidKey),
];
