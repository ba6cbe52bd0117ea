import { RS256 } from '../../../authenticator/attestation/attestation-key.js';
import { attToBeSigned } from '../../../authenticator/attestation/format.js';
import { TPM_ALG } from '../../../webauthn/tpm.js';
import { appendByte, cutTo, flipBit } from '../../engine/edits.js';
import { sha256, strangeCoseKey } from './makers/certified.js';
import { tpm, withNameAlgorithm } from './makers/statements.js';
import { type AttestationRow, breaking, refused } from './row.js';
import { faults } from './shared-rows.js';

const EXTRA_DATA = '§8.3: extraData is the hash of attToBeSigned, by the hash algorithm of alg';
const NAME = '§8.3: attested has the Name of pubArea, by the nameAlg of pubArea';
const PUBLIC_KEY = '§8.3: the key in pubArea is identical to the credential public key';
const OTHER_CEREMONY = 'A statement recorded elsewhere could be replayed here.';
const OTHER_KEY = 'The TPM vouches for one key while the credential is another, which anyone may hold.';

/** Cases about pubArea and certInfo in `tpm` statements (§8.3). */
export const TPM_STRUCTURES: readonly AttestationRow[] = refused('tpm', {
  magic: {
    title: 'a magic other than TPM_GENERATED_VALUE',
    rule: '§8.3: magic is TPM_GENERATED_VALUE',
    why: 'A TPM’s restricted keys also sign data from outside, unless the data begin with this magic number.',
    check: 'magic',
    make: tpm({ attest: (attest) => ({ ...attest, magic: 0xff544346 }) }),
  },
  type: {
    title: 'a quote instead of a certification',
    rule: '§8.3: type is TPM_ST_ATTEST_CERTIFY',
    why: 'A quote is about the registers of the TPM and says nothing about a key.',
    check: 'type',
    make: tpm({ attest: (attest) => ({ ...attest, type: 0x8018 }) }),
  },
  ...breaking(EXTRA_DATA, 'extra-data', {
    ...faults(tpm, 'other-client-data', 'other-authenticator-data'),
    'extra-data-of-client-data': {
      title: 'extraData that is the hash of the client data only',
      why: 'Nothing binds the statement to flags and counter.',
      make: tpm({ attest: (attest, { clientDataHash }) => ({ ...attest, extraData: clientDataHash }) }),
    },
    'extra-data-of-authenticator-data': {
      title: 'extraData that is the hash of the authenticator data only',
      why: OTHER_CEREMONY,
      make: tpm({ attest: (attest, { authenticatorData }) => ({ ...attest, extraData: sha256(authenticatorData) }) }),
    },
    'extra-data-not-hashed': {
      title: 'extraData that is not hashed',
      why: 'The standard compares a hash; nothing else will do.',
      make: tpm({ attest: (attest, input) => ({ ...attest, extraData: attToBeSigned(input) }) }),
    },
    'extra-data-empty': {
      title: 'extraData of no bytes',
      why: 'A comparison that stops where the shorter value ends accepts an empty or truncated value.',
      make: tpm({ attest: (attest) => ({ ...attest, extraData: new Uint8Array() }) }),
    },
    'extra-data-cut': {
      title: 'extraData that is the first half of the hash',
      why: 'A comparison that stops where the shorter value ends accepts an empty or truncated value.',
      make: tpm({ attest: (attest) => ({ ...attest, extraData: attest.extraData.slice(0, 16) }) }),
    },
  }),
  ...breaking(NAME, 'name', {
    name: {
      title: 'the Name of another key',
      why: OTHER_KEY,
      make: tpm({ attest: (attest) => ({ ...attest, name: flipBit(-1)(attest.name) }) }),
    },
    'name-without-algorithm': {
      title: 'a Name without the identifier of its hash algorithm',
      why: 'A Name under another hash algorithm may belong to another object.',
      make: tpm({ attest: (attest) => ({ ...attest, name: attest.name.slice(2) }) }),
    },
    'name-empty': {
      title: 'a Name of no bytes',
      why: 'A comparison that stops where the shorter value ends accepts an empty or truncated value.',
      make: tpm({ attest: (attest) => ({ ...attest, name: new Uint8Array() }) }),
    },
    'name-of-other-hash': {
      title: 'a Name by SHA-256 of a pubArea whose nameAlg is SHA-384',
      why: 'A Name under another hash algorithm may belong to another object.',
      make: tpm({ pubArea: withNameAlgorithm(TPM_ALG.sha384) }),
    },
    'name-of-unknown-hash': {
      title: 'a pubArea whose nameAlg is not a hash algorithm',
      why: 'A server that skips what it cannot verify accepts anything.',
      make: tpm({ pubArea: withNameAlgorithm(TPM_ALG.rsa) }),
    },
  }),
  ...breaking(PUBLIC_KEY, 'public-key', {
    'public-key': {
      title: 'a TPM that certifies a key other than the credential key',
      why: OTHER_KEY,
      make: tpm({ holds: strangeCoseKey }),
    },
    'public-key-curve': {
      title: 'a pubArea with the coordinates of the credential on another curve',
      why: 'Coordinates without their curve are not a key.',
      make: tpm({ holds: ({ credentialPublicKey: key }) => (key.kty === 2 ? { ...key, crv: 2 } : key) }),
    },
    'public-key-exponent': {
      title: 'a pubArea with the modulus of the credential and another exponent',
      why: 'A modulus without its exponent is not a key.',
      algorithm: RS256,
      make: tpm({ holds: ({ credentialPublicKey: key }) => (key.kty === 3 ? { ...key, e: Uint8Array.of(3) } : key) }),
    },
  }),
  'pub-area-trailing-byte': {
    title: 'a byte after pubArea, covered by the Name',
    rule: '§8.3: pubArea is one TPMT_PUBLIC',
    why: 'No TPM produces such a structure.',
    check: 'pub-area',
    disputed: 'Many parsers read the fields in order and never check for the end.',
    make: tpm({ pubArea: appendByte(0) }),
  },
  'cert-info-trailing-byte': {
    title: 'a byte after certInfo, covered by the signature',
    rule: '§8.3: certInfo is one TPMS_ATTEST',
    why: 'No TPM produces such a structure.',
    check: 'cert-info',
    disputed: 'Many parsers read the fields in order and never check for the end.',
    make: tpm({ certInfo: appendByte(0) }),
  },
  'cert-info-cut': {
    title: 'a certInfo cut before the Name, then signed',
    rule: '§8.3: certInfo is one TPMS_ATTEST',
    why: 'Truncated data must neither count as empty nor crash the server.',
    check: 'cert-info',
    make: tpm({ certInfo: cutTo(60) }),
  },
});
