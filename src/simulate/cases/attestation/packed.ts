import { ES384, RS256 } from '../../../authenticator/attestation/attestation-key.js';
import { attToBeSigned } from '../../../authenticator/attestation/format.js';
import { appendByte, cutTo } from '../../engine/edits.js';
import { withMember, withoutMember } from './makers/certified.js';
import { byIntermediate } from './makers/chains.js';
import { packed } from './makers/statements.js';
import { type AttestationRow, breaking, refused } from './row.js';
import { faults, incomplete } from './shared-rows.js';

const SIGNATURE = '§8.2: sig is a signature over authenticatorData and clientDataHash by the attestation certificate';
const SYNTAX = '§8.2: x5c is an array of certificates, the attestation certificate first';

/** Cases about the members and the signature of `packed` statements with certificates (§8.2). */
export const PACKED: readonly AttestationRow[] = refused('packed', {
  ...breaking(SIGNATURE, 'signature', {
    ...faults(
      packed,
      'signature',
      'other-client-data',
      'other-authenticator-data',
      'without-client-data',
      'without-authenticator-data',
      'signed-by-stranger',
    ),
    'signed-by-credential': {
      title: 'an honest certificate, but a signature by the credential key',
      why: 'A server that verifies such a statement like self attestation lets a forger attach any certificate.',
      make: packed({ members: async (attStmt, input) => withMember('sig', await input.sign(attToBeSigned(input)))(attStmt) }),
    },
  }),
  ...breaking('§8.2: the signature is verified with the algorithm that alg names', 'algorithm-fits-key', {
    algorithm: {
      title: 'alg RS256 with an EC certificate',
      why: 'A server that ignores alg lets the certificate choose the algorithm.',
      also: ['signature'],
      make: packed({ members: withMember('alg', RS256) }),
    },
    'algorithm-other-hash': {
      title: 'alg ES384 with a P-256 certificate and a signature by ES256',
      why: 'A server that ignores alg lets the certificate choose the algorithm.',
      also: ['signature'],
      make: packed({ members: withMember('alg', ES384) }),
    },
    'algorithm-unknown': {
      title: 'an alg that IANA has not assigned',
      why: 'A server that skips what it cannot verify accepts anything.',
      also: ['signature'],
      make: packed({ members: withMember('alg', -65_000) }),
    },
  }),
  ...breaking('§8.2: the statement is of the form { alg, sig, x5c }', 'syntax', incomplete(packed, { algorithm: 'alg', signature: 'sig' })),
  'x5c-removed': {
    title: 'a statement whose x5c was removed',
    rule: '§8.2: without x5c it is self attestation, and the credential key signs',
    why: 'Removing the certificates must not make an untrusted statement acceptable.',
    check: 'signature',
    make: packed({ members: withoutMember('x5c') }),
  },
  ...breaking(SYNTAX, 'syntax', faults(packed, 'x5c-emptied')),
  'certificate-not-first': {
    title: 'the intermediate before the attestation certificate',
    rule: SYNTAX,
    why: 'A server that searches x5c for a matching certificate lets the sender choose which one is checked.',
    check: 'signature',
    also: ['certificate-basic-constraints', 'certificate-subject-ou', 'chain-authorities', 'chain-signatures'],
    make: packed({ issued: byIntermediate, x5c: (certificates) => certificates.toReversed() }),
  },
  'x5c-no-array': {
    title: 'x5c is the certificate itself, not an array',
    rule: SYNTAX,
    why: 'Indexing a byte string yields a number, not a certificate. That deserves a 4xx, not a crash.',
    check: 'syntax',
    make: packed({ members: (attStmt) => withMember('x5c', [attStmt.get('x5c')].flat()[0])(attStmt) }),
  },
  'x5c-of-text': {
    title: 'text in x5c',
    rule: SYNTAX,
    why: 'Malformed input deserves a 4xx, not a crash.',
    check: 'syntax',
    make: packed({ members: withMember('x5c', ['MIIB']) }),
  },
  'certificate-cut': {
    title: 'a certificate that ends early',
    rule: SYNTAX,
    why: 'Malformed input deserves a 4xx, not a crash.',
    check: 'certificates',
    make: packed({ x5c: (certificates) => certificates.map(cutTo(100)) }),
  },
  'certificate-trailing-byte': {
    title: 'a byte after the certificate',
    rule: SYNTAX,
    why: 'Two parsers may read two different certificates.',
    check: 'certificates',
    disputed: 'Common X.509 libraries ignore what follows a certificate.',
    make: packed({ x5c: (certificates) => certificates.map(appendByte(0)) }),
  },
});
