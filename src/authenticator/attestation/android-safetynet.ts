import { createHash } from 'node:crypto';
import { encodeBase64 } from '../../webauthn/base64url.js';
import { encodeUtf8 } from '../../webauthn/bytes.js';
import type { CborValue } from '../../webauthn/cbor.js';
import { named, WRITE_EXTENSION } from '../../webauthn/certificate-writer.js';
import { RS256 } from './attestation-key.js';
import { type AttestationAuthority, rememberBatch } from './authority.js';
import { type AttestationFormat, attToBeSigned } from './format.js';
import { writeJws } from './jws.js';

const HOST = 'attest.android.com';
/** What SafetyNet says of the app that asked: Google Play Services. */
const APP = {
  apkPackageName: 'com.google.android.gms',
  apkDigestSha256: encodeBase64(new Uint8Array(32)),
  apkCertificateDigestSha256: [encodeBase64(new Uint8Array(32))],
} as const;

export interface SafetyNetOptions {
  /** Version of Google Play Services. */
  readonly version?: string;
  /** Whether the device passes the compatibility test; default true. */
  readonly ctsProfileMatch?: boolean;
  readonly basicIntegrity?: boolean;
}

/** §8.5: a JWS of SafetyNet, which tells the time that it was made at. */
export function safetyNetAttestation(authority: AttestationAuthority, options: SafetyNetOptions = {}): AttestationFormat {
  const { version = '240913037', ctsProfileMatch = true, basicIntegrity = true } = options;
  const service = rememberBatch(async (subject: Uint8Array) => {
    const key = await authority.rsaKey('android-safetynet', subject, RS256);
    const x5c = authority.certify('android-safetynet', {
      publicKey: key.publicKey,
      subject,
      name: [named('CN', HOST)],
      extensions: [WRITE_EXTENSION.dnsName(HOST)],
    });
    return { key, x5c };
  });
  return {
    fmt: 'android-safetynet',
    deterministic: true,
    statement: async (input) => {
      const { key, x5c } = await service(new Uint8Array());
      const nonce = createHash('sha256').update(attToBeSigned(input)).digest();
      const payload = {
        nonce: encodeBase64(new Uint8Array(nonce)),
        timestampMs: input.now(),
        ...APP,
        ctsProfileMatch,
        basicIntegrity,
        evaluationType: 'BASIC,HARDWARE_BACKED',
      };
      return new Map<CborValue, CborValue>([
        ['ver', version],
        ['response', encodeUtf8(writeJws({ key, x5c }, payload))],
      ]);
    },
  };
}
