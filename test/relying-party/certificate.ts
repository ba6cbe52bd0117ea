import { type KeyObject, sign } from 'node:crypto';
import { concatBytes, encodeUtf8, fromHex } from '../../src/kernel/bytes.js';

/** A small writer of X.509 v3 certificates, ECDSA with SHA-256, for tests of attestation. */

export interface CertificateFields {
  readonly subject: Readonly<Record<'C' | 'O' | 'OU' | 'CN', string>>;
  readonly issuer: Readonly<Record<'C' | 'O' | 'OU' | 'CN', string>>;
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

const OIDS = {
  C: '550406',
  O: '55040a',
  OU: '55040b',
  CN: '550403',
  ecdsaWithSha256: '2a8648ce3d040302',
  basicConstraints: '551d13',
  fidoAaguid: '2b0601040182e51c010104',
  crlDistributionPoints: '551d1f',
  androidKeyDescription: '2b06010401d679020111',
} as const;

export function makeCertificate(fields: CertificateFields): Uint8Array {
  const algorithm = sequence(oid('ecdsaWithSha256'));
  const extensions = [
    extension('basicConstraints', fields.ca ? sequence(tlv(0x01, Uint8Array.of(0xff))) : sequence()),
    ...(fields.aaguid ? [extension('fidoAaguid', tlv(0x04, fields.aaguid))] : []),
    ...(fields.crl ? [extension('crlDistributionPoints', distributionPoint(fields.crl))] : []),
    ...(fields.androidChallenge ? [extension('androidKeyDescription', keyDescription(fields.androidChallenge))] : []),
  ];
  const tbs = sequence(
    tlv(0xa0, tlv(0x02, Uint8Array.of(2))),
    tlv(0x02, Uint8Array.of(fields.serial)),
    algorithm,
    name(fields.issuer),
    sequence(time(fields.from), time(fields.to)),
    name(fields.subject),
    fields.publicKey.export({ format: 'der', type: 'spki' }),
    tlv(0xa3, sequence(...extensions)),
  );
  return sequence(tbs, algorithm, tlv(0x03, concatBytes(Uint8Array.of(0), sign('sha256', tbs, fields.privateKey))));
}

export function toPem(der: Uint8Array): string {
  const lines = Buffer.from(der)
    .toString('base64')
    .match(/.{1,64}/g);
  return `-----BEGIN CERTIFICATE-----\n${lines?.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function tlv(tag: number, content: Uint8Array): Uint8Array {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return concatBytes(Uint8Array.of(tag, ...size), content);
}

function sequence(...parts: readonly Uint8Array[]): Uint8Array {
  return tlv(0x30, concatBytes(...parts));
}

function oid(id: keyof typeof OIDS): Uint8Array {
  return tlv(0x06, fromHex(OIDS[id]));
}

function name(attributes: Readonly<Record<'C' | 'O' | 'OU' | 'CN', string>>): Uint8Array {
  const parts = (['C', 'O', 'OU', 'CN'] as const).map((id) => tlv(0x31, sequence(oid(id), tlv(0x0c, encodeUtf8(attributes[id])))));
  return sequence(...parts);
}

function time(at: number): Uint8Array {
  return tlv(0x18, encodeUtf8(`${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}Z`));
}

function extension(id: keyof typeof OIDS, content: Uint8Array): Uint8Array {
  return sequence(oid(id), tlv(0x04, content));
}

function distributionPoint(url: string): Uint8Array {
  return sequence(sequence(tlv(0xa0, tlv(0xa0, tlv(0x86, encodeUtf8(url))))));
}

function keyDescription(challenge: Uint8Array): Uint8Array {
  const version = tlv(0x02, Uint8Array.of(3));
  const tee = tlv(0x0a, Uint8Array.of(1));
  // [1] purpose SET { sign }, [702] origin generated.
  const purpose = tlv(0xa1, tlv(0x31, tlv(0x02, Uint8Array.of(2))));
  const origin = concatBytes(Uint8Array.of(0xbf, 0x85, 0x3e, 3), tlv(0x02, Uint8Array.of(0)));
  const enforced = sequence(purpose, origin);
  return sequence(version, tee, version, tee, tlv(0x04, challenge), tlv(0x04, new Uint8Array()), sequence(), enforced);
}
