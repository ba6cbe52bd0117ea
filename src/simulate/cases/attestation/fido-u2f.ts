import { ES384, RS256 } from '../../../authenticator/attestation/attestation-key.js';
import { type AttestationInput, attToBeSigned } from '../../../authenticator/attestation/format.js';
import { ATTESTATION_EXTENSION } from '../../../webauthn/attestation-extensions.js';
import { named } from '../../../webauthn/certificate-writer.js';
import { AAGUID_BYTES, SHA256_BYTES } from '../../../webauthn/limits.js';
import { flipBit } from '../../engine/edits.js';
import { setAaguid } from './attest-anew.js';
import { rootRows } from './chain-rows.js';
import { AUTHORITY, p384Key, strangeCoseKey, strangeKey } from './makers/certified.js';
import { editMember, otherClientData, sha256, withExtension, withFields, withMember, withoutMember } from './makers/edits.js';
import { packed, renamed, u2f } from './makers/statements.js';
import { type AttestationRow, accepted, refused } from './row.js';

const SIGNATURE = '§8.6: sig is a signature over 0x00, rpIdHash, clientDataHash, credentialId and the public key, by the certificate';
const CERTIFICATE = '§8.6: the public key of the certificate is an EC key on P-256';
const ONE = '§8.6: x5c has exactly one element';
/** U2F knows no AAGUID, and clients write zeros. */
const NO_AAGUID = { authenticatorData: setAaguid(new Uint8Array(AAGUID_BYTES)) };
const OTHER_CEREMONY = 'A statement that was recorded elsewhere serves for every challenge.';

const make = (change: Parameters<typeof u2f>[0] = {}) => ({ ...NO_AAGUID, make: u2f(change) });

/** §8.6. */
export const FIDO_U2F: readonly AttestationRow[] = [
  ...refused(
    'fido-u2f',
    {
      id: 'signature',
      title: 'one bit of the signature flipped',
      rule: SIGNATURE,
      why: 'Anybody who has a certificate, which is public, attests in the name of its vendor.',
      check: 'signature',
      ...make({ members: editMember('sig', flipBit(-1)) }),
    },
    {
      id: 'other-client-data',
      title: 'a signature over other client data',
      rule: SIGNATURE,
      why: OTHER_CEREMONY,
      check: 'signature',
      ...make({ about: otherClientData }),
    },
    {
      id: 'other-rp-id',
      title: 'a signature over the hash of another RP ID',
      rule: SIGNATURE,
      why: 'A credential of one site is registered at another.',
      check: 'signature',
      ...make({ about: (input) => ({ ...input, rpIdHash: sha256(input.rpIdHash) }) }),
    },
    {
      id: 'other-credential-id',
      title: 'a signature over another credential ID',
      rule: SIGNATURE,
      why: 'A credential ID of somebody else is registered with a key of one’s own.',
      check: 'signature',
      ...make({ about: (input) => ({ ...input, credentialId: flipBit(-1)(input.credentialId) }) }),
    },
    {
      id: 'other-public-key',
      title: 'a signature over another public key',
      rule: SIGNATURE,
      why: 'The authenticator vouches for a key of its own; the credential is another one, which anybody may hold.',
      check: 'signature',
      ...make({ about: (input: AttestationInput) => ({ ...input, credentialPublicKey: strangeCoseKey() }) }),
    },
    {
      id: 'reserved-byte',
      title: 'a signature over data that begin with another byte than zero',
      rule: SIGNATURE,
      why: 'The byte keeps registrations and authentications of U2F apart: 0x01 begins a login.',
      check: 'signature',
      ...make({ signs: (data) => Uint8Array.of(1, ...data.subarray(1)) }),
    },
    {
      id: 'without-client-data',
      title: 'a signature over all but the hash of the client data',
      rule: SIGNATURE,
      why: OTHER_CEREMONY,
      check: 'signature',
      ...make({ signs: (data) => Uint8Array.of(...data.subarray(0, 1 + SHA256_BYTES), ...data.subarray(1 + 2 * SHA256_BYTES)) }),
    },
    {
      id: 'signed-as-packed',
      title: 'a signature over authenticator data and client data hash, as packed has it',
      rule: SIGNATURE,
      why: 'Each format signs what it signs; one does not stand for another.',
      check: 'signature',
      ...make({
        members: (attStmt, input) => withMember('sig', AUTHORITY.key('fido-u2f', input.aaguid).sign(attToBeSigned(input)))(attStmt),
      }),
    },
    {
      id: 'signed-by-stranger',
      title: 'an honest certificate, and a signature with another key',
      rule: SIGNATURE,
      why: 'Anybody who has a certificate, which is public, attests in the name of its vendor.',
      check: 'signature',
      ...make({ signer: strangeKey }),
    },
    {
      id: 'of-packed',
      title: 'a packed statement under the name of fido-u2f',
      rule: SIGNATURE,
      why: 'The name of the format says what is signed.',
      check: 'signature',
      ...NO_AAGUID,
      make: renamed('fido-u2f', packed()),
    },
    {
      id: 'two-certificates',
      title: 'the certificate of the root behind that of the authenticator',
      rule: ONE,
      why: 'A server that takes the last of two verifies with the key of somebody else.',
      check: 'one-certificate',
      ...make({ x5c: (certificates) => [...certificates, AUTHORITY.root] }),
    },
    {
      id: 'certificate-of-p384',
      title: 'an attestation certificate on P-384, and a signature by ES384',
      rule: CERTIFICATE,
      why: 'U2F is ES256 only; another algorithm was chosen by the sender.',
      check: 'certificate-key',
      also: ['algorithm-fits-key', 'signature'],
      ...make({ key: () => p384Key('fido-u2f ES384 key') }),
    },
    {
      id: 'certificate-of-rsa',
      title: 'an attestation certificate of RSA, and a signature by RS256',
      rule: CERTIFICATE,
      why: 'U2F is ES256 only; another algorithm was chosen by the sender.',
      check: 'certificate-key',
      also: ['algorithm-fits-key', 'signature'],
      ...make({ key: ({ aaguid }) => AUTHORITY.rsaKey('fido-u2f', aaguid, RS256) }),
    },
    {
      id: 'credential-of-p384',
      title: 'a credential on P-384',
      rule: '§8.6: the coordinates of the credential public key have 32 bytes each',
      why: 'U2F knows ES256 only; such a statement was not made by U2F.',
      check: 'credential-key',
      algorithm: ES384,
      ...make(),
    },
    ...(['sig', 'x5c'] as const).map((member) => ({
      id: `without-${member}`,
      title: `a statement without ${member}`,
      rule: '§8.6: the statement has sig and x5c',
      why: 'A server that verifies only where there is something to verify lets everything pass.',
      check: 'syntax',
      ...make({ members: withoutMember(member) }),
    })),
    {
      id: 'x5c-emptied',
      title: 'a statement with an empty x5c',
      rule: ONE,
      why: 'A loop over no certificates finds none that is wrong.',
      check: 'syntax',
      ...make({ members: withMember('x5c', []) }),
    },
  ),
  ...accepted(
    'fido-u2f',
    {
      id: 'honest',
      title: 'what a U2F key says when it registers',
      rule: '§8.6: the whole procedure',
      why: 'U2F keys are in use, and work with WebAuthn.',
      ...make(),
    },
    {
      id: 'certificate-version-1',
      title: 'an attestation certificate of version 1',
      rule: '§8.6: asks nothing of the certificate but its key; §8.2.1 is about packed',
      why: 'The first U2F keys have such certificates.',
      ...make({ leaf: withFields({ version: 1, extensions: [] }) }),
    },
    {
      id: 'subject-short',
      title: 'an attestation certificate whose subject has a CN alone',
      rule: '§8.6: asks nothing of the certificate but its key; §8.2.1 is about packed',
      why: 'U2F keys are named like that, by their serial number.',
      ...make({ leaf: withFields({ subject: [named('CN', 'U2F Device 42')] }) }),
    },
    {
      id: 'with-transports',
      title: 'an attestation certificate that names transports',
      rule: 'RFC 5280 §4.2: unknown extensions that are not critical are ignored',
      why: 'Every U2F key of the second generation has the extension.',
      ...make({ leaf: withExtension({ oid: ATTESTATION_EXTENSION.transports, value: Uint8Array.of(3, 2, 4, 0x30) }) }),
    },
    {
      id: 'with-aaguid',
      title: 'a U2F statement with an AAGUID',
      rule: '§8.6: says nothing of the AAGUID',
      why: 'CTAP2 authenticators with this format have one.',
      disputed: 'The conformance tests of the FIDO Alliance want zeros, and many servers do with them.',
      make: u2f(),
    },
  ),
  ...rootRows('fido-u2f', u2f).map((row) => ({ ...row, ...NO_AAGUID })),
];
