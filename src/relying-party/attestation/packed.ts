import { ATTESTATION_EXTENSION } from '../../webauthn/attestation-extensions.js';
import type { Certificate } from '../../webauthn/certificate.js';
import { findExtension } from '../../webauthn/certificate-extensions.js';
import { type NameAttribute, nameAttributes, showName } from '../../webauthn/distinguished-name.js';
import { checkAaguid, checkBasicConstraints, checkVersion } from './certificate-requirements.js';
import { checkChain } from './chain.js';
import { showAlgorithm, showText } from './show.js';
import { importCoseKey, importSubjectKey, signatureChecks } from './signature.js';
import { readCertificates, readCredentialKey, readMembers, type StatementFinding, type StatementInput, signedBytes } from './statement.js';
import { decide, judge, type Requirement, type SubCheck } from './sub-check.js';

const REFERENCE = '§8.2';
const REQUIREMENTS = '§8.2.1';
const OVER = 'the authenticator data and the hash of the client data';

/** §8.2. */
export function verifyPacked(input: StatementInput): StatementFinding {
  return input.attStmt.has('x5c') ? verifyCertified(input) : verifySelf(input);
}

function verifyCertified(input: StatementInput): StatementFinding {
  const finding = (checks: readonly SubCheck[], certificates: readonly Certificate[] = []): StatementFinding => ({
    checks,
    attestationType: 'basic-or-attca',
    certificates,
  });
  const { check: syntax, members } = readMembers(input.attStmt, REFERENCE, { alg: 'integer', sig: 'bytes', x5c: 'certificates' });
  if (members === undefined) {
    return finding([syntax]);
  }
  const { check: readable, certificates } = readCertificates(members.x5c, REFERENCE);
  if (certificates === undefined) {
    return finding([syntax, readable]);
  }
  const [attestation] = certificates;
  const signature = signatureChecks({
    alg: members.alg,
    key: importSubjectKey(attestation.publicKey),
    owner: 'the attestation certificate',
    data: signedBytes(input),
    over: OVER,
    signature: members.sig,
    reference: REFERENCE,
  });
  const checks = [
    syntax,
    readable,
    ...signature,
    checkVersion(attestation, REQUIREMENTS),
    ...checkSubject(attestation),
    checkBasicConstraints(attestation, REQUIREMENTS),
    ...checkAaguid(attestation, input.credential.aaguid, REFERENCE),
    ...checkSerialNumber(attestation),
    ...checkChain(certificates, input.at),
  ];
  return finding(checks, certificates);
}

function verifySelf(input: StatementInput): StatementFinding {
  const finding = (checks: readonly SubCheck[]): StatementFinding => ({ checks, attestationType: 'self', certificates: [] });
  const { check: syntax, members } = readMembers(input.attStmt, REFERENCE, { alg: 'integer', sig: 'bytes' });
  if (members === undefined) {
    return finding([syntax]);
  }
  const { check: readable, key } = readCredentialKey(input);
  if (key === undefined) {
    return finding([syntax, readable]);
  }
  const sameAlgorithm: Requirement = {
    slug: 'self-algorithm',
    reference: REFERENCE,
    expected: `${showAlgorithm(key.alg)}, as of the credential public key`,
    hint: 'In self attestation alg is that of the credential public key.',
  };
  const signature = signatureChecks({
    alg: key.alg,
    key: importCoseKey(key),
    owner: 'the credential',
    data: signedBytes(input),
    over: OVER,
    signature: members.sig,
    reference: REFERENCE,
  });
  return finding([syntax, readable, judge(sameAlgorithm, members.alg === key.alg, showAlgorithm(members.alg)), ...signature]);
}

interface SubjectRule {
  readonly slug: string;
  readonly oid: string;
  readonly name: string;
  readonly type: string;
  readonly meaning: string;
  readonly only?: string;
  readonly usual?: RegExp;
}

const SUBJECT: readonly SubjectRule[] = [
  {
    slug: 'certificate-subject-c',
    oid: '2.5.4.6',
    name: 'C',
    type: 'PrintableString',
    meaning: 'the ISO 3166 code of the country of the vendor',
    usual: /^[A-Z]{2}$/,
  },
  { slug: 'certificate-subject-o', oid: '2.5.4.10', name: 'O', type: 'UTF8String', meaning: 'the legal name of the vendor' },
  {
    slug: 'certificate-subject-ou',
    oid: '2.5.4.11',
    name: 'OU',
    type: 'UTF8String',
    meaning: '"Authenticator Attestation"',
    only: 'Authenticator Attestation',
  },
  { slug: 'certificate-subject-cn', oid: '2.5.4.3', name: 'CN', type: 'UTF8String', meaning: "a text of the vendor's choosing" },
];

/** §8.2.1: subject. That a text is of another string type than asked for, or a country unusual, only warns: many real ones are so. */
function checkSubject({ subject }: Certificate): SubCheck[] {
  const attributes = nameAttributes(subject);
  return SUBJECT.map((rule) => {
    const requirement: Requirement = {
      slug: rule.slug,
      reference: REQUIREMENTS,
      expected: `${rule.name}: ${rule.meaning} (${rule.type})`,
      hint: `The subject of the attestation certificate must have ${rule.name} set to ${rule.meaning}.`,
    };
    const found = attributes.filter(({ oid }) => oid === rule.oid);
    const [first] = found;
    if (first === undefined) {
      return judge(requirement, false, `none in ${showName(subject)}`);
    }
    const chosen = rule.only === undefined ? first : found.find(({ text }) => text === rule.only);
    if (chosen === undefined || chosen.text === '') {
      return judge(requirement, false, showAttribute(first));
    }
    const usual = chosen.type === rule.type && (rule.usual?.test(chosen.text) ?? true);
    return decide(requirement, usual ? 'pass' : 'warn', showAttribute(chosen));
  });
}

function showAttribute({ text, type }: NameAttribute): string {
  return `${showText(text)} (${type})`;
}

/** §8.2.2: the serial number of an enterprise attestation is not critical. */
function checkSerialNumber({ extensions }: Certificate): SubCheck[] {
  const extension = findExtension(extensions, ATTESTATION_EXTENSION.serialNumber);
  if (extension === undefined) {
    return [];
  }
  const requirement: Requirement = {
    slug: 'certificate-serial-number-not-critical',
    reference: '§8.2.2',
    expected: 'id-fido-gen-ce-sernum not marked critical',
    hint: 'The extension must not be marked critical.',
  };
  return [judge(requirement, !extension.critical, extension.critical ? 'critical' : 'not critical')];
}
