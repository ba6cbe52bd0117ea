import { toHex } from '../../kernel/bytes.js';
import { count, formatSecond } from '../../kernel/wording.js';
import { formatAaguid } from '../../webauthn/aaguid.js';
import {
  type AuthorizationList,
  KEY_ORIGINS,
  KEY_PURPOSES,
  keyDescription,
  SECURITY_LEVELS,
} from '../../webauthn/android-key-description.js';
import {
  ATTESTATION_EXTENSION,
  aaguidExtension,
  appleNonceExtension,
  firmwareVersionExtension,
  transportsExtension,
} from '../../webauthn/attestation-extensions.js';
import { type Certificate, decodeCertificate, type SubjectPublicKey } from '../../webauthn/certificate.js';
import { type CertificateExtension, EXTENSION, type GeneralName } from '../../webauthn/certificate-extensions.js';
import { contents, type DerElement, decodeDer, children as elementsOf, isContext, isUniversal, TAG } from '../../webauthn/der.js';
import { showName } from '../../webauthn/distinguished-name.js';
import { type AnnotatedNode, type AnnotateOptions, aaguidNote, bytesNode, readable, shortHex } from './node.js';
import { oidName } from './object-identifiers.js';

/**
 * Annotates the X.509 certificate (RFC 5280 §4.1) from `start` to `end` of `bytes`. Verifies nothing.
 *
 * @throws PasskeyError `attestation_malformed`
 */
export function annotateCertificate(
  bytes: Uint8Array,
  {
    label = 'certificate',
    start = 0,
    end = bytes.length,
    decoded,
    ...options
  }: AnnotateOptions & { label?: string; start?: number; end?: number; decoded?: Certificate } = {},
): AnnotatedNode {
  const der = bytes.subarray(start, end);
  const certificate = decoded ?? decodeCertificate(der);
  const node = (
    name: string,
    element: DerElement | undefined,
    more: Omit<AnnotatedNode, 'label' | 'offset' | 'length'>,
  ): AnnotatedNode => ({
    label: name,
    ...(element !== undefined && { offset: start + element.start, length: element.end - element.start }),
    ...more,
  });
  const [tbs, outerAlgorithm, signature] = elementsOf(decodeDer(der));
  const fields = tbs === undefined ? [] : elementsOf(tbs);
  const version = isContext(fields[0], 0) ? fields.shift() : undefined;
  const [serial, , issuer, validity, subject, publicKey, ...optional] = fields;
  const [notBefore, notAfter] = validity === undefined ? [] : elementsOf(validity);
  const extensions = optional.find((field) => isContext(field, 3));
  const selfIssued = showName(certificate.issuer) === showName(certificate.subject);
  return {
    label,
    offset: start,
    length: der.length,
    value: showName(certificate.subject),
    note: `X.509, ${count(der.length, 'byte')}${selfIssued ? ', self-issued' : ''}`,
    children: [
      node('version', version, { value: String(certificate.version) }),
      node('serialNumber', serial, { value: certificate.serialNumber }),
      node('issuer', issuer, { value: showName(certificate.issuer) }),
      node('notBefore', notBefore, { value: formatSecond(certificate.notBefore) }),
      node('notAfter', notAfter, { value: formatSecond(certificate.notAfter) }),
      node('subject', subject, { value: showName(certificate.subject) }),
      node('publicKey', publicKey, { value: keyName(certificate.publicKey), note: count(certificate.publicKey.key.length, 'byte') }),
      ...(extensions === undefined ? [] : [extensionsNode(extensions, start, certificate, options)]),
      node('signatureAlgorithm', outerAlgorithm, { value: oidName(certificate.signatureAlgorithm.oid) }),
      ...(signature === undefined ? [] : [bytesNode('signature', certificate.signature, start + signature.contentStart + 1)]),
    ],
  };
}

function extensionsNode(element: DerElement, start: number, certificate: Certificate, options: AnnotateOptions): AnnotatedNode {
  const [list] = elementsOf(element);
  const entries = list === undefined ? [] : elementsOf(list);
  return {
    label: 'extensions',
    offset: start + element.start,
    length: element.end - element.start,
    note: count(entries.length, 'extension'),
    children: entries.map((entry, index) => {
      const value = elementsOf(entry).find((field) => isUniversal(field, TAG.octetString));
      const extension = certificate.extensions.all[index];
      const place = { offset: start + (value?.contentStart ?? entry.start), length: value === undefined ? 0 : contents(value).length };
      return extension === undefined ? { label: 'extension', ...place } : { ...extensionNode(extension, certificate, options), ...place };
    }),
  };
}

function keyName({ algorithm, curve, key }: SubjectPublicKey): string {
  if (curve !== undefined) {
    return `${oidName(algorithm.oid)} ${oidName(curve)}`;
  }
  return algorithm.oid === '1.2.840.113549.1.1.1' ? `RSA ${modulusBits(key)} bits` : oidName(algorithm.oid);
}

function modulusBits(key: Uint8Array): number {
  const [modulus] = elementsOf(decodeDer(key));
  return modulus === undefined ? 0 : (contents(modulus).length - (contents(modulus)[0] === 0 ? 1 : 0)) * 8;
}

type Shown = Pick<AnnotatedNode, 'value' | 'note' | 'children'>;

/** Annotates one extension of a certificate: its name, and its decoded value if X.509, FIDO, Apple or Android defines it. */
function extensionNode(extension: CertificateExtension, certificate: Certificate, options: AnnotateOptions): AnnotatedNode {
  const label = oidName(extension.oid);
  return readable(label, () => {
    const shown = show(extension, certificate, options) ?? {
      value: shortHex(extension.value),
      note: count(extension.value.length, 'byte'),
    };
    const note = [extension.critical ? 'critical' : undefined, shown.note].filter(Boolean).join(', ');
    return { label, ...shown, ...(note !== '' && { note }) };
  });
}

function show({ oid, value }: CertificateExtension, certificate: Certificate, options: AnnotateOptions): Shown | undefined {
  const { basicConstraints, keyUsage, extendedKeyUsage, subjectAltName, subjectKeyIdentifier, authorityKeyIdentifier } =
    certificate.extensions;
  switch (oid) {
    case EXTENSION.basicConstraints:
      return basicConstraints && { value: basicConstraints.ca ? `CA${pathLength(basicConstraints.pathLength)}` : 'not a CA' };
    case EXTENSION.keyUsage:
      return keyUsage && { value: keyUsage.join(', ') };
    case EXTENSION.extendedKeyUsage:
      return extendedKeyUsage && { value: extendedKeyUsage.map(oidName).join(', ') };
    case EXTENSION.subjectAltName:
      return subjectAltName && { value: subjectAltName.map(showGeneralName).join('; ') };
    case EXTENSION.subjectKeyIdentifier:
      return subjectKeyIdentifier && { value: toHex(subjectKeyIdentifier) };
    case EXTENSION.authorityKeyIdentifier:
      return authorityKeyIdentifier && { value: toHex(authorityKeyIdentifier) };
    case ATTESTATION_EXTENSION.aaguid: {
      const aaguid = formatAaguid(aaguidExtension(certificate)?.aaguid ?? new Uint8Array());
      return { value: aaguid, note: aaguidNote(aaguid, options) };
    }
    case ATTESTATION_EXTENSION.transports:
      return { value: transportsExtension(certificate)?.join(', ') ?? '' };
    case ATTESTATION_EXTENSION.firmwareVersion:
      return { value: String(firmwareVersionExtension(certificate)) };
    case ATTESTATION_EXTENSION.appleNonce:
      return { value: shortHex(appleNonceExtension(certificate) ?? value), note: 'SHA-256 of authenticator data and client data hash' };
    case ATTESTATION_EXTENSION.androidKeyDescription:
      return { children: androidNodes(certificate) };
    default:
      return undefined;
  }
}

function pathLength(length: number | undefined): string {
  return length === undefined ? '' : `, at most ${count(length, 'CA')} below it`;
}

function showGeneralName(name: GeneralName): string {
  switch (name.kind) {
    case 'directory':
      return showName(name.name);
    case 'other':
      return 'another kind of name';
    default:
      return name.text;
  }
}

function androidNodes(certificate: Certificate): AnnotatedNode[] {
  const description = keyDescription(certificate);
  if (description === undefined) {
    return [];
  }
  const level = (number: number) => SECURITY_LEVELS[number] ?? `unknown level ${number}`;
  return [
    { label: 'attestationVersion', value: String(description.attestationVersion), note: level(description.attestationSecurityLevel) },
    { label: 'keyMintVersion', value: String(description.keyMintVersion), note: level(description.keyMintSecurityLevel) },
    { label: 'attestationChallenge', value: shortHex(description.attestationChallenge), note: 'must be the client data hash' },
    { label: 'uniqueId', value: shortHex(description.uniqueId) || 'none' },
    listNode('softwareEnforced', description.softwareEnforced),
    listNode('teeEnforced', description.teeEnforced),
  ];
}

function listNode(label: string, { purpose, origin, allApplications, tags }: AuthorizationList): AnnotatedNode {
  const members = [
    ...(purpose === undefined ? [] : [`purpose ${purpose.map((number) => KEY_PURPOSES[number] ?? number).join(' and ')}`]),
    ...(origin === undefined ? [] : [`origin ${KEY_ORIGINS[origin] ?? origin}`]),
    ...(allApplications ? ['allApplications'] : []),
  ];
  return { label, value: members.join(', ') || 'neither purpose nor origin', note: `tags ${tags.join(', ') || 'none'}` };
}
