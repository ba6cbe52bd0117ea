import { ES384, RS256 } from '../../../authenticator/attestation/attestation-key.js';
import { type AttestationInput, attToBeSigned } from '../../../authenticator/attestation/format.js';
import { ATTESTATION_EXTENSION } from '../../../webauthn/attestation-extensions.js';
import { named } from '../../../webauthn/certificate-writer.js';
import { AAGUID_BYTES, SHA256_BYTES } from '../../../webauthn/limits.js';
import { mapRows, type Rows } from '../../engine/case.js';
import { flipBit } from '../../engine/edits.js';
import { rootRows } from './chain-rows.js';
import { AUTHORITY, p384Key, sha256, strangeCoseKey, withExtension, withFields, withMember } from './makers/certified.js';
import { packed, renamed, u2f } from './makers/statements.js';
import { type AttestationRow, accepted, breaking, refused, setAaguid } from './row.js';
import { faults, incomplete } from './shared-rows.js';

const SIGNATURE = '§8.6: sig is a signature over 0x00, rpIdHash, clientDataHash, credentialId and the public key, by the certificate';
const CERTIFICATE = '§8.6: the public key of the certificate is an EC key on P-256';
const ONE = '§8.6: x5c has exactly one element';
/** Writes an AAGUID of zeros, as clients do for U2F authenticators, which have no AAGUID. */
const NO_AAGUID = { authenticatorData: setAaguid(new Uint8Array(AAGUID_BYTES)) };
/** Length of an uncompressed point on P-256, in bytes. */
const P256_POINT_BYTES = 65;
const OTHER_CEREMONY = 'A statement recorded elsewhere could be replayed here.';

const make = (change: Parameters<typeof u2f>[0] = {}) => ({ ...NO_AAGUID, make: u2f(change) });

const anonymous = <Row>(rows: Rows<Row>) => mapRows(rows, (row) => ({ ...row, ...NO_AAGUID }));

/** Cases for the attestation statement format `fido-u2f` (§8.6). */
export const FIDO_U2F: readonly AttestationRow[] = [
  ...refused('fido-u2f', {
    ...breaking(SIGNATURE, 'signature', {
      ...anonymous(faults(u2f, 'signature', 'other-client-data', 'signed-by-stranger')),
      'other-rp-id': {
        title: 'a signature over the hash of another RP ID',
        why: 'A credential made for one site would be registered at another.',
        ...make({ about: (input) => ({ ...input, rpIdHash: sha256(input.rpIdHash) }) }),
      },
      'other-credential-id': {
        title: 'a signature over another credential ID',
        why: 'An attacker could register someone else’s credential ID with a key of their own.',
        ...make({ about: (input) => ({ ...input, credentialId: flipBit(-1)(input.credentialId) }) }),
      },
      'other-public-key': {
        title: 'a signature over another public key',
        why: 'The authenticator vouches for one key while the credential is another, which anyone may hold.',
        ...make({ about: (input: AttestationInput) => ({ ...input, credentialPublicKey: strangeCoseKey() }) }),
      },
      'reserved-byte': {
        title: 'a signature over data that starts with 0x01 instead of 0x00',
        why: 'The byte tells U2F registrations from U2F logins, which begin with 0x01.',
        ...make({ signs: (data) => Uint8Array.of(1, ...data.subarray(1)) }),
      },
      'without-client-data': {
        title: 'a signature over everything except the hash of the client data',
        why: OTHER_CEREMONY,
        ...make({ signs: (data) => Uint8Array.of(...data.subarray(0, 1 + SHA256_BYTES), ...data.subarray(1 + 2 * SHA256_BYTES)) }),
      },
      'without-public-key': {
        title: 'a signature over everything except the public key',
        why: 'The statement would be bound to the challenge, but to no key.',
        ...make({ signs: (data) => data.slice(0, -P256_POINT_BYTES) }),
      },
      'signed-as-packed': {
        title: 'a signature over authenticator data and client data hash, as in packed',
        why: 'Each format signs different data; one must not stand in for another.',
        ...make({
          members: (attStmt, input) => withMember('sig', AUTHORITY.key('fido-u2f', input.aaguid).sign(attToBeSigned(input)))(attStmt),
        }),
      },
      'of-packed': {
        title: 'a packed statement labelled fido-u2f',
        why: 'The format decides what is signed.',
        ...NO_AAGUID,
        make: renamed('fido-u2f', packed()),
      },
    }),
    'two-certificates': {
      title: 'a second certificate in x5c, that of the root',
      rule: ONE,
      why: 'A server that takes the last certificate verifies with someone else’s key.',
      check: 'one-certificate',
      ...make({ x5c: (certificates) => [...certificates, AUTHORITY.root] }),
    },
    'certificate-of-p384': {
      title: 'an attestation certificate on P-384, and a signature by ES384',
      rule: CERTIFICATE,
      why: 'U2F only has ES256; any other algorithm was picked by the sender.',
      check: 'certificate-key',
      also: ['algorithm-fits-key', 'signature'],
      ...make({ key: () => p384Key('fido-u2f ES384 key') }),
    },
    'certificate-of-rsa': {
      title: 'an attestation certificate of RSA, and a signature by RS256',
      rule: CERTIFICATE,
      why: 'U2F only has ES256; any other algorithm was picked by the sender.',
      check: 'certificate-key',
      also: ['algorithm-fits-key', 'signature'],
      ...make({ key: ({ aaguid }) => AUTHORITY.rsaKey('fido-u2f', aaguid, RS256) }),
    },
    'credential-of-p384': {
      title: 'a credential on P-384',
      rule: '§8.6: the coordinates of the credential public key have 32 bytes each',
      why: 'U2F only has ES256; no U2F key made this statement.',
      check: 'credential-key',
      algorithm: ES384,
      ...make(),
    },
    ...breaking(
      '§8.6: the statement has sig and x5c, which has exactly one element',
      'syntax',
      anonymous({ ...incomplete(u2f, { sig: 'sig', x5c: 'x5c' }), ...faults(u2f, 'x5c-emptied') }),
    ),
  }),
  ...accepted('fido-u2f', {
    honest: {
      title: 'a U2F registration',
      rule: '§8.6: the whole procedure',
      why: 'U2F keys are still in use and work with WebAuthn.',
      ...make(),
    },
    'certificate-version-1': {
      title: 'an attestation certificate of version 1',
      rule: '§8.6 only restricts the key of the certificate; §8.2.1 is about packed',
      why: 'The first U2F keys carry such certificates.',
      ...make({ leaf: withFields({ version: 1, extensions: [] }) }),
    },
    'subject-short': {
      title: 'an attestation certificate whose subject is only a CN',
      rule: '§8.6 only restricts the key of the certificate; §8.2.1 is about packed',
      why: 'U2F keys are named by their serial number.',
      ...make({ leaf: withFields({ subject: [named('CN', 'U2F Device 42')] }) }),
    },
    'with-transports': {
      title: 'an attestation certificate that names transports',
      rule: 'RFC 5280 §4.2: unknown extensions that are not critical are ignored',
      why: 'Second-generation U2F keys carry the extension.',
      ...make({ leaf: withExtension({ oid: ATTESTATION_EXTENSION.transports, value: Uint8Array.of(3, 2, 4, 0x30) }) }),
    },
    'with-aaguid': {
      title: 'a U2F statement with an AAGUID',
      rule: '§8.6 does not mention the AAGUID',
      why: 'CTAP2 authenticators that use this format have one.',
      disputed: 'The conformance tests of the FIDO Alliance require zeros, and so do many servers.',
      // The AAGUID is not signed, so a server that wants to know the model may refuse it.
      onlyWithoutTrust: true,
      make: u2f(),
    },
  }),
  ...rootRows('fido-u2f', u2f).map((row) => ({ ...row, ...NO_AAGUID })),
];
