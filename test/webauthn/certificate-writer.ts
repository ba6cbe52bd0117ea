import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { bitString, boolean, context, integer, objectIdentifier, octetString, sequence, set, time } from './der-writer.js';

/** Writes X.509 certificates for tests, right ones and wrong ones. */

/** OID, and the DER of the value. */
export type Attribute = readonly [oid: string, value: Uint8Array];
/** One attribute a relative distinguished name. */
export type Name = readonly Attribute[];

export interface Extension {
  readonly oid: string;
  readonly critical?: boolean;
  /** DER. */
  readonly value: Uint8Array;
}

export interface CertificateFields {
  /** 1 to 3; the others are for what a reader must refuse. */
  readonly version: number;
  readonly serialNumber: bigint;
  readonly issuer: Name;
  readonly subject: Name;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Extension[];
  readonly signingKey: KeyObject;
}

export const OID = { cn: '2.5.4.3', c: '2.5.4.6', o: '2.5.4.10', ou: '2.5.4.11' } as const;

const SIGNATURES: Readonly<Record<string, readonly [oid: string, digest: string | null]>> = {
  ec: ['1.2.840.10045.4.3.2', 'sha256'],
  rsa: ['1.2.840.113549.1.1.11', 'sha256'],
  ed25519: ['1.3.101.112', null],
};

export function writeName(name: Name): Uint8Array {
  return sequence(...name.map(([oid, value]) => set(sequence(objectIdentifier(oid), value))));
}

export function writeCertificate(fields: CertificateFields): Uint8Array {
  const { version, extensions, signingKey } = fields;
  const [oid, digest] = SIGNATURES[signingKey.asymmetricKeyType ?? ''] ?? ['', null];
  const algorithm = sequence(objectIdentifier(oid));
  const tbs = sequence(
    ...(version === 1 ? [] : [context(0, integer(version - 1))]),
    integer(fields.serialNumber),
    algorithm,
    writeName(fields.issuer),
    sequence(time(fields.notBefore), time(fields.notAfter)),
    writeName(fields.subject),
    new Uint8Array(fields.publicKey.export({ format: 'der', type: 'spki' })),
    ...(extensions.length === 0 ? [] : [context(3, sequence(...extensions.map(writeExtension)))]),
  );
  return sequence(tbs, algorithm, bitString(sign(digest, tbs, signingKey)));
}

function writeExtension({ oid, critical = false, value }: Extension): Uint8Array {
  return sequence(objectIdentifier(oid), ...(critical ? [boolean(true)] : []), octetString(value));
}

export const EXTENSIONS = {
  basicConstraints: (ca: boolean, pathLength?: number): Extension => ({
    oid: '2.5.29.19',
    critical: true,
    value: sequence(...(ca ? [boolean(true)] : []), ...(pathLength === undefined ? [] : [integer(pathLength)])),
  }),
  keyUsage: (bits: number): Extension => ({ oid: '2.5.29.15', critical: true, value: bitString(Uint8Array.of(bits)) }),
  extendedKeyUsage: (...oids: readonly string[]): Extension => ({ oid: '2.5.29.37', value: sequence(...oids.map(objectIdentifier)) }),
  aaguid: (aaguid: Uint8Array, critical = false): Extension => ({
    oid: '1.3.6.1.4.1.45724.1.1.4',
    critical,
    value: octetString(aaguid),
  }),
  /** A directory name whose attributes stand in one relative distinguished name each. */
  directoryName: (name: Name, critical = true): Extension => ({
    oid: '2.5.29.17',
    critical,
    value: sequence(context(4, writeName(name))),
  }),
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
