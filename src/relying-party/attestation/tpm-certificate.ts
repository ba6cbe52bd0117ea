import type { Certificate } from '../../webauthn/certificate.js';
import { EXTENSION, findExtension, TPM_AIK_PURPOSE } from '../../webauthn/certificate-extensions.js';
import { NAME_ATTRIBUTE, type NameAttribute, nameAttributes, showName } from '../../webauthn/distinguished-name.js';
import { checkBasicConstraints, checkVersion } from './certificate-requirements.js';
import { decide, judge, type Requirement, type SubCheck } from './sub-check.js';

const REFERENCE = '§8.3.1';
const PROFILE = '§8.3.1; TCG EK Credential Profile §3.2.9';
const MANUFACTURER_OID = NAME_ATTRIBUTE.tpmManufacturer;
const ATTRIBUTES: readonly string[] = [MANUFACTURER_OID, NAME_ATTRIBUTE.tpmModel, NAME_ATTRIBUTE.tpmVersion];

const EMPTY_SUBJECT: Requirement = {
  slug: 'certificate-subject-empty',
  reference: REFERENCE,
  expected: 'an empty subject',
  hint: 'The subject of an AIK certificate must be empty: its subject alternative name identifies the TPM.',
};
const PURPOSE: Requirement = {
  slug: 'certificate-extended-key-usage',
  reference: REFERENCE,
  expected: `extended key usage with ${TPM_AIK_PURPOSE} (tcg-kp-AIKCertificate)`,
  hint: 'The certificate must belong to an attestation identity key.',
};
const ALT_NAME: Requirement = {
  slug: 'certificate-subject-alt-name',
  reference: PROFILE,
  expected: 'a subject alternative name with tpmManufacturer, tpmModel and tpmVersion in one directory name, each once',
  hint: 'An AIK certificate names manufacturer, model and version of the TPM.',
};
const ALT_NAME_CRITICAL: Requirement = {
  slug: 'certificate-subject-alt-name-critical',
  reference: PROFILE,
  expected: 'a subject alternative name that is marked critical, because the subject is empty',
  hint: 'If the subject is empty, the subject alternative name must be critical.',
};
const MANUFACTURER: Requirement = {
  slug: 'certificate-tpm-manufacturer',
  reference: PROFILE,
  expected: 'tpmManufacturer "id:" and a vendor ID of the TCG registry in hexadecimal',
  hint: 'The vendor is not in our copy of the registry: a newer one, a virtual TPM or test data. The chain decides whether to trust it.',
};

/**
 * Checks an AIK certificate (§8.3.1). An unknown vendor ID causes only a warning, since the registry of vendors grows, and WebAuthn's own
 * test vectors use an ID that is not in it.
 */
export function checkAikCertificate(certificate: Certificate): SubCheck[] {
  const { extensions, subject } = certificate;
  const purposes = extensions.extendedKeyUsage;
  return [
    checkVersion(certificate, REFERENCE),
    judge(EMPTY_SUBJECT, subject.rdns.length === 0, showName(subject)),
    ...checkAltName(certificate),
    judge(PURPOSE, purposes?.includes(TPM_AIK_PURPOSE) ?? false, purposes?.join(', ') ?? 'no extended key usage'),
    checkBasicConstraints(certificate, REFERENCE),
  ];
}

/** Reads the TPM manufacturer in a certificate, which is `id:` and eight hexadecimal digits; undefined if there is none. */
export function tpmManufacturer(certificate: Certificate): string | undefined {
  const attributes = directoryNames(certificate).find(isTpmName);
  return attributes?.find(({ oid }) => oid === MANUFACTURER_OID)?.text;
}

/** Lists the directory names in the certificate's subject alternative name. Each is a list of attributes. */
function directoryNames({ extensions }: Certificate): NameAttribute[][] {
  return (extensions.subjectAltName ?? []).flatMap((name) => (name.kind === 'directory' ? [nameAttributes(name.name)] : []));
}

/**
 * Tells whether a name contains manufacturer, model and version, each exactly once. If one occurred twice, two programs could read
 * different values.
 */
function isTpmName(attributes: readonly NameAttribute[]): boolean {
  return ATTRIBUTES.every((wanted) => {
    const [found, ...rest] = attributes.filter(({ oid }) => oid === wanted);
    return found !== undefined && found.text !== '' && rest.length === 0;
  });
}

function checkAltName(certificate: Certificate): SubCheck[] {
  const { extensions, subject } = certificate;
  const extension = findExtension(extensions, EXTENSION.subjectAltName);
  if (extension === undefined || extensions.subjectAltName === undefined) {
    return [judge(ALT_NAME, false, 'no subject alternative name')];
  }
  const names = directoryNames(certificate);
  const shown = names.map((attributes) => attributes.map(({ name, text }) => `${name}=${text}`).join(', ')).join('; ');
  const found = tpmManufacturer(certificate);
  return [
    judge(ALT_NAME, found !== undefined, shown || 'no directory name'),
    judge(ALT_NAME_CRITICAL, extension.critical || subject.rdns.length > 0, extension.critical ? 'critical' : 'not critical'),
    ...(found === undefined ? [] : [checkManufacturer(found)]),
  ];
}

function checkManufacturer(manufacturer: string): SubCheck {
  const id = /^id:([0-9A-F]{8})$/i.exec(manufacturer)?.[1];
  const name = id === undefined ? undefined : TPM_MANUFACTURERS.get(id.toUpperCase());
  return decide(MANUFACTURER, name === undefined ? 'warn' : 'pass', name === undefined ? manufacturer : `${manufacturer} (${name})`);
}

/**
 * Vendors in the TCG TPM Vendor ID Registry (Family 1.2 and 2.0, Version 1.07), by the hexadecimal digits that follow `id:` in
 * certificates.
 */
export const TPM_MANUFACTURERS: ReadonlyMap<string, string> = new Map([
  ['414D4400', 'AMD'],
  ['414E5400', 'Ant Group'],
  ['41544D4C', 'Atmel'],
  ['4252434D', 'Broadcom'],
  ['4353434F', 'Cisco'],
  ['464C5953', 'FlySlice Technologies'],
  ['474F4F47', 'Google'],
  ['48495349', 'Huawei'],
  ['48504500', 'HPE'],
  ['48504900', 'HPI'],
  ['49424D00', 'IBM'],
  ['49465800', 'Infineon'],
  ['494E5443', 'Intel'],
  ['4C454E00', 'Lenovo'],
  ['4D534654', 'Microsoft'],
  ['4E534700', 'NSING'],
  ['4E534D20', 'National Semiconductor'],
  ['4E544300', 'Nuvoton Technology'],
  ['4E545A00', 'Nationz'],
  ['51434F4D', 'Qualcomm'],
  ['524F4343', 'Fuzhou Rockchip'],
  ['53454345', 'SecEdge'],
  ['5345414C', 'WISeKey'],
  ['534D5343', 'SMSC'],
  ['534D534E', 'Samsung'],
  ['534E5300', 'Sinosun'],
  ['53544D20', 'ST Microelectronics'],
  ['54584E00', 'Texas Instruments'],
  ['57454300', 'Winbond'],
]);
