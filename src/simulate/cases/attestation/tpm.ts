import { RS1, RS256 } from '../../../authenticator/attestation/attestation-key.js';
import { attToBeSigned } from '../../../authenticator/attestation/format.js';
import { TPM_ALG } from '../../../webauthn/tpm.js';
import { chainRows } from './chain-rows.js';
import { AUTHORITY, withMember } from './makers/certified.js';
import { tpm, withExponent, withScheme } from './makers/statements.js';
import { type AttestationRow, accepted, breaking, refused } from './row.js';
import { faults, incomplete } from './shared-rows.js';

const SIGNATURE = '§8.3: sig is a valid signature over certInfo by the AIK certificate';

/** Cases about the members of a `tpm` statement other than pubArea and certInfo (§8.3). */
const STATEMENT: readonly AttestationRow[] = refused('tpm', {
  ...breaking(SIGNATURE, 'signature', {
    ...faults(tpm, 'signature', 'signed-by-stranger'),
    'signed-as-packed': {
      title: 'a signature over authenticator data and client data hash instead of certInfo',
      why: 'A server that verifies the signature as for packed leaves certInfo unchecked.',
      make: tpm({ members: (attStmt, input) => withMember('sig', AUTHORITY.key('tpm', input.aaguid).sign(attToBeSigned(input)))(attStmt) }),
    },
  }),
  algorithm: {
    title: 'alg RS256 with an EC certificate',
    rule: '§8.3: the signature is verified with the algorithm that alg names',
    why: 'A server that ignores alg lets the certificate choose the algorithm.',
    check: 'algorithm-fits-key',
    also: ['signature'],
    make: tpm({ members: withMember('alg', RS256) }),
  },
  'version-1-2': {
    title: 'a statement of TPM 1.2',
    rule: '§8.3: ver is "2.0"',
    why: 'TPM 1.2 has different structures, which would be misread.',
    check: 'version',
    make: tpm({ members: withMember('ver', '1.2') }),
  },
  ...breaking('§8.3: the statement has ver, alg, x5c, which begins with the AIK certificate, sig, certInfo and pubArea', 'syntax', {
    ...incomplete(tpm, { ver: 'ver', alg: 'alg', x5c: 'x5c', sig: 'sig', 'cert-info': 'certInfo', 'pub-area': 'pubArea' }),
    ...faults(tpm, 'x5c-emptied'),
  }),
});

const VALID: readonly AttestationRow[] = accepted('tpm', {
  honest: {
    title: 'an EC credential and an AIK on P-256',
    rule: '§8.3: sig is made with the algorithm of the AIK',
    why: 'This is how Windows laptops attest.',
    make: tpm(),
  },
  'of-rs256': {
    title: 'an RSA credential and an RSA AIK that signs by RS256',
    rule: '§8.3: sig is made with the algorithm of the AIK',
    why: 'Windows Hello uses RSA keys by default.',
    algorithm: RS256,
    make: tpm({ key: ({ aaguid }) => AUTHORITY.rsaKey('tpm', aaguid, RS256) }),
  },
  'of-rs1': {
    title: 'an RSA AIK that signs by RS1',
    rule: '§8.3: extraData and sig by the hash of alg, which may be SHA-1 here',
    why: 'Many TPMs in use can only sign by RS1.',
    algorithm: RS256,
    disputed: 'A server may refuse SHA-1 altogether.',
    make: tpm({ key: ({ aaguid }) => AUTHORITY.rsaKey('tpm', aaguid, RS1) }),
  },
  'of-es384': {
    title: 'a P-384 credential and an AIK on P-256',
    rule: '§8.3: the credential key and the AIK have algorithms of their own',
    why: 'A server that mixes up the two curves refuses it.',
    algorithm: -35,
    make: tpm(),
  },
  'exponent-written-out': {
    title: 'a pubArea with the exponent 65537 instead of the usual zero',
    rule: 'TPM 2.0 Part 2 §12.2.3.5: zero means 65537, and so does 65537',
    why: 'A server that knows only the short form reads a different key.',
    algorithm: RS256,
    make: tpm({ pubArea: withExponent(65_537) }),
  },
  'scheme-named': {
    title: 'a pubArea that names its signature scheme, ECDSA with SHA-256',
    rule: 'TPM 2.0 Part 2 §12.2.3.6: a scheme other than TPM_ALG_NULL is followed by its hash',
    why: 'A server that skips a fixed number of bytes reads the wrong curve.',
    make: tpm({ pubArea: withScheme(TPM_ALG.ecdsa) }),
  },
});

export const TPM: readonly AttestationRow[] = [...STATEMENT, ...VALID, ...chainRows('tpm', tpm)];
