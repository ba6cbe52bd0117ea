import { sign } from 'node:crypto';
import { PasskeyError } from '../../../src/errors.js';
import { encodeUtf8 } from '../../../src/kernel/bytes.js';
import { encodeBase64, encodeBase64url } from '../../../src/webauthn/base64url.js';
import { type Certificate, decodeCertificate } from '../../../src/webauthn/certificate.js';
import { utf8String } from '../../../src/webauthn/der-writer.js';
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

/** Writes metadata BLOBs as the FIDO Alliance does, with a root of its own. */

const DAY = 86_400_000;
const named = (name: string): Name => [[OID.cn, utf8String(name)]];

export interface BlobAuthority {
  readonly root: Certificate;
  readonly signer: Certificate;
  readonly signerKey: KeyPair;
}

/** A root, and a signer that it has issued, valid from the day before `at` on for a year. */
export function blobAuthority(at: number, change: Partial<CertificateFields> = {}): BlobAuthority {
  const [rootKey, signerKey] = [ecKeyPair(), ecKeyPair()];
  const common = { version: 3, notBefore: at - DAY, notAfter: at + 365 * DAY, issuer: named('BLOB root'), signingKey: rootKey.privateKey };
  const root = writeCertificate({
    ...common,
    serialNumber: 1n,
    subject: named('BLOB root'),
    publicKey: rootKey.publicKey,
    extensions: [EXTENSIONS.basicConstraints(true), EXTENSIONS.keyUsage(USAGE.keyCertSign)],
  });
  const signer = writeCertificate({
    ...common,
    serialNumber: 2n,
    subject: named('mds.fidoalliance.org'),
    publicKey: signerKey.publicKey,
    extensions: [EXTENSIONS.basicConstraints(false), EXTENSIONS.keyUsage(USAGE.digitalSignature)],
    ...change,
  });
  return { root: decodeCertificate(root), signer: decodeCertificate(signer), signerKey };
}

const encodeJson = (value: unknown) => encodeBase64url(encodeUtf8(JSON.stringify(value)));

/** A JWT in compact serialization; `header` replaces members of the right one. */
export function writeBlob({ signer, signerKey }: BlobAuthority, payload: unknown, header: Readonly<Record<string, unknown>> = {}): string {
  const input = `${encodeJson({ alg: 'ES256', typ: 'JWT', x5c: [encodeBase64(signer.bytes)], ...header })}.${encodeJson(payload)}`;
  const signature = sign('sha256', encodeUtf8(input), { key: signerKey.privateKey, dsaEncoding: 'ieee-p1363' });
  return `${input}.${encodeBase64url(new Uint8Array(signature))}`;
}

export function blobPayload(nextUpdate: number, entries: readonly unknown[]) {
  return { legalHeader: 'For tests only.', no: 7, nextUpdate: new Date(nextUpdate).toISOString().slice(0, 10), entries };
}

/** The error with which metadata are refused. */
export function readRefusal(make: () => unknown): PasskeyError {
  try {
    make();
  } catch (error) {
    if (error instanceof PasskeyError) return error;
    throw error;
  }
  throw new Error('expected it to be refused');
}
