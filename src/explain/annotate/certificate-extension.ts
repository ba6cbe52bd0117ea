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
import { toHex } from '../../webauthn/bytes.js';
import type { Certificate } from '../../webauthn/certificate.js';
import { type CertificateExtension, EXTENSION, type GeneralName } from '../../webauthn/certificate-extensions.js';
import { showName } from '../../webauthn/distinguished-name.js';
import { count } from '../../webauthn/wording.js';
import { type AnnotatedNode, type AnnotateOptions, aaguidNote, readable, shortHex } from './node.js';
import { oidName } from './object-identifiers.js';

type Shown = Pick<AnnotatedNode, 'value' | 'note' | 'children'>;

/** One extension: by name, decoded where it is one of X.509, FIDO, Apple or Android. */
export function extensionNode(extension: CertificateExtension, certificate: Certificate, options: AnnotateOptions): AnnotatedNode {
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
