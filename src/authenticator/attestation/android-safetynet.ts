import { encodeUtf8 } from '../../kernel/bytes.js';
import { rememberBatch } from '../../kernel/remember.js';
import { encodeBase64 } from '../../webauthn/base64url.js';
import type { CborMap, CborValue } from '../../webauthn/cbor.js';
import { named, WRITE_EXTENSION } from '../../webauthn/certificate-writer.js';
import { type CertifiedKey, RS256 } from './attestation-key.js';
import type { AttestationAuthority } from './authority.js';
import { type AttestationFormat, type AttestationInput, attestationNonce } from './format.js';
import { writeJws } from './jws.js';

/** Host name in SafetyNet's certificate (§8.5). */
export const SAFETYNET_HOST = 'attest.android.com';
/** The app that requests SafetyNet attestations: Google Play Services. */
const APP = {
  apkPackageName: 'com.google.android.gms',
  apkDigestSha256: encodeBase64(new Uint8Array(32)),
  apkCertificateDigestSha256: [encodeBase64(new Uint8Array(32))],
} as const;

export interface SafetyNetOptions {
  /** Version of Google Play Services. */
  readonly version?: string;
  /** False for a device that fails the compatibility test; default: true. */
  readonly ctsProfileMatch?: boolean;
  readonly basicIntegrity?: boolean;
}

/** Creates the attestation format `android-safetynet` (§8.5), whose statement is a JWS by SafetyNet with the time of signing. */
export function safetyNetAttestation(authority: AttestationAuthority, options: SafetyNetOptions = {}): AttestationFormat {
  const service = rememberBatch(async (subject: Uint8Array): Promise<CertifiedKey> => {
    const key = await authority.rsaKey('android-safetynet', subject, RS256);
    const x5c = authority.certify('android-safetynet', {
      publicKey: key.publicKey,
      subject,
      name: [named('CN', SAFETYNET_HOST)],
      extensions: [WRITE_EXTENSION.dnsName(SAFETYNET_HOST)],
    });
    return { key, x5c };
  });
  return {
    fmt: 'android-safetynet',
    deterministic: true,
    statement: async (input) => safetyNetStatement(writeJws(await service(new Uint8Array()), safetyNetPayload(input, options)), options),
  };
}

/** Builds the payload of SafetyNet's JWS. */
export function safetyNetPayload(
  input: AttestationInput,
  { ctsProfileMatch = true, basicIntegrity = true }: SafetyNetOptions = {},
): Readonly<Record<string, unknown>> {
  return {
    nonce: encodeBase64(attestationNonce(input)),
    timestampMs: input.now(),
    ...APP,
    ctsProfileMatch,
    basicIntegrity,
    evaluationType: 'BASIC,HARDWARE_BACKED',
  };
}

/**
 * Builds the attestation statement that contains a JWS.
 *
 * @param jws in compact serialization.
 */
export function safetyNetStatement(jws: string, { version = '240913037' }: SafetyNetOptions = {}): CborMap {
  return new Map<CborValue, CborValue>([
    ['ver', version],
    ['response', encodeUtf8(jws)],
  ]);
}
