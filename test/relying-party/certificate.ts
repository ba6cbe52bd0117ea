import type { KeyObject } from 'node:crypto';
import { encodeUtf8 } from '../../src/kernel/bytes.js';
import { context, contextPrimitive, enumerated, integer, octetString, sequence, set, utf8String } from '../../src/webauthn/der-writer.js';
import { EXTENSIONS, type Extension, type Name, OID, writeCertificate } from '../webauthn/certificate-writer.js';

type Names = Readonly<Record<'C' | 'O' | 'OU' | 'CN', string>>;

/** An X.509 v3 certificate for tests of attestation and TLS. */
export interface CertificateFields {
  readonly subject: Names;
  readonly issuer: Names;
  readonly publicKey: KeyObject;
  /** The issuer's. */
  readonly privateKey: KeyObject;
  readonly ca: boolean;
  /** Seconds count, milliseconds do not. */
  readonly from: number;
  readonly to: number;
  readonly serial: number;
  /** Content of id-fido-gen-ce-aaguid, 16 bytes. */
  readonly aaguid?: Uint8Array;
  /** URL of a revocation list. */
  readonly crl?: string;
  /** attestationChallenge of an Android key description. */
  readonly androidChallenge?: Uint8Array;
}

const writeNames = ({ C, O, OU, CN }: Names): Name => [
  [OID.c, utf8String(C)],
  [OID.o, utf8String(O)],
  [OID.ou, utf8String(OU)],
  [OID.cn, utf8String(CN)],
];

const distributionPoint = (url: string): Extension => ({
  oid: '2.5.29.31',
  value: sequence(sequence(context(0, context(0, contextPrimitive(6, encodeUtf8(url)))))),
});

function keyDescription(challenge: Uint8Array): Extension {
  const head = [integer(3), enumerated(1), integer(3), enumerated(1), octetString(challenge), octetString(new Uint8Array())];
  // [1] purpose SET { sign }, [702] origin generated.
  const enforced = sequence(context(1, set(integer(2))), context(702, integer(0)));
  return { oid: '1.3.6.1.4.1.11129.2.1.17', value: sequence(...head, sequence(), enforced) };
}

export function makeCertificate(fields: CertificateFields): Uint8Array {
  return writeCertificate({
    serialNumber: BigInt(fields.serial),
    issuer: writeNames(fields.issuer),
    subject: writeNames(fields.subject),
    notBefore: fields.from,
    notAfter: fields.to,
    publicKey: fields.publicKey,
    signingKey: fields.privateKey,
    extensions: [
      EXTENSIONS.basicConstraints(fields.ca),
      ...(fields.aaguid ? [EXTENSIONS.aaguid(fields.aaguid)] : []),
      ...(fields.crl ? [distributionPoint(fields.crl)] : []),
      ...(fields.androidChallenge ? [keyDescription(fields.androidChallenge)] : []),
    ],
  });
}

export function toPem(der: Uint8Array): string {
  const lines = Buffer.from(der)
    .toString('base64')
    .match(/.{1,64}/g);
  return `-----BEGIN CERTIFICATE-----\n${lines?.join('\n')}\n-----END CERTIFICATE-----\n`;
}
