import { type KeyObject, X509Certificate } from 'node:crypto';
import { children, type Der, onlyDer, toNumber, toOid } from './der.js';

export interface CertificateExtension {
  readonly critical: boolean;
  /** The content of its OCTET STRING. */
  readonly value: Buffer;
}

/** What §8 asks of certificates and node:crypto does not tell. */
export interface Certificate {
  readonly x509: X509Certificate;
  readonly publicKey: KeyObject;
  /** 1, 2 or 3. */
  readonly version: number;
  /** Attributes of the subject by their OIDs. */
  readonly subject: ReadonlyMap<string, string>;
  readonly extensions: ReadonlyMap<string, CertificateExtension>;
  readonly notBefore: number;
  readonly notAfter: number;
  /** Absent where there are no basic constraints. */
  readonly basicConstraints?: { readonly ca: boolean; readonly pathLength: number };
}

export const OID = {
  country: '2.5.4.6',
  organization: '2.5.4.10',
  organizationalUnit: '2.5.4.11',
  commonName: '2.5.4.3',
  keyUsage: '2.5.29.15',
  subjectAlternativeName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  extendedKeyUsage: '2.5.29.37',
  aaguid: '1.3.6.1.4.1.45724.1.1.4',
  androidKeyDescription: '1.3.6.1.4.1.11129.2.1.17',
  appleNonce: '1.2.840.113635.100.8.2',
  tpmManufacturer: '2.23.133.2.1',
  tpmModel: '2.23.133.2.2',
  tpmVersion: '2.23.133.2.3',
  tpmAikCertificate: '2.23.133.8.3',
} as const;

/** @throws Error for what is no certificate. */
export function readCertificate(der: Uint8Array): Certificate {
  const x509 = new X509Certificate(der);
  const [tbs] = children(onlyDer(der));
  const fields = tbs === undefined ? [] : children(tbs);
  const tagged = (tag: number) => fields.find((field) => field.tagClass === 2 && field.tag === tag);
  const version = tagged(0);
  // serialNumber, signature, issuer, validity, subject, subjectPublicKeyInfo
  const subject = fields.filter((field) => field.tagClass === 0)[4];
  const extensions = new Map(
    children(children(tagged(3) ?? { content: Buffer.alloc(0) })[0] ?? { content: Buffer.alloc(0) }).map(readExtension),
  );
  const constraints = extensions.get(OID.basicConstraints);
  return {
    x509,
    publicKey: x509.publicKey,
    version: version === undefined ? 1 : toNumber(onlyDer(version.content)) + 1,
    subject: subject === undefined ? new Map() : readName(subject),
    extensions,
    notBefore: Date.parse(x509.validFrom),
    notAfter: Date.parse(x509.validTo),
    ...(constraints && { basicConstraints: readBasicConstraints(constraints.value) }),
  };
}

function readExtension(extension: Der): [string, CertificateExtension] {
  const [oid, ...others] = children(extension);
  const value = others.at(-1);
  if (oid === undefined || value === undefined) throw new Error('a certificate with an unfit extension');
  return [toOid(oid), { critical: others.length > 1 && others[0]?.content[0] !== 0, value: value.content }];
}

/** A Name: a SEQUENCE of SETs of pairs. */
export function readName(name: Der): ReadonlyMap<string, string> {
  const pairs = children(name).flatMap(children).map(children);
  return new Map(pairs.map(([oid, value]) => [oid === undefined ? '' : toOid(oid), value?.content.toString('utf8') ?? '']));
}

function readBasicConstraints(value: Buffer): { ca: boolean; pathLength: number } {
  const fields = children(onlyDer(value));
  const pathLength = fields.find(({ tag }) => tag === 2);
  return {
    ca: fields.some(({ tag, content }) => tag === 1 && content[0] !== 0),
    pathLength: pathLength === undefined ? Number.POSITIVE_INFINITY : toNumber(pathLength),
  };
}

/** keyCertSign is bit 5; without the extension a key may be used for anything. */
export function maySignCertificates({ extensions }: Certificate): boolean {
  const usage = extensions.get(OID.keyUsage);
  return usage === undefined || ((onlyDer(usage.value).content[1] ?? 0) & 0x04) !== 0;
}
