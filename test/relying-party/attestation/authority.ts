import { decodeCertificate } from '../../../src/webauthn/certificate.js';
import { printableString, utf8String } from '../../../src/webauthn/der-writer.js';
import {
  type CertificateFields,
  EXTENSIONS,
  ecKeyPair,
  type KeyPair,
  type Name,
  OID,
  USAGE,
  writeCertificate,
} from '../../webauthn/certificate-writer.js';

/** A root, an intermediate of it, and attestation certificates issued by that one. */

/** When the tests verify. */
export const AT = Date.UTC(2026, 0, 15);
export const YEAR = 365 * 86_400_000;

export const ROOT_NAME: Name = [[OID.cn, utf8String('Test root')]];
export const CA_NAME: Name = [[OID.cn, utf8String('Test CA 1')]];

export const rootKey: KeyPair = ecKeyPair();
export const caKey: KeyPair = ecKeyPair('P-384');

const validity = { notBefore: AT - YEAR, notAfter: AT + YEAR };
const authority = [EXTENSIONS.basicConstraints(true), EXTENSIONS.keyUsage(USAGE.keyCertSign)];

export function rootCertificate(change: Partial<CertificateFields> = {}): Uint8Array {
  return writeCertificate({
    version: 3,
    serialNumber: 1n,
    issuer: ROOT_NAME,
    subject: ROOT_NAME,
    ...validity,
    publicKey: rootKey.publicKey,
    extensions: authority,
    signingKey: rootKey.privateKey,
    ...change,
  });
}

export function caCertificate(change: Partial<CertificateFields> = {}): Uint8Array {
  return writeCertificate({
    version: 3,
    serialNumber: 2n,
    issuer: ROOT_NAME,
    subject: CA_NAME,
    ...validity,
    publicKey: caKey.publicKey,
    extensions: authority,
    signingKey: rootKey.privateKey,
    ...change,
  });
}

export type LeafFields = Pick<CertificateFields, 'publicKey' | 'extensions'> & Partial<CertificateFields>;

/** The subject of a packed attestation certificate (§8.2.1). */
export const MODEL_NAME: Name = [
  [OID.c, printableString('SE')],
  [OID.o, utf8String('Example AB')],
  [OID.ou, utf8String('Authenticator Attestation')],
  [OID.cn, utf8String('Example key')],
];

export function leafCertificate(fields: LeafFields): Uint8Array {
  const leaf = { version: 3, serialNumber: 3n, issuer: CA_NAME, subject: MODEL_NAME, ...validity, signingKey: caKey.privateKey };
  return writeCertificate({ ...leaf, ...fields });
}

export const ROOT = decodeCertificate(rootCertificate());
export const CA = decodeCertificate(caCertificate());
