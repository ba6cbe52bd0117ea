import { RS1, RS256 } from '../../../authenticator/attestation/attestation-key.js';
import { attToBeSigned } from '../../../authenticator/attestation/format.js';
import { TPM_ALG } from '../../../webauthn/tpm.js';
import { appendByte, cutTo, flipBit } from '../../engine/edits.js';
import { chainRows } from './chain-rows.js';
import { AUTHORITY } from './makers/certified.js';
import { editMember, otherClientData, otherCounter, sha256, withMember, withoutMember } from './makers/edits.js';
import { strangeCoseKey, strangeKey } from './makers/keys.js';
import { tpm } from './makers/statements.js';
import { withExponent, withNameAlgorithm, withScheme } from './makers/tpm-structures.js';
import { type AttestationRow, accepted, refused } from './row.js';

const EXTRA_DATA = '§8.3: extraData is the hash of attToBeSigned, by the hash algorithm of alg';
const NAME = '§8.3: attested has the Name of pubArea, by the nameAlg of pubArea';
const PUBLIC_KEY = '§8.3: the key in pubArea is identical to the credential public key';
const SIGNATURE = '§8.3: sig is a valid signature over certInfo by the AIK certificate';
const SYNTAX = '§8.3: the statement has ver, alg, x5c, sig, certInfo and pubArea';
const OTHER_CEREMONY = 'A statement that was recorded elsewhere serves for every challenge.';
const OTHER_KEY = 'The TPM vouches for a key of its own; the credential is another one, which anybody may hold.';

/** §8.3: the structures that the TPM signs. */
const STRUCTURES: readonly AttestationRow[] = refused(
  'tpm',
  {
    id: 'magic',
    title: 'another magic than TPM_GENERATED_VALUE',
    rule: '§8.3: magic is TPM_GENERATED_VALUE',
    why: 'A restricted key of a TPM signs any data but such that begins so: this signature may have been asked of it.',
    check: 'magic',
    make: tpm({ attest: (attest) => ({ ...attest, magic: 0xff544346 }) }),
  },
  {
    id: 'type',
    title: 'a quote in the place of a certification',
    rule: '§8.3: type is TPM_ST_ATTEST_CERTIFY',
    why: 'A quote is about registers of the TPM, and says nothing of any key.',
    check: 'type',
    make: tpm({ attest: (attest) => ({ ...attest, type: 0x8018 }) }),
  },
  {
    id: 'other-client-data',
    title: 'extraData of other client data',
    rule: EXTRA_DATA,
    why: OTHER_CEREMONY,
    check: 'extra-data',
    make: tpm({ about: otherClientData }),
  },
  {
    id: 'other-authenticator-data',
    title: 'extraData of authenticator data with another counter',
    rule: EXTRA_DATA,
    why: 'Flags and counter can be changed on the way.',
    check: 'extra-data',
    make: tpm({ about: otherCounter }),
  },
  {
    id: 'extra-data-of-client-data',
    title: 'extraData that is the hash of the client data alone',
    rule: EXTRA_DATA,
    why: 'Nothing binds the statement to flags and counter.',
    check: 'extra-data',
    make: tpm({ attest: (attest, { clientDataHash }) => ({ ...attest, extraData: clientDataHash }) }),
  },
  {
    id: 'extra-data-of-authenticator-data',
    title: 'extraData that is the hash of the authenticator data alone',
    rule: EXTRA_DATA,
    why: OTHER_CEREMONY,
    check: 'extra-data',
    make: tpm({ attest: (attest, { authenticatorData }) => ({ ...attest, extraData: sha256(authenticatorData) }) }),
  },
  {
    id: 'extra-data-not-hashed',
    title: 'extraData that is not hashed',
    rule: EXTRA_DATA,
    why: 'What the standard hashes is compared as a hash.',
    check: 'extra-data',
    make: tpm({ attest: (attest, input) => ({ ...attest, extraData: attToBeSigned(input) }) }),
  },
  {
    id: 'extra-data-empty',
    title: 'extraData of no bytes',
    rule: EXTRA_DATA,
    why: 'Who compares as many bytes as there are compares as few as the sender likes.',
    check: 'extra-data',
    make: tpm({ attest: (attest) => ({ ...attest, extraData: new Uint8Array() }) }),
  },
  {
    id: 'extra-data-cut',
    title: 'extraData that is the first half of the hash',
    rule: EXTRA_DATA,
    why: 'Who compares as many bytes as there are compares as few as the sender likes.',
    check: 'extra-data',
    make: tpm({ attest: (attest) => ({ ...attest, extraData: attest.extraData.slice(0, 16) }) }),
  },
  {
    id: 'name',
    title: 'the Name of another key',
    rule: NAME,
    why: OTHER_KEY,
    check: 'name',
    make: tpm({ attest: (attest) => ({ ...attest, name: flipBit(-1)(attest.name) }) }),
  },
  {
    id: 'name-without-algorithm',
    title: 'a Name without the identifier of its hash algorithm',
    rule: NAME,
    why: 'A Name of another algorithm than nameAlg may be that of another object.',
    check: 'name',
    make: tpm({ attest: (attest) => ({ ...attest, name: attest.name.slice(2) }) }),
  },
  {
    id: 'name-empty',
    title: 'a Name of no bytes',
    rule: NAME,
    why: 'Who compares as many bytes as there are compares as few as the sender likes.',
    check: 'name',
    make: tpm({ attest: (attest) => ({ ...attest, name: new Uint8Array() }) }),
  },
  {
    id: 'name-of-other-hash',
    title: 'a Name by SHA-256 of a pubArea whose nameAlg is SHA-384',
    rule: NAME,
    why: 'A Name of another algorithm than nameAlg may be that of another object.',
    check: 'name',
    make: tpm({ pubArea: withNameAlgorithm(TPM_ALG.sha384) }),
  },
  {
    id: 'name-of-unknown-hash',
    title: 'a pubArea whose nameAlg is no hash algorithm',
    rule: NAME,
    why: 'A server that skips what it cannot verify lets everything pass.',
    check: 'name',
    make: tpm({ pubArea: withNameAlgorithm(TPM_ALG.rsa) }),
  },
  {
    id: 'public-key',
    title: 'a TPM that holds another key than that of the credential',
    rule: PUBLIC_KEY,
    why: OTHER_KEY,
    check: 'public-key',
    make: tpm({ holds: strangeCoseKey }),
  },
  {
    id: 'public-key-curve',
    title: 'a pubArea with the coordinates of the credential on another curve',
    rule: PUBLIC_KEY,
    why: 'Coordinates alone are no key.',
    check: 'public-key',
    make: tpm({ holds: ({ credentialPublicKey: key }) => (key.kty === 2 ? { ...key, crv: 2 } : key) }),
  },
  {
    id: 'public-key-exponent',
    title: 'a pubArea with the modulus of the credential and another exponent',
    rule: PUBLIC_KEY,
    why: 'A modulus alone is no key.',
    check: 'public-key',
    algorithm: RS256,
    make: tpm({ holds: ({ credentialPublicKey: key }) => (key.kty === 3 ? { ...key, e: Uint8Array.of(3) } : key) }),
  },
  {
    id: 'pub-area-trailing-byte',
    title: 'a byte behind pubArea, which the Name covers',
    rule: '§8.3: pubArea is one TPMT_PUBLIC',
    why: 'No TPM makes such a structure.',
    check: 'pub-area',
    disputed: 'Parsers that read the members in their order do not ask for the end.',
    make: tpm({ pubArea: appendByte(0) }),
  },
  {
    id: 'cert-info-trailing-byte',
    title: 'a byte behind certInfo, which is signed with it',
    rule: '§8.3: certInfo is one TPMS_ATTEST',
    why: 'No TPM makes such a structure.',
    check: 'cert-info',
    disputed: 'Parsers that read the members in their order do not ask for the end.',
    make: tpm({ certInfo: appendByte(0) }),
  },
  {
    id: 'cert-info-cut',
    title: 'a certInfo that ends before the Name, and is signed like that',
    rule: '§8.3: certInfo is one TPMS_ATTEST',
    why: 'What is cut off must not read as empty, nor break the server.',
    check: 'cert-info',
    make: tpm({ certInfo: cutTo(60) }),
  },
);

/** §8.3: the statement around them. */
const STATEMENT: readonly AttestationRow[] = refused(
  'tpm',
  {
    id: 'signature',
    title: 'one bit of the signature flipped',
    rule: SIGNATURE,
    why: 'Everything else of the statement can be put together without a TPM.',
    check: 'signature',
    make: tpm({ members: editMember('sig', flipBit(-1)) }),
  },
  {
    id: 'signed-by-stranger',
    title: 'an honest AIK certificate, and a signature with another key',
    rule: SIGNATURE,
    why: 'Everything else of the statement can be put together without a TPM.',
    check: 'signature',
    make: tpm({ signer: strangeKey }),
  },
  {
    id: 'signed-as-packed',
    title: 'a signature over authenticator data and client data hash in the place of certInfo',
    rule: SIGNATURE,
    why: 'A server that verifies as for packed leaves certInfo to the sender.',
    check: 'signature',
    make: tpm({ members: (attStmt, input) => withMember('sig', AUTHORITY.key('tpm', input.aaguid).sign(attToBeSigned(input)))(attStmt) }),
  },
  {
    id: 'algorithm',
    title: 'alg of RSA with an EC certificate',
    rule: '§8.3: the signature is verified with the algorithm that alg names',
    why: 'Who ignores alg verifies with what the certificate happens to allow.',
    check: 'algorithm-fits-key',
    also: ['signature'],
    make: tpm({ members: withMember('alg', RS256) }),
  },
  {
    id: 'version-1-2',
    title: 'a statement of TPM 1.2',
    rule: '§8.3: ver is "2.0"',
    why: 'TPM 1.2 has other structures, which read as other members.',
    check: 'version',
    make: tpm({ members: withMember('ver', '1.2') }),
  },
  ...(['ver', 'alg', 'x5c', 'sig', 'certInfo', 'pubArea'] as const).map((member) => ({
    id: `without-${member === 'certInfo' ? 'cert-info' : member === 'pubArea' ? 'pub-area' : member}`,
    title: `a statement without ${member}`,
    rule: SYNTAX,
    why: 'A server that verifies only where there is something to verify lets everything pass.',
    check: 'syntax',
    make: tpm({ members: withoutMember(member) }),
  })),
  {
    id: 'x5c-emptied',
    title: 'a statement with an empty x5c',
    rule: '§8.3: x5c begins with the AIK certificate',
    why: 'A loop over no certificates finds none that is wrong.',
    check: 'syntax',
    make: tpm({ members: withMember('x5c', []) }),
  },
);

const VALID: readonly AttestationRow[] = accepted(
  'tpm',
  {
    id: 'of-rs256',
    title: 'an RSA credential, and an AIK of RSA that signs by RS256',
    rule: '§8.3: by the algorithm of the AIK',
    why: 'Windows Hello has RSA keys by default.',
    algorithm: RS256,
    make: tpm({ key: ({ aaguid }) => AUTHORITY.rsaKey('tpm', aaguid, RS256) }),
  },
  {
    id: 'of-rs1',
    title: 'an AIK of RSA that signs by RS1',
    rule: '§8.3: extraData and sig by the hash of alg, which may be SHA-1 here',
    why: 'Many TPMs in use sign by RS1 only.',
    algorithm: RS256,
    disputed: 'A server may refuse SHA-1 altogether.',
    make: tpm({ key: ({ aaguid }) => AUTHORITY.rsaKey('tpm', aaguid, RS1) }),
  },
  {
    id: 'of-es384',
    title: 'a P-384 credential, and an AIK on P-256',
    rule: '§8.3: the credential key and the AIK have algorithms of their own',
    why: 'A server that takes the curve of one for that of the other refuses it.',
    algorithm: -35,
    make: tpm(),
  },
  {
    id: 'exponent-written-out',
    title: 'a pubArea that writes 65537 out, where zero would stand for it',
    rule: 'TPM 2.0 Part 2 §12.2.3.5: zero means 65537, and so does 65537',
    why: 'A server that knows the short form only takes it for another key.',
    algorithm: RS256,
    make: tpm({ pubArea: withExponent(65_537) }),
  },
  {
    id: 'scheme-named',
    title: 'a pubArea that names its signature scheme, ECDSA with SHA-256',
    rule: 'TPM 2.0 Part 2 §12.2.3.6: a scheme other than TPM_ALG_NULL is followed by its hash',
    why: 'A server that skips a fixed number of bytes reads the wrong curve.',
    make: tpm({ pubArea: withScheme(TPM_ALG.ecdsa) }),
  },
);

export const TPM: readonly AttestationRow[] = [...STRUCTURES, ...STATEMENT, ...VALID, ...chainRows('tpm', tpm)];
