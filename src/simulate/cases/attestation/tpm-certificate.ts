import { EXTENSION, TPM_AIK_PURPOSE } from '../../../webauthn/certificate-extensions.js';
import { directoryName, named, WRITE_EXTENSION, writeName } from '../../../webauthn/certificate-writer.js';
import { context } from '../../../webauthn/der-writer.js';
import type { StatementChange } from './makers/certified.js';
import { withExtension, withFields, withoutExtension } from './makers/certified.js';
import { tpm } from './makers/statements.js';
import { type AcceptedRow, type AttestationRow, accepted, breaking, type RefusedRow, refused } from './row.js';
import { certificateFaults } from './shared-rows.js';

type Described = Pick<RefusedRow, 'id' | 'title' | 'rule' | 'why'> & { readonly leaf: NonNullable<StatementChange['leaf']> };
type Refused = Described & Pick<RefusedRow, 'check' | 'also' | 'disputed' | 'onlyWithoutTrust'>;
type Accepted = Described & Pick<AcceptedRow, 'disputed'>;

const ALT_NAME = '§8.3.1; TCG EK Credential Profile §3.2.9: the subject alternative name names manufacturer, model and version of the TPM';
const WHO = 'The names say which TPM was certified; without them it may be anything.';
const PURPOSE = '§8.3.1: extended key usage has 2.23.133.8.3 (tcg-kp-AIKCertificate)';

const MANUFACTURER = named('tpmManufacturer', 'id:414D4400');
const MODEL = named('tpmModel', 'passkey TEST TPM');
const VERSION = named('tpmVersion', 'id:00000001');
const altName = (...names: readonly Uint8Array[]) => withExtension(WRITE_EXTENSION.subjectAltName(true, ...names));

const REFUSED: readonly Refused[] = [
  {
    id: 'subject-not-empty',
    title: 'an AIK certificate with a subject',
    rule: '§8.3.1: the subject is empty',
    why: 'Identity keys exist so that the machine stays anonymous.',
    check: 'certificate-subject-empty',
    leaf: withFields({ subject: [named('CN', 'A machine of its own')] }),
  },
  ...breaking<Refused>(
    ALT_NAME,
    'certificate-subject-alt-name',
    {
      id: 'without-alt-name',
      title: 'an AIK certificate without a subject alternative name',
      why: WHO,
      leaf: withoutExtension(EXTENSION.subjectAltName),
    },
    {
      id: 'alt-name-of-host',
      title: 'a subject alternative name that is a host name',
      why: 'A web server’s certificate would pass for that of a TPM.',
      leaf: (fields) => withExtension({ ...WRITE_EXTENSION.dnsName('tpm.example'), critical: true })(fields),
    },
    {
      id: 'alt-name-without-manufacturer',
      title: 'a subject alternative name without tpmManufacturer',
      why: WHO,
      leaf: altName(directoryName(MODEL, VERSION)),
    },
    {
      id: 'alt-name-without-model',
      title: 'a subject alternative name without tpmModel',
      why: WHO,
      leaf: altName(directoryName(MANUFACTURER, VERSION)),
    },
    {
      id: 'alt-name-without-version',
      title: 'a subject alternative name without tpmVersion',
      why: WHO,
      leaf: altName(directoryName(MANUFACTURER, MODEL)),
    },
  ),
  {
    id: 'alt-name-not-critical',
    title: 'a subject alternative name that is not critical, with an empty subject',
    rule: 'RFC 5280 §4.2.1.6: where the subject is empty, the alternative name is critical',
    why: 'A reader that ignores the extension is left with a certificate that names nobody.',
    check: 'certificate-subject-alt-name-critical',
    disputed: 'Real TPMs have such certificates, and §8.3.1 does not repeat the rule of RFC 5280.',
    leaf: withExtension(WRITE_EXTENSION.subjectAltName(false, directoryName(MANUFACTURER, MODEL, VERSION))),
  },
  ...breaking<Refused>(
    PURPOSE,
    'certificate-extended-key-usage',
    {
      id: 'without-purpose',
      title: 'an AIK certificate without extended key usage',
      why: 'A key that signs arbitrary data will also sign a certInfo that no TPM made.',
      leaf: withoutExtension(EXTENSION.extendedKeyUsage),
    },
    {
      id: 'other-purpose',
      title: 'a certificate for an endorsement key instead of an identity key',
      why: 'A key that signs arbitrary data will also sign a certInfo that no TPM made.',
      leaf: withExtension(WRITE_EXTENSION.extendedKeyUsage('2.23.133.8.1')),
    },
    {
      id: 'any-purpose',
      title: 'a certificate for any purpose',
      why: 'The wildcard anyExtendedKeyUsage is not the purpose that the standard requires.',
      leaf: withExtension(WRITE_EXTENSION.extendedKeyUsage('2.5.29.37.0')),
    },
  ),
];

const ACCEPTED: readonly Accepted[] = [
  {
    id: 'alt-name-in-three-parts',
    title: 'manufacturer, model and version in three relative distinguished names',
    rule: ALT_NAME,
    why: 'Some vendors write one set of three attributes, others three sets of one.',
    leaf: altName(context(4, writeName([VERSION, MODEL, MANUFACTURER]))),
  },
  {
    id: 'alt-name-with-more',
    title: 'a subject alternative name with more than the three attributes',
    rule: ALT_NAME,
    why: 'Some vendors add serial numbers.',
    leaf: altName(directoryName(MANUFACTURER, MODEL, VERSION, named('serialNumber', '42'))),
  },
  {
    id: 'several-purposes',
    title: 'an AIK certificate with several purposes',
    rule: PURPOSE,
    why: 'The standard requires the purpose to be present, not to be alone.',
    leaf: withExtension(WRITE_EXTENSION.extendedKeyUsage('1.3.6.1.4.1.311.21.36', TPM_AIK_PURPOSE)),
  },
];

/** §8.3.1: what the AIK certificate says of itself. */
export const TPM_CERTIFICATE: readonly AttestationRow[] = [
  ...certificateFaults('tpm', tpm),
  ...refused('tpm', ...REFUSED.map(({ leaf, ...row }) => ({ ...row, make: tpm({ leaf }) }))),
  ...accepted('tpm', ...ACCEPTED.map(({ leaf, ...row }) => ({ ...row, make: tpm({ leaf }) }))),
];
