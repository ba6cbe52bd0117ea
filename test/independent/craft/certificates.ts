import {
  country,
  type ExtensionToWrite,
  type Name,
  named,
  WRITE_EXTENSION,
  writeCertificate,
} from '../../../src/webauthn/certificate-writer.js';
import { objectIdentifier, sequence } from '../../../src/webauthn/der-writer.js';
import { ec, type Pair, signBy, spki } from './keys.js';

/** When all of this happens. */
export const NOW = Date.UTC(2026, 0, 15, 12);
const YEAR = 365 * 86_400_000;
const ECDSA_WITH_SHA256 = sequence(objectIdentifier('1.2.840.10045.4.3.2'));

/** A certificate with its private key. */
export interface Issued {
  readonly der: Uint8Array;
  readonly pair: Pair;
  readonly name: Name;
}

export interface CertificateChange {
  readonly issuer?: Issued;
  /** Who signs, if not the issuer. */
  readonly signer?: Pair;
  readonly pair?: Pair;
  readonly subject?: Name;
  readonly version?: number;
  readonly extensions?: readonly ExtensionToWrite[];
  readonly notBefore?: number;
  readonly notAfter?: number;
}

export const SUBJECT: Name = [
  country('SE'),
  named('O', 'Crafted'),
  named('OU', 'Authenticator Attestation'),
  named('CN', 'Crafted authenticator'),
];

export const CA = [WRITE_EXTENSION.basicConstraints(true), WRITE_EXTENSION.keyUsage('keyCertSign')];
export const LEAF = [WRITE_EXTENSION.basicConstraints(false)];

let serial = 1n;

export function issue(change: CertificateChange = {}): Issued {
  const { issuer = ROOT, pair = ec(), subject = SUBJECT, version = 3, extensions = LEAF } = change;
  const fields = {
    version,
    serialNumber: serial++,
    signatureAlgorithm: ECDSA_WITH_SHA256,
    issuer: issuer.name,
    notBefore: change.notBefore ?? NOW - YEAR,
    notAfter: change.notAfter ?? NOW + YEAR,
    subject,
    publicKey: spki(pair),
    extensions: version === 1 ? [] : extensions,
  };
  return { der: writeCertificate(fields, (tbs) => signBy(change.signer ?? issuer.pair, tbs)), pair, name: subject };
}

export function selfSigned(commonName: string, extensions: readonly ExtensionToWrite[] = CA): Issued {
  const pair = ec();
  const name = [named('CN', commonName)];
  return issue({ issuer: { der: new Uint8Array(), pair, name }, pair, subject: name, extensions });
}

/** The one that the parties trust. */
export const ROOT: Issued = selfSigned('Crafted root');

export const intermediate = (change: CertificateChange = {}): Issued =>
  issue({ subject: [named('CN', 'Crafted intermediate')], extensions: CA, ...change });
