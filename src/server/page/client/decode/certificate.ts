import { formatAaguid } from '../../../../webauthn/aaguid.js';
import { toHex } from '../../../../webauthn/bytes.js';
import type { DerElement } from './der.js';
import { readElement, readElements, readOid, TAG } from './der.js';
import type { Field } from './tree.js';
import { bytesField } from './tree.js';

/** Only names that occur in attestation certificates; any other object identifier is shown as it is. */
const NAMES: Readonly<Record<string, string>> = {
  '2.5.4.3': 'CN',
  '2.5.4.5': 'serialNumber',
  '2.5.4.6': 'C',
  '2.5.4.7': 'L',
  '2.5.4.8': 'ST',
  '2.5.4.10': 'O',
  '2.5.4.11': 'OU',
  '1.2.840.113549.1.9.1': 'emailAddress',
  '1.2.840.10045.2.1': 'EC',
  '1.2.840.10045.3.1.7': 'P-256',
  '1.3.132.0.34': 'P-384',
  '1.3.132.0.35': 'P-521',
  '1.2.840.113549.1.1.1': 'RSA',
  '1.2.840.113549.1.1.5': 'RSA with SHA-1',
  '1.2.840.113549.1.1.11': 'RSA with SHA-256',
  '1.2.840.10045.4.3.2': 'ECDSA with SHA-256',
  '1.2.840.10045.4.3.3': 'ECDSA with SHA-384',
  '1.2.840.10045.4.3.4': 'ECDSA with SHA-512',
  '1.3.101.112': 'Ed25519',
  '2.5.29.14': 'subject key identifier',
  '2.5.29.15': 'key usage',
  '2.5.29.17': 'subject alternative name',
  '2.5.29.19': 'basic constraints',
  '2.5.29.31': 'CRL distribution points',
  '2.5.29.35': 'authority key identifier',
  '2.5.29.37': 'extended key usage',
  '1.3.6.1.4.1.45724.1.1.4': 'FIDO AAGUID (id-fido-gen-ce-aaguid)',
  '1.3.6.1.4.1.45724.2.1.1': 'FIDO U2F transports',
  '1.3.6.1.4.1.11129.2.1.17': 'Android key attestation',
  '1.2.840.113635.100.8.2': 'Apple anonymous attestation',
};
const AAGUID_EXTENSION = '1.3.6.1.4.1.45724.1.1.4';
const BASIC_CONSTRAINTS = '2.5.29.19';

/**
 * An X.509 certificate (RFC 5280 §4.1), as far as a reader of an attestation wants to see it. Nothing is verified here.
 *
 * @throws RangeError when it is no DER.
 */
export function certificateField(name: string, der: Uint8Array): Field {
  const [tbs, algorithm] = readElements(readElement(der).element.content);
  const parts = tbs === undefined ? [] : readElements(tbs.content);
  // version is [0] EXPLICIT and absent in version 1.
  const [serial, , issuer, validity, subject, publicKey, ...rest] = parts[0]?.tag === 0xa0 ? parts.slice(1) : parts;
  const extensions = rest.find((part) => part.tag === 0xa3);
  const [notBefore, notAfter] = validity === undefined ? [] : readElements(validity.content);
  return {
    name,
    value: subject === undefined ? undefined : distinguishedName(subject),
    note: `X.509, ${der.length} bytes`,
    children: [
      { name: 'subject', value: subject === undefined ? '' : distinguishedName(subject) },
      { name: 'issuer', value: issuer === undefined ? '' : distinguishedName(issuer) },
      { name: 'valid', value: `${time(notBefore)} to ${time(notAfter)}` },
      { name: 'serial number', value: serial === undefined ? '' : toHex(serial.content) },
      { name: 'public key', value: publicKey === undefined ? '' : algorithmName(readElements(publicKey.content)[0]) },
      { name: 'signed with', value: algorithmName(algorithm) },
      ...(extensions === undefined ? [] : [{ name: 'extensions', children: extensionFields(extensions) }]),
    ],
  };
}

function distinguishedName(element: DerElement): string {
  return readElements(element.content)
    .flatMap((set) => readElements(set.content))
    .map((attribute) => {
      const [type, value] = readElements(attribute.content);
      return `${nameOf(type)}=${value === undefined ? '' : new TextDecoder().decode(value.content)}`;
    })
    .join(', ');
}

/** UTCTime has two digits for the year, GeneralizedTime four (RFC 5280 §4.1.2.5). */
function time(element: DerElement | undefined): string {
  const text = new TextDecoder().decode(element?.content ?? new Uint8Array());
  const digits = element?.tag === 0x17 ? `${Number(text.slice(0, 2)) < 50 ? '20' : '19'}${text}` : text;
  return digits.replace(/^(\d{4})(\d\d)(\d\d).*$/, '$1-$2-$3');
}

function algorithmName(element: DerElement | undefined): string {
  const [type, parameter] = element === undefined ? [] : readElements(element.content);
  return parameter?.tag === TAG.oid ? `${nameOf(type)} ${nameOf(parameter)}` : nameOf(type);
}

function nameOf(element: DerElement | undefined): string {
  const oid = element?.tag === TAG.oid ? readOid(element.content) : '';
  return NAMES[oid] ?? oid;
}

function extensionFields(element: DerElement): Field[] {
  const [list] = readElements(element.content);
  return readElements(list?.content ?? new Uint8Array()).map((extension) => {
    const parts = readElements(extension.content);
    const oid = parts[0] === undefined ? '' : readOid(parts[0].content);
    const value = parts.find((part) => part.tag === TAG.octetString)?.content ?? new Uint8Array();
    const critical = parts.some((part) => part.tag === TAG.boolean) ? 'critical' : undefined;
    const name = NAMES[oid] ?? oid;
    if (oid === AAGUID_EXTENSION) {
      return { name, value: formatAaguid(readElement(value).element.content), note: critical };
    }
    if (oid === BASIC_CONSTRAINTS) {
      const ca = readElements(readElement(value).element.content).some((part) => part.tag === TAG.boolean && part.content[0] !== 0);
      return { name, value: ca ? 'CA' : 'not a CA', note: critical };
    }
    return bytesField(name, value, critical === undefined ? {} : { note: `critical, ${value.length} bytes` });
  });
}
