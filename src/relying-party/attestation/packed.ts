import { KEY_TYPES } from '../../webauthn/algorithms.js';
import type { Certificate } from '../../webauthn/certificate.js';
import { type NameAttribute, nameAttributes, showName } from '../../webauthn/distinguished-name.js';
import { showAlgorithm, showText } from '../show.js';
import { checkAaguid, checkBasicConstraints, checkFirmwareVersion, checkSerialNumber, checkVersion } from './certificate-requirements.js';
import { verifyCertified } from './certified.js';
import { mlDsaKey } from './ml-dsa.js';
import { importCoseKey, importSubjectKey, signatureChecks } from './signature.js';
import { readCredentialKey, readMembers, type StatementFinding, type StatementInput, signedBytes } from './statement.js';
import { decide, judge, type Requirement, type SubCheck } from './sub-check.js';

const REFERENCE = '§8.2';
const REQUIREMENTS = '§8.2.1';
const OVER = 'the authenticator data and the hash of the client data';

/** Verifies a packed attestation statement (§8.2). */
export function verifyPacked(input: StatementInput): StatementFinding {
  return input.attStmt.has('x5c') ? verifyWithCertificates(input) : verifySelf(input);
}

function verifyWithCertificates(input: StatementInput): StatementFinding {
  return verifyCertified(input, {
    reference: REFERENCE,
    attestationType: 'basic-or-attca',
    shape: { alg: 'integer', sig: 'bytes', x5c: 'certificates' },
    judge: ([attestation], { alg, sig }) => [
      ...signatureChecks({
        alg,
        key: importSubjectKey(attestation.publicKey),
        otherwise: mlDsaKey(attestation.publicKey, input.mlDsa),
        owner: 'the attestation certificate',
        data: signedBytes(input),
        over: OVER,
        signature: sig,
        reference: REFERENCE,
      }),
      checkVersion(attestation, REQUIREMENTS),
      ...checkSubject(attestation),
      checkBasicConstraints(attestation, REQUIREMENTS),
      ...checkAaguid(attestation, input.credential.aaguid, REFERENCE),
      ...checkFirmwareVersion(attestation),
      ...checkSerialNumber(attestation),
    ],
  });
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
    hint: 'In self attestation, alg must be the algorithm of the credential public key.',
  };
  const { mlDsa } = input;
  const signature = signatureChecks({
    alg: key.alg,
    key: importCoseKey(key),
    otherwise:
      key.kty === KEY_TYPES.AKP && mlDsa !== undefined
        ? { alg: key.alg, verify: (data, signed) => mlDsa({ alg: key.alg, publicKey: key.pub, data, signature: signed }) }
        : undefined,
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
  readonly form?: RegExp;
  readonly usual?: RegExp;
  /** Set if the attribute must occur only once, so that two programs cannot read different values. */
  readonly once?: true;
}

const SUBJECT: readonly SubjectRule[] = [
  {
    slug: 'certificate-subject-c',
    oid: '2.5.4.6',
    name: 'C',
    type: 'PrintableString',
    meaning: "the ISO 3166 code of the vendor's country",
    form: /^[A-Za-z]{2}$/,
    usual: /^[A-Z]{2}$/,
    once: true,
  },
  { slug: 'certificate-subject-o', oid: '2.5.4.10', name: 'O', type: 'UTF8String', meaning: 'the legal name of the vendor' },
  {
    slug: 'certificate-subject-ou',
    oid: '2.5.4.11',
    name: 'OU',
    type: 'UTF8String',
    meaning: '"Authenticator Attestation"',
    only: 'Authenticator Attestation',
    once: true,
  },
  { slug: 'certificate-subject-cn', oid: '2.5.4.3', name: 'CN', type: 'UTF8String', meaning: "a string of the vendor's choosing" },
];

/**
 * Checks the subject of the attestation certificate (§8.2.1). Only warns about a wrong string type or a country in lower case, since many
 * real certificates have them.
 */
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
    const fits = first.text !== '' && (rule.only ?? first.text) === first.text && (rule.form?.test(first.text) ?? true);
    if (!fits || (rule.once && found.length > 1)) {
      return judge(requirement, false, found.map(showAttribute).join(', '));
    }
    const usual = first.type === rule.type && (rule.usual?.test(first.text) ?? true);
    return decide(requirement, usual ? 'pass' : 'warn', showAttribute(first));
  });
}

function showAttribute({ text, type }: NameAttribute): string {
  return `${showText(text)} (${type})`;
}
