import { EXTENSION, TPM_AIK_PURPOSE } from '../../../webauthn/certificate-extensions.js';
import { directoryName, named, WRITE_EXTENSION, writeName } from '../../../webauthn/certificate-writer.js';
import { context } from '../../../webauthn/der-writer.js';
import { withExtension, withFields, withoutExtension } from './makers/certified.js';
import { tpm } from './makers/statements.js';
import { type AttestationRow, accepted, breaking, refused } from './row.js';
import { certificateFaults } from './shared-rows.js';

const ALT_NAME = '§8.3.1; TCG EK Credential Profile §3.2.9: the subject alternative name names manufacturer, model and version of the TPM';
const WHO = 'The names say which TPM was certified; without them it may be anything.';
const PURPOSE = '§8.3.1: extended key usage has 2.23.133.8.3 (tcg-kp-AIKCertificate)';

const NAMES = {
  manufacturer: named('tpmManufacturer', 'id:414D4400'),
  model: named('tpmModel', 'passkey TEST TPM'),
  version: named('tpmVersion', 'id:00000001'),
};
const altName = (...names: readonly Uint8Array[]) => withExtension(WRITE_EXTENSION.subjectAltName(true, ...names));

const withoutName = (name: keyof typeof NAMES) => ({
  title: `a subject alternative name without the ${name} of the TPM`,
  why: WHO,
  make: tpm({ leaf: altName(directoryName(...Object.values(NAMES).filter((attribute) => attribute !== NAMES[name]))) }),
});

const REFUSED = refused('tpm', {
  'subject-not-empty': {
    title: 'an AIK certificate with a subject',
    rule: '§8.3.1: the subject is empty',
    why: 'Identity keys exist so that the machine stays anonymous.',
    check: 'certificate-subject-empty',
    make: tpm({ leaf: withFields({ subject: [named('CN', 'A machine of its own')] }) }),
  },
  ...breaking(ALT_NAME, 'certificate-subject-alt-name', {
    'without-alt-name': {
      title: 'an AIK certificate without a subject alternative name',
      why: WHO,
      make: tpm({ leaf: withoutExtension(EXTENSION.subjectAltName) }),
    },
    'alt-name-of-host': {
      title: 'a subject alternative name that is a host name',
      why: 'A web server’s certificate would pass for that of a TPM.',
      make: tpm({ leaf: (fields) => withExtension({ ...WRITE_EXTENSION.dnsName('tpm.example'), critical: true })(fields) }),
    },
    'alt-name-without-manufacturer': withoutName('manufacturer'),
    'alt-name-without-model': withoutName('model'),
    'alt-name-without-version': withoutName('version'),
  }),
  'alt-name-not-critical': {
    title: 'a subject alternative name that is not critical, with an empty subject',
    rule: 'RFC 5280 §4.2.1.6: where the subject is empty, the alternative name is critical',
    why: 'Software that ignores the extension sees a certificate without any name.',
    check: 'certificate-subject-alt-name-critical',
    disputed: 'Real TPMs have such certificates, and §8.3.1 does not repeat the rule of RFC 5280.',
    make: tpm({ leaf: withExtension(WRITE_EXTENSION.subjectAltName(false, directoryName(...Object.values(NAMES)))) }),
  },
  ...breaking(PURPOSE, 'certificate-extended-key-usage', {
    'without-purpose': {
      title: 'an AIK certificate without extended key usage',
      why: 'A key that signs arbitrary data will also sign a certInfo that no TPM made.',
      make: tpm({ leaf: withoutExtension(EXTENSION.extendedKeyUsage) }),
    },
    'other-purpose': {
      title: 'a certificate for an endorsement key instead of an identity key',
      why: 'A key that signs arbitrary data will also sign a certInfo that no TPM made.',
      make: tpm({ leaf: withExtension(WRITE_EXTENSION.extendedKeyUsage('2.23.133.8.1')) }),
    },
    'any-purpose': {
      title: 'a certificate for any purpose',
      why: 'The wildcard anyExtendedKeyUsage is not the purpose that the standard requires.',
      make: tpm({ leaf: withExtension(WRITE_EXTENSION.extendedKeyUsage('2.5.29.37.0')) }),
    },
  }),
});

const ACCEPTED = accepted('tpm', {
  'alt-name-in-three-parts': {
    title: 'manufacturer, model and version in three relative distinguished names',
    rule: ALT_NAME,
    why: 'Some vendors write one set of three attributes, others three sets of one.',
    make: tpm({ leaf: altName(context(4, writeName(Object.values(NAMES).toReversed()))) }),
  },
  'alt-name-with-more': {
    title: 'a subject alternative name with more than the three attributes',
    rule: ALT_NAME,
    why: 'Some vendors add serial numbers.',
    make: tpm({ leaf: altName(directoryName(...Object.values(NAMES), named('serialNumber', '42'))) }),
  },
  'several-purposes': {
    title: 'an AIK certificate with several purposes',
    rule: PURPOSE,
    why: 'The standard requires the purpose to be present, not to be alone.',
    make: tpm({ leaf: withExtension(WRITE_EXTENSION.extendedKeyUsage('1.3.6.1.4.1.311.21.36', TPM_AIK_PURPOSE)) }),
  },
});

/** Cases about the fields of the AIK certificate in `tpm` statements (§8.3.1). */
export const TPM_CERTIFICATE: readonly AttestationRow[] = [...certificateFaults('tpm', tpm), ...REFUSED, ...ACCEPTED];
