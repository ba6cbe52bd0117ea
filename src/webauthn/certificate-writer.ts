import { encodeUtf8 } from '../kernel/bytes.js';
import { ATTESTATION_EXTENSION } from './attestation-extensions.js';
import { EXTENSION, KEY_USAGES } from './certificate-extensions.js';
import {
  bitString,
  boolean,
  context,
  contextPrimitive,
  integer,
  objectIdentifier,
  octetString,
  printableString,
  sequence,
  set,
  time,
  utf8String,
} from './der-writer.js';
import { NAME_ATTRIBUTE } from './distinguished-name.js';

/** Writes X.509 certificates (RFC 5280 §4). The caller signs them. */

/** One attribute of a distinguished name: its OID, and its value in DER. */
export type Attribute = readonly [oid: string, value: Uint8Array];
/** A distinguished name. Each attribute becomes a relative distinguished name of its own. */
export type Name = readonly Attribute[];

export interface ExtensionToWrite {
  readonly oid: string;
  readonly critical?: boolean;
  /** Value of the extension in DER. */
  readonly value: Uint8Array;
}

export interface CertificateToWrite {
  /** Version of the certificate; default: 3. Use other values only to test a reader. */
  readonly version?: number;
  readonly serialNumber: bigint;
  /** AlgorithmIdentifier of the signature in DER. */
  readonly signatureAlgorithm: Uint8Array;
  readonly issuer: Name;
  /** Start of the validity period, in milliseconds since the epoch. */
  readonly notBefore: number;
  /** End of the validity period, in milliseconds since the epoch. */
  readonly notAfter: number;
  readonly subject: Name;
  /** Certified key as SubjectPublicKeyInfo in DER. */
  readonly publicKey: Uint8Array;
  readonly extensions: readonly ExtensionToWrite[];
}

/**
 * Writes a certificate.
 *
 * @param sign signs the tbsCertificate with the issuer's key.
 */
export function writeCertificate(fields: CertificateToWrite, sign: (tbs: Uint8Array) => Uint8Array): Uint8Array {
  const { version = 3, extensions, signatureAlgorithm } = fields;
  const tbs = sequence(
    ...(version === 1 ? [] : [context(0, integer(version - 1))]),
    integer(fields.serialNumber),
    signatureAlgorithm,
    writeName(fields.issuer),
    sequence(time(fields.notBefore), time(fields.notAfter)),
    writeName(fields.subject),
    fields.publicKey,
    ...(extensions.length === 0 ? [] : [context(3, sequence(...extensions.map(writeExtension)))]),
  );
  return sequence(tbs, signatureAlgorithm, bitString(sign(tbs)));
}

export function writeName(name: Name): Uint8Array {
  return sequence(...name.map(([oid, value]) => set(sequence(objectIdentifier(oid), value))));
}

function writeExtension({ oid, critical = false, value }: ExtensionToWrite): Uint8Array {
  return sequence(objectIdentifier(oid), ...(critical ? [boolean(true)] : []), octetString(value));
}

/** Country attribute of a name. RFC 5280 appendix A.1 requires a PrintableString. */
export const country = (code: string): Attribute => [NAME_ATTRIBUTE.C, printableString(code)];
export const named = (attribute: Exclude<keyof typeof NAME_ATTRIBUTE, 'C'>, text: string): Attribute => [
  NAME_ATTRIBUTE[attribute],
  utf8String(text),
];

/** Writes a directory name (RFC 5280 §4.2.1.6) with all attributes in one relative distinguished name, as TPM vendors do. */
export function directoryName(...attributes: readonly Attribute[]): Uint8Array {
  return context(4, sequence(set(...attributes.map(([oid, value]) => sequence(objectIdentifier(oid), value)))));
}

type KeyUsage = (typeof KEY_USAGES)[number];

/** Writes the set bits of a named bit list, without the unused bits at its end (X.690 §11.2.2). */
function namedBits(bits: readonly number[]): Uint8Array {
  const last = Math.max(0, ...bits);
  const bytes = new Uint8Array((last >> 3) + 1);
  for (const bit of bits) bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
  return bitString(bytes, 7 - (last & 7));
}

/** Writers of the extensions of RFC 5280 §4.2.1 and of FIDO's extensions. */
export const WRITE_EXTENSION = {
  basicConstraints: (ca: boolean, pathLength?: number): ExtensionToWrite => ({
    oid: EXTENSION.basicConstraints,
    critical: true,
    value: sequence(...(ca ? [boolean(true)] : []), ...(pathLength === undefined ? [] : [integer(pathLength)])),
  }),
  keyUsage: (...usages: readonly [KeyUsage, ...KeyUsage[]]): ExtensionToWrite => ({
    oid: EXTENSION.keyUsage,
    critical: true,
    value: namedBits(usages.map((usage) => KEY_USAGES.indexOf(usage))),
  }),
  extendedKeyUsage: (...purposes: readonly string[]): ExtensionToWrite => ({
    oid: EXTENSION.extendedKeyUsage,
    value: sequence(...purposes.map(objectIdentifier)),
  }),
  /** Subject alternative names. The extension must be critical if the subject is empty. */
  subjectAltName: (critical: boolean, ...names: readonly Uint8Array[]): ExtensionToWrite => ({
    oid: EXTENSION.subjectAltName,
    critical,
    value: sequence(...names),
  }),
  dnsName: (text: string): ExtensionToWrite => WRITE_EXTENSION.subjectAltName(false, contextPrimitive(2, encodeUtf8(text))),
  subjectKeyIdentifier: (identifier: Uint8Array): ExtensionToWrite => ({
    oid: EXTENSION.subjectKeyIdentifier,
    value: octetString(identifier),
  }),
  authorityKeyIdentifier: (identifier: Uint8Array): ExtensionToWrite => ({
    oid: EXTENSION.authorityKeyIdentifier,
    value: sequence(contextPrimitive(0, identifier)),
  }),
  aaguid: (aaguid: Uint8Array, critical = false): ExtensionToWrite => ({
    oid: ATTESTATION_EXTENSION.aaguid,
    critical,
    value: octetString(aaguid),
  }),
  /** id-fido-gen-ce-sernum (§8.2.2): the serial number of the device. */
  deviceSerialNumber: (serialNumber: Uint8Array): ExtensionToWrite => ({
    oid: ATTESTATION_EXTENSION.serialNumber,
    value: octetString(serialNumber),
  }),
} as const;
