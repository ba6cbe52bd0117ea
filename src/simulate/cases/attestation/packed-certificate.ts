import { ATTESTATION_EXTENSION } from '../../../webauthn/attestation-extensions.js';
import { country, named, WRITE_EXTENSION } from '../../../webauthn/certificate-writer.js';
import { integer, octetString, printableString } from '../../../webauthn/der-writer.js';
import { AAGUID_BYTES } from '../../../webauthn/limits.js';
import { mapRows } from '../../engine/case.js';
import { withAttribute, withExtension, withoutAttribute } from './makers/certified.js';
import { packed } from './makers/statements.js';
import { type AttestationRow, breaking, refused } from './row.js';
import { certificateFaults, OTHER_AAGUID } from './shared-rows.js';

const SUBJECT = '§8.2.1: the subject has C, O, OU "Authenticator Attestation" and CN';
const CRITICAL = '§8.2.1: the extension is not marked critical';
const AAGUID = '§8.2: the AAGUID of the certificate equals that of the authenticator data';
const WHY_SUBJECT = 'The same root may issue certificates for other purposes; the subject tells them apart.';

const NAMES = {
  'subject-without-country': 'C',
  'subject-without-organization': 'O',
  'subject-without-unit': 'OU',
  'subject-without-common-name': 'CN',
} as const;

/** Cases about the fields of a `packed` attestation certificate (§8.2.1). */
export const PACKED_CERTIFICATE: readonly AttestationRow[] = [
  ...certificateFaults('packed', packed),
  ...refused('packed', {
    ...mapRows(NAMES, (attribute) => ({
      title: `a subject without ${attribute}`,
      rule: SUBJECT,
      why: WHY_SUBJECT,
      check: `certificate-subject-${attribute.toLowerCase()}`,
      make: packed({ leaf: withoutAttribute(attribute) }),
    })),
    'subject-country-of-three-letters': {
      title: 'a country of three letters',
      rule: '§8.2.1: C is an ISO 3166 code of the country, a PrintableString',
      why: WHY_SUBJECT,
      check: 'certificate-subject-c',
      disputed: 'ISO 3166 also has three-letter codes; only X.520 insists on two letters.',
      make: packed({ leaf: withAttribute(country('AAA')) }),
    },
    'subject-empty-organization': {
      title: 'a subject with an empty O',
      rule: '§8.2.1: O is the legal name of the vendor',
      why: 'Checking that a value is present says nothing about the value.',
      check: 'certificate-subject-o',
      make: packed({ leaf: withAttribute(named('O', '')) }),
    },
    ...breaking('§8.2.1: OU is the literal string "Authenticator Attestation"', 'certificate-subject-ou', {
      'subject-other-unit': {
        title: 'a subject with another OU',
        why: WHY_SUBJECT,
        make: packed({ leaf: withAttribute(named('OU', 'Web Servers')) }),
      },
      'subject-longer-unit': {
        title: 'an OU that only starts with "Authenticator Attestation"',
        why: 'A vendor’s CA has such a name, and a CA is not an authenticator.',
        make: packed({ leaf: withAttribute(named('OU', 'Authenticator Attestation CA')) }),
      },
      'subject-unit-other-case': {
        title: 'OU in lower case',
        why: 'A literal string is compared byte for byte.',
        disputed: 'RFC 5280 §7.1 ignores case when it compares names.',
        make: packed({ leaf: withAttribute(named('OU', 'authenticator attestation')) }),
      },
    }),
    'subject-values-swapped': {
      title: 'OU and CN swapped',
      rule: SUBJECT,
      why: 'A server that searches the subject as one string finds the right words in the wrong attribute.',
      check: 'certificate-subject-ou',
      make: packed({
        leaf: (fields) => withAttribute(named('CN', 'Authenticator Attestation'))(withAttribute(named('OU', 'Some vendor'))(fields)),
      }),
    },
    'aaguid-of-zeros': {
      title: 'a certificate for AAGUID zero',
      rule: AAGUID,
      why: 'Zeros are a value like any other, not a wildcard.',
      check: 'certificate-aaguid',
      make: packed({ leaf: withExtension(WRITE_EXTENSION.aaguid(new Uint8Array(AAGUID_BYTES))) }),
    },
    'aaguid-twice': {
      title: 'two AAGUID extensions, the second for another model',
      rule: '§8.2: the extension with the AAGUID matches; RFC 5280 §4.2: no extension stands twice',
      why: 'Two parsers may read two different AAGUIDs.',
      check: 'certificates',
      make: packed({ leaf: (fields) => ({ ...fields, extensions: [...fields.extensions, WRITE_EXTENSION.aaguid(OTHER_AAGUID)] }) }),
    },
    'aaguid-in-one-octet-string': {
      title: 'the AAGUID in one OCTET STRING instead of two',
      rule: '§8.2.1: the AAGUID is wrapped in two OCTET STRINGS',
      why: 'A server that skips two bytes without looking reads an AAGUID that is not there.',
      check: 'certificate-aaguid',
      make: packed({ leaf: (fields, { aaguid }) => withExtension({ oid: ATTESTATION_EXTENSION.aaguid, value: aaguid })(fields) }),
    },
    'aaguid-too-short': {
      title: 'an AAGUID of 15 bytes in the certificate',
      rule: AAGUID,
      why: 'A comparison that stops where the shorter value ends accepts an empty or truncated value.',
      check: 'certificate-aaguid',
      make: packed({
        leaf: (fields, { aaguid }) => withExtension({ oid: ATTESTATION_EXTENSION.aaguid, value: octetString(aaguid.slice(0, -1)) })(fields),
      }),
    },
    'aaguid-empty': {
      title: 'an AAGUID of no bytes in the certificate',
      rule: AAGUID,
      why: 'A comparison that stops where the shorter value ends accepts an empty or truncated value.',
      check: 'certificate-aaguid',
      make: packed({ leaf: withExtension({ oid: ATTESTATION_EXTENSION.aaguid, value: octetString(new Uint8Array()) }) }),
    },
    'firmware-version-critical': {
      title: 'the extension with the firmware version marked critical',
      rule: CRITICAL,
      why: 'A server that does not know the extension would have to refuse the certificate.',
      check: 'certificate-firmware-version-not-critical',
      also: ['chain-critical-extensions'],
      disputed: 'A server that trusts no roots and does not use the extension need not check it.',
      make: packed({ leaf: withExtension({ oid: ATTESTATION_EXTENSION.firmwareVersion, critical: true, value: integer(5) }) }),
    },
    'firmware-version-text': {
      title: 'the firmware version as text',
      rule: '§8.2.1: the firmware version is an INTEGER',
      why: 'Versions stored as text sort as text: 10 before 9.',
      check: 'certificate-firmware-version',
      disputed: 'A server that does not use the firmware version need not read it.',
      make: packed({ leaf: withExtension({ oid: ATTESTATION_EXTENSION.firmwareVersion, value: printableString('5.7') }) }),
    },
    'serial-number-critical': {
      title: 'the extension with the serial number of the device marked critical',
      rule: '§8.2.2: the extension is not marked critical',
      why: 'A server that does not know the extension would have to refuse the certificate.',
      check: 'certificate-serial-number-not-critical',
      also: ['chain-critical-extensions'],
      disputed: 'A server that trusts no roots and does not use the extension need not check it.',
      make: packed({ leaf: withExtension({ ...WRITE_EXTENSION.deviceSerialNumber(Uint8Array.of(1, 2, 3)), critical: true }) }),
    },
  }),
];
