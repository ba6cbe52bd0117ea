import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import {
  type CertificateToWrite,
  type ExtensionToWrite,
  type Name,
  WRITE_EXTENSION,
  writeName,
  writeCertificate as writeSigned,
} from '../../src/webauthn/certificate-writer.js';
import { bitString, context, objectIdentifier, sequence } from '../../src/webauthn/der-writer.js';
import { NAME_ATTRIBUTE } from '../../src/webauthn/distinguished-name.js';

/** Writes X.509 certificates for tests, right ones and wrong ones, with keys of Node. */

export type { Name };
export type Extension = ExtensionToWrite;

export interface CertificateFields extends Omit<CertificateToWrite, 'signatureAlgorithm' | 'publicKey'> {
  readonly publicKey: KeyObject;
  readonly signingKey: KeyObject;
}

export const OID = { cn: NAME_ATTRIBUTE.CN, c: NAME_ATTRIBUTE.C, o: NAME_ATTRIBUTE.O, ou: NAME_ATTRIBUTE.OU } as const;

const SIGNATURES: Readonly<Record<string, readonly [oid: string, digest: string | null]>> = {
  ec: ['1.2.840.10045.4.3.2', 'sha256'],
  rsa: ['1.2.840.113549.1.1.11', 'sha256'],
  ed25519: ['1.3.101.112', null],
};

export function writeCertificate({ publicKey, signingKey, ...fields }: CertificateFields): Uint8Array {
  const [oid, digest] = SIGNATURES[signingKey.asymmetricKeyType ?? ''] ?? ['', null];
  const signatureAlgorithm = sequence(objectIdentifier(oid));
  const spki = new Uint8Array(publicKey.export({ format: 'der', type: 'spki' }));
  return writeSigned({ ...fields, signatureAlgorithm, publicKey: spki }, (tbs) => sign(digest, tbs, signingKey));
}

export const EXTENSIONS = {
  ...WRITE_EXTENSION,
  /** Bits as a byte, also such as no certificate should have. */
  keyUsage: (bits: number): Extension => ({ oid: '2.5.29.15', critical: true, value: bitString(Uint8Array.of(bits)) }),
  /** A directory name whose attributes stand in one relative distinguished name each. */
  directoryName: (name: Name, critical = true): Extension => WRITE_EXTENSION.subjectAltName(critical, context(4, writeName(name))),
} as const;

/** Key usage bits. */
export const USAGE = { digitalSignature: 0x80, keyCertSign: 0x04 } as const;

export interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export function ecKeyPair(namedCurve = 'P-256'): KeyPair {
  return generateKeyPairSync('ec', { namedCurve });
}
