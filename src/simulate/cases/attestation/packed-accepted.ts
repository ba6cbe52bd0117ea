import { ES384, RS256 } from '../../../authenticator/attestation/attestation-key.js';
import { ATTESTATION_EXTENSION } from '../../../webauthn/attestation-extensions.js';
import { EXTENSION } from '../../../webauthn/certificate-extensions.js';
import { country, named, WRITE_EXTENSION } from '../../../webauthn/certificate-writer.js';
import { integer, octetString, sequence, utf8String } from '../../../webauthn/der-writer.js';
import { inOrder } from '../../engine/authenticator-data-edits.js';
import { AUTHORITY, p384Key, rsaKey, withAttribute, withExtension, withFields, withoutExtension } from './makers/certified.js';
import { byCaWith, byIntermediate, byThreeIntermediates, withRoot } from './makers/chains.js';
import { packed } from './makers/statements.js';
import { type AttestationRow, accepted } from './row.js';

const x5c = '§8.2: x5c is the attestation certificate and its chain, if any';
const SUBJECT = '§8.2.1: the subject has C, O, OU and CN, in any order, among others';
const KEY = '§8.2: the attestation key has its own algorithm, which need not be that of the credential';
const EXTENSIONS = 'RFC 5280 §4.2: unknown extensions that are not critical are ignored';

/** Valid but rarely seen `packed` statements with certificates (§8.2). */
export const PACKED_ACCEPTED: readonly AttestationRow[] = accepted('packed', {
  honest: {
    title: 'the attestation certificate alone, issued by the root',
    rule: x5c,
    why: 'Security keys send one certificate; the rest of the chain is in FIDO metadata.',
    make: packed(),
  },
  'with-intermediate': {
    title: 'the attestation certificate and one intermediate',
    rule: x5c,
    why: 'Large vendors issue through intermediates.',
    make: packed({ issued: byIntermediate }),
  },
  'with-root': {
    title: 'the whole chain, root included',
    rule: x5c,
    why: 'Feitian sends its root; the standard allows it.',
    make: packed({ issued: withRoot }),
  },
  'with-three-intermediates': {
    title: 'a chain of three intermediates',
    rule: x5c,
    why: 'RFC 5280 sets no limit, and component vendors stack their CAs.',
    make: packed({ issued: byThreeIntermediates }),
  },
  'issued-by-p384': {
    title: 'an attestation certificate signed by a P-384 CA with ecdsa-with-SHA384',
    rule: x5c,
    why: 'Vendor roots are often stronger than the attestation keys below them.',
    make: packed({ issued: byCaWith(() => p384Key('P-384 CA key')) }),
  },
  'issued-by-rsa': {
    title: 'an attestation certificate signed by an RSA CA',
    rule: x5c,
    why: 'The first FIDO CAs used RSA and certified EC keys.',
    make: packed({ issued: byCaWith(() => rsaKey('RSA CA key')) }),
  },
  'key-of-p384': {
    title: 'a P-384 attestation key that signs by ES384',
    rule: KEY,
    why: 'Vendors that sell to governments use P-384.',
    statementAlgorithm: ES384,
    make: packed({ key: () => p384Key('packed ES384 key') }),
  },
  'key-of-rsa': {
    title: 'an RSA attestation key that signs by RS256',
    rule: KEY,
    why: 'Platforms that attest with a TPM key use RSA.',
    statementAlgorithm: RS256,
    make: packed({ key: ({ aaguid }) => AUTHORITY.rsaKey('packed', aaguid, RS256) }),
  },
  'credential-of-rs256': {
    title: 'an RSA credential, attested with an EC key',
    rule: KEY,
    why: 'A server that verifies with the credential’s algorithm wrongly refuses the statement.',
    algorithm: RS256,
    make: packed(),
  },
  'credential-of-eddsa': {
    title: 'an Ed25519 credential, attested with an EC key',
    rule: KEY,
    why: 'This is how security keys with EdDSA attest.',
    algorithm: -8,
    make: packed(),
  },
  'subject-in-other-order': {
    title: 'a subject in the order C, O, OU, CN',
    rule: SUBJECT,
    why: 'Both orders are common.',
    make: packed({ leaf: (fields) => ({ ...fields, subject: fields.subject.toReversed() }) }),
  },
  'subject-with-more': {
    title: 'a subject with a locality and a serial number',
    rule: SUBJECT,
    why: 'CAs ask vendors for more than the standard does.',
    make: packed({
      leaf: (fields) => ({ ...fields, subject: [...fields.subject, named('L', 'Test Town'), named('serialNumber', '0042')] }),
    }),
  },
  'subject-of-other-script': {
    title: 'a subject in Japanese',
    rule: '§8.2.1: O and CN are UTF8Strings',
    why: 'Vendors write their names in their own script.',
    make: packed({ leaf: inOrder(withAttribute(named('O', '試験株式会社')), withAttribute(named('CN', '認証器の試験'))) }),
  },
  'subject-with-punctuation': {
    title: 'a subject with a comma, a plus and an equals sign',
    rule: SUBJECT,
    why: 'A server that joins names into text and splits them again breaks here.',
    make: packed({ leaf: inOrder(withAttribute(country('SE')), withAttribute(named('O', 'Keys, Locks + Co = "KLC"'))) }),
  },
  'without-aaguid-extension': {
    title: 'a certificate that does not name an AAGUID',
    rule: '§8.2.1: the extension is for roots of several models; §8.2: it is compared if present',
    why: 'A vendor with one model need not name it.',
    make: packed({ leaf: withoutExtension(ATTESTATION_EXTENSION.aaguid) }),
  },
  'with-firmware-version': {
    title: 'a certificate that names the firmware version',
    rule: '§8.2.1: id-fido-gen-ce-fw-version is an INTEGER',
    why: 'Authenticators certified at level 2 and above carry it.',
    make: packed({ leaf: withExtension({ oid: ATTESTATION_EXTENSION.firmwareVersion, value: integer(329_222) }) }),
  },
  'with-serial-number': {
    title: 'a certificate that names the device',
    rule: '§8.2.2: id-fido-gen-ce-sernum in enterprise attestation',
    why: 'A server that refuses this locks out enterprise authenticators.',
    make: packed({ leaf: withExtension(WRITE_EXTENSION.deviceSerialNumber(Uint8Array.of(0, 0, 0x12, 0x34))) }),
  },
  'with-unknown-extensions': {
    title: 'a certificate with unknown extensions that are not critical',
    rule: EXTENSIONS,
    why: 'Vendors add their own extensions; Yubico marks the model this way.',
    make: packed({
      leaf: inOrder(
        withExtension({ oid: '1.3.6.1.4.1.41482.2', value: utf8String('1.3.6.1.4.1.41482.1.7') }),
        withExtension({ oid: ATTESTATION_EXTENSION.transports, value: Uint8Array.of(3, 2, 4, 0x30) }),
        withExtension({ oid: '2.999.2', value: sequence(octetString(new Uint8Array(200))) }),
      ),
    }),
  },
  'without-key-identifiers': {
    title: 'a certificate without key identifiers and key usage',
    rule: '§8.2.1 requires only basic constraints; RFC 5280 §4.2.1.2 recommends key identifiers',
    why: 'Authenticators are short of memory and carry minimal certificates.',
    make: packed({
      leaf: inOrder(
        withoutExtension(EXTENSION.keyUsage),
        withoutExtension(EXTENSION.subjectKeyIdentifier),
        withoutExtension(EXTENSION.authorityKeyIdentifier),
      ),
    }),
  },
  'serial-number-of-20-bytes': {
    title: 'a certificate with the largest serial number',
    rule: 'RFC 5280 §4.1.2.2: serial numbers of up to 20 octets',
    why: 'Serial numbers may be longer than 64 bits.',
    make: packed({ leaf: withFields({ serialNumber: 2n ** 159n - 1n }) }),
  },
  'serial-number-of-one': {
    title: 'a certificate with the serial number 1',
    rule: 'RFC 5280 §4.1.2.2: a positive integer',
    why: 'Small CAs count up from one.',
    make: packed({ leaf: withFields({ serialNumber: 1n }) }),
  },
  'without-end': {
    title: 'a certificate that is valid until the end of the year 9999',
    rule: 'RFC 5280 §4.1.2.5: 99991231235959Z, a GeneralizedTime, where no date of expiry is known',
    why: 'Authenticators cannot renew their certificates.',
    make: packed({ leaf: withFields({ notAfter: Date.UTC(9999, 11, 31, 23, 59, 59) }) }),
  },
});
