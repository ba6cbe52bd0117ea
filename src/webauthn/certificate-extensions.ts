import { contents, type DerElement, DerSyntaxError, decodeDer, inner, isContext, isUniversal, octets, sequence, TAG } from './der.js';
import { bitString, boolean, characterString, objectIdentifier, smallInteger } from './der-values.js';
import { type DistinguishedName, readName } from './distinguished-name.js';

/** One extension of a certificate, with its value as undecoded DER. */
export interface CertificateExtension {
  readonly oid: string;
  readonly critical: boolean;
  readonly value: Uint8Array;
}

/** GeneralName (RFC 5280 §4.2.1.6), limited to the kinds that attestation certificates use. */
export type GeneralName =
  | { readonly kind: 'directory'; readonly name: DistinguishedName }
  | { readonly kind: 'dns' | 'uri' | 'email'; readonly text: string }
  | { readonly kind: 'other' };

/** Extensions of a certificate. The standard ones are decoded; `all` has every extension undecoded. */
export interface CertificateExtensions {
  readonly all: readonly CertificateExtension[];
  /** Basic constraints of the certificate (RFC 5280 §4.2.1.9). */
  readonly basicConstraints?: { readonly ca: boolean; readonly pathLength: number | undefined };
  /** Names of the key usage bits that are set, e.g. `keyCertSign` (RFC 5280 §4.2.1.3). */
  readonly keyUsage?: readonly string[];
  /** OIDs of the extended key usages (RFC 5280 §4.2.1.12). */
  readonly extendedKeyUsage?: readonly string[];
  readonly subjectAltName?: readonly GeneralName[];
  readonly subjectKeyIdentifier?: Uint8Array;
  /** The keyIdentifier in the authority key identifier extension, if any. */
  readonly authorityKeyIdentifier?: Uint8Array;
}

export const EXTENSION = {
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
} as const;

/**
 * OID in the extended key usage that marks a certificate of a TPM attestation key: tcg-kp-AIKCertificate (TCG EK Credential Profile
 * §3.2.9).
 */
export const TPM_AIK_PURPOSE = '2.23.133.8.3';

/** Names of the key usages, in the order of their bits. */
export const KEY_USAGES = [
  'digitalSignature',
  'nonRepudiation',
  'keyEncipherment',
  'dataEncipherment',
  'keyAgreement',
  'keyCertSign',
  'cRLSign',
  'encipherOnly',
  'decipherOnly',
] as const;

/**
 * Reads the extensions of a certificate.
 *
 * @throws DerSyntaxError if an extension cannot be decoded or occurs twice (RFC 5280 §4.2).
 */
export function readExtensions(element: DerElement | undefined): CertificateExtensions {
  const all = element === undefined ? [] : sequence(element, 'the extensions').map(readExtension);
  const byOid = new Map(all.map((extension) => [extension.oid, extension]));
  const decoded = <T>(oid: string, decode: (value: DerElement) => T): T | undefined => {
    const extension = byOid.get(oid);
    return extension === undefined ? undefined : inside(extension, element?.start ?? 0, decode);
  };
  // The map holds the last of an OID.
  const twice = all.find((extension) => byOid.get(extension.oid) !== extension);
  if (twice !== undefined) {
    throw new DerSyntaxError(element?.start ?? 0, `expected extension ${twice.oid} only once`);
  }
  const basicConstraints = decoded(EXTENSION.basicConstraints, readBasicConstraints);
  const keyUsage = decoded(EXTENSION.keyUsage, readKeyUsage);
  const extendedKeyUsage = decoded(EXTENSION.extendedKeyUsage, (value) =>
    sequence(value, 'extended key usage').map((oid) => objectIdentifier(oid, 'a key purpose')),
  );
  const subjectAltName = decoded(EXTENSION.subjectAltName, (value) => sequence(value, 'subject alternative name').map(readGeneralName));
  const subjectKeyIdentifier = decoded(EXTENSION.subjectKeyIdentifier, (value) => octets(value, 'a key identifier'));
  const authorityKeyIdentifier = decoded(EXTENSION.authorityKeyIdentifier, readAuthorityKeyIdentifier);
  return {
    all,
    ...(basicConstraints && { basicConstraints }),
    ...(keyUsage && { keyUsage }),
    ...(extendedKeyUsage && { extendedKeyUsage }),
    ...(subjectAltName && { subjectAltName }),
    ...(subjectKeyIdentifier && { subjectKeyIdentifier }),
    ...(authorityKeyIdentifier && { authorityKeyIdentifier }),
  };
}

export function findExtension({ all }: CertificateExtensions, oid: string): CertificateExtension | undefined {
  return all.find((extension) => extension.oid === oid);
}

function readExtension(element: DerElement): CertificateExtension {
  const fields = sequence(element, 'an extension');
  const oid = objectIdentifier(fields[0], 'the identifier of an extension', element);
  const critical = isUniversal(fields[1], TAG.boolean) ? boolean(fields[1]) : false;
  return { oid, critical, value: octets(fields.at(-1), `the value of extension ${oid}`, element) };
}

/**
 * Decodes the value of one certificate extension. Errors carry `at`, the offset of the extension list, because an offset inside the value
 * would be relative to the value, not to the certificate.
 */
function inside<T>({ oid, value }: CertificateExtension, at: number, decode: (value: DerElement) => T): T {
  try {
    return decode(decodeDer(value));
  } catch (error) {
    if (error instanceof DerSyntaxError) {
      throw new DerSyntaxError(at, `extension ${oid}, byte ${error.offset} of its value: ${error.detail}`);
    }
    throw error;
  }
}

function readBasicConstraints(value: DerElement): { ca: boolean; pathLength: number | undefined } {
  const fields = sequence(value, 'basic constraints');
  const ca = isUniversal(fields[0], TAG.boolean) ? boolean(fields[0]) : false;
  const length = fields.find((field) => isUniversal(field, TAG.integer));
  return { ca, pathLength: length === undefined ? undefined : smallInteger(length, 'the path length') };
}

function readKeyUsage(value: DerElement): string[] {
  const bits = bitString(value, 'key usage');
  return KEY_USAGES.filter((_, index) => ((bits[index >> 3] ?? 0) & (0x80 >> (index & 7))) !== 0);
}

function readGeneralName(element: DerElement): GeneralName {
  const text = () => characterString({ ...element, class: 'universal', tag: TAG.ia5String }).text;
  if (isContext(element, 4)) {
    return { kind: 'directory', name: readName(inner(element, 'a directory name'), 'a directory name') };
  }
  if (isContext(element, 1)) {
    return { kind: 'email', text: text() };
  }
  if (isContext(element, 2)) {
    return { kind: 'dns', text: text() };
  }
  return isContext(element, 6) ? { kind: 'uri', text: text() } : { kind: 'other' };
}

function readAuthorityKeyIdentifier(value: DerElement): Uint8Array | undefined {
  const identifier = sequence(value, 'authority key identifier').find((field) => isContext(field, 0));
  return identifier && contents(identifier);
}
