import { type Certificate, decodeCertificate, type SubjectPublicKey } from '../../webauthn/certificate.js';
import { contents, type DerElement, decodeDer, children as elementsOf, isContext, isUniversal, TAG } from '../../webauthn/der.js';
import { showName } from '../../webauthn/distinguished-name.js';
import { extensionNode } from './certificate-extension.js';
import { type AnnotatedNode, type AnnotateOptions, bytesNode, plural } from './node.js';
import { oidName } from './object-identifiers.js';

/**
 * An X.509 certificate (RFC 5280 §4.1) from `start` to `end` of `bytes`. Nothing of it is verified here.
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
    note: `X.509, ${plural(der.length, 'byte')}${selfIssued ? ', self-issued' : ''}`,
    children: [
      node('version', version, { value: String(certificate.version) }),
      node('serialNumber', serial, { value: certificate.serialNumber }),
      node('issuer', issuer, { value: showName(certificate.issuer) }),
      node('notBefore', notBefore, { value: showTime(certificate.notBefore) }),
      node('notAfter', notAfter, { value: showTime(certificate.notAfter) }),
      node('subject', subject, { value: showName(certificate.subject) }),
      node('publicKey', publicKey, { value: keyName(certificate.publicKey), note: plural(certificate.publicKey.key.length, 'byte') }),
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
    note: plural(entries.length, 'extension'),
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

function showTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('.000Z', 'Z');
}
