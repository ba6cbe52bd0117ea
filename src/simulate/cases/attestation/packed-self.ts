import { ES384, RS256 } from '../../../authenticator/attestation/attestation-key.js';
import { ecdsaSignature } from '../../../webauthn/der-writer.js';
import { mapRows } from '../../engine/case.js';
import { appendByte, flipBit } from '../../engine/edits.js';
import { editMember, strangeKey, withMember } from './makers/certified.js';
import { packed, selfAttested } from './makers/statements.js';
import { type AttestationRow, accepted, breaking, refused } from './row.js';
import { faults, incomplete, named } from './shared-rows.js';

const SIGNATURE = '§8.2: sig is a signature over authenticatorData and clientDataHash by the credential public key';
const ALGORITHM = '§8.2: alg matches the algorithm of the credential public key';
const SYNTAX = '§8.2: the statement is of the form { alg, sig } or { alg, sig, x5c }';
/**
 * Settings for self attestation that the server did not request. Clients forward self attestation unchanged if its AAGUID is zero (§5.1.3).
 */
const UNASKED = { attestation: 'none', authenticatorData: (data: Uint8Array) => data } as const;
const FORGED = 'An attacker could register a public key without holding its private key.';

const ROWS: readonly AttestationRow[] = [
  ...refused('packed', {
    ...breaking(SIGNATURE, 'signature', {
      ...named(
        'self',
        'self attestation',
        faults(
          selfAttested,
          'signature',
          'other-client-data',
          'other-authenticator-data',
          'without-client-data',
          'without-authenticator-data',
        ),
      ),
      'self-other-key': {
        title: 'self attestation that is signed with another key',
        why: FORGED,
        make: selfAttested({ about: (input) => ({ ...input, sign: (data) => strangeKey().sign(data) }) }),
      },
    }),
    'self-signature-trailing-byte': {
      title: 'self attestation with a byte after the signature',
      rule: '§6.5.5: an ECDSA signature is one Ecdsa-Sig-Value in DER',
      why: 'If a signature has several encodings, a list of used signatures cannot detect a replay.',
      check: 'signature',
      disputed: 'Common cryptography libraries ignore what follows the signature.',
      make: selfAttested({ members: editMember('sig', appendByte(0)) }),
    },
    'self-signature-empty': {
      title: 'self attestation with an empty signature',
      rule: SIGNATURE,
      why: 'A server that verifies only members that are present accepts a statement without proof.',
      check: 'signature',
      make: selfAttested({ members: withMember('sig', new Uint8Array()) }),
    },
    'self-signature-zero': {
      title: 'self attestation with an ECDSA signature of r = 0 and s = 0',
      rule: '§6.5.5; FIPS 186-5 §6.4.2: both numbers of an ECDSA signature are from 1 to n - 1',
      why: 'Verifiers that forget this, as Java once did, accept it for every key and every message.',
      check: 'signature',
      make: selfAttested({ members: withMember('sig', ecdsaSignature(new Uint8Array(1), new Uint8Array(1))) }),
    },
    ...breaking(ALGORITHM, 'self-algorithm', {
      'self-algorithm': {
        title: 'self attestation of an EC key that names RS256',
        why: 'The server would store an algorithm with which the key has not signed.',
        make: selfAttested({ members: withMember('alg', RS256) }),
      },
      'self-algorithm-other-hash': {
        title: 'self attestation that names another algorithm for EC keys',
        why: 'A server that derives the algorithm from the key never notices the wrong alg.',
        make: selfAttested({ members: withMember('alg', ES384) }),
      },
      'self-algorithm-padding': {
        title: 'self attestation by RS256 that names PS256',
        why: 'RS256 and PS256 use the same keys; a signature by one must not pass for the other.',
        algorithm: RS256,
        make: selfAttested({ members: withMember('alg', -37) }),
      },
    }),
    ...breaking(SYNTAX, 'syntax', {
      ...named('self', 'self attestation', incomplete(selfAttested, { algorithm: 'alg', signature: 'sig' })),
      'self-signature-text': {
        title: 'self attestation with a text string as the signature',
        why: 'Malformed input deserves a 4xx, not a crash.',
        make: selfAttested({ members: withMember('sig', 'signature') }),
      },
    }),
    'empty-x5c': {
      title: 'a valid self attestation with an empty x5c',
      rule: '§8.2: x5c, where it is present, begins with the attestation certificate',
      why: 'A server that only checks whether x5c is present reads a certificate that is not there.',
      check: 'syntax',
      make: selfAttested({ members: withMember('x5c', []) }),
    },
    'null-x5c': {
      title: 'a valid self attestation with x5c null',
      rule: '§8.2: x5c, where it is present, is an array of certificates',
      why: 'A member that is null is not a missing member.',
      check: 'syntax',
      make: selfAttested({ members: withMember('x5c', null) }),
    },
    ...breaking(SIGNATURE, 'signature', {
      ecdaa: {
        title: 'a statement with ecdaaKeyId and a signature that cannot be verified',
        why: 'ECDAA was removed from the standard. A server that skips what it cannot verify accepts anything.',
        make: selfAttested({
          members: (attStmt) => withMember('ecdaaKeyId', new Uint8Array(32))(withMember('sig', new Uint8Array(72).fill(1))(attStmt)),
        }),
      },
      ...mapRows(named('unasked-self', 'unrequested self attestation', faults(selfAttested, 'signature', 'other-client-data')), (row) => ({
        ...row,
        ...UNASKED,
      })),
    }),
    'unasked-self-algorithm': {
      title: 'unrequested self attestation that names another algorithm',
      rule: ALGORITHM,
      why: 'A statement must verify whether or not it was requested.',
      check: 'self-algorithm',
      ...UNASKED,
      make: selfAttested({ members: withMember('alg', RS256) }),
    },
    'unasked-signature': {
      title: 'an unrequested statement with certificates, one bit of the signature flipped',
      rule: '§8.2: sig is a signature over authenticatorData and clientDataHash by the attestation certificate',
      why: 'A statement must verify whether or not it was requested.',
      check: 'signature',
      attestation: 'none',
      make: packed({ members: editMember('sig', flipBit(-1)) }),
    },
  }),
  ...accepted('packed', {
    'self-honest': {
      title: 'self attestation',
      rule: '§8.2: without x5c it is self attestation',
      why: 'A server that requests attestation and trusts no roots has no reason to refuse self attestation.',
      make: selfAttested(),
    },
    'unasked-self': {
      title: 'unrequested self attestation',
      rule: '§5.1.3: clients leave self attestation with AAGUID zero in place under preference none',
      why: 'Touch ID in Chrome did this for years.',
      ...UNASKED,
      make: selfAttested(),
    },
    'self-rs256': {
      title: 'self attestation of an RSA key',
      rule: '§8.2: sig is made with the algorithm of the credential',
      why: 'Windows Hello without a certified TPM only makes RSA keys.',
      algorithm: RS256,
      make: selfAttested(),
    },
    'self-eddsa': {
      title: 'self attestation of an Ed25519 key',
      rule: '§8.2: sig is made with the algorithm of the credential',
      why: 'A server that refuses this locks out security keys with EdDSA.',
      algorithm: -8,
      make: selfAttested(),
    },
    'self-es384': {
      title: 'self attestation of a P-384 key',
      rule: '§8.2: sig is made with the algorithm of the credential',
      why: 'Each algorithm has its own hash; SHA-256 does not fit them all.',
      algorithm: ES384,
      make: selfAttested(),
    },
  }),
];

/** Cases for `packed` self attestation, which has no certificates (§8.2). */
export const PACKED_SELF: readonly AttestationRow[] = ROWS.map((row) => ({ ...row, selfAttestation: true }));
