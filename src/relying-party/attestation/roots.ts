import { PasskeyError } from '../../errors.js';
import { readUtf8 } from '../../kernel/bytes.js';
import { decodeBase64 } from '../../webauthn/base64url.js';
import { type Certificate, decodeCertificate } from '../../webauthn/certificate.js';
import { PEM } from '../../webauthn/pem.js';

/**
 * Reads trust anchors: DER, or PEM with any number of certificates. Ignores text around PEM certificates.
 *
 * @throws PasskeyError `configuration_invalid` if a source contains no certificate; `attestation_malformed` if a certificate is malformed.
 */
export function readRoots(sources: readonly (Uint8Array | string)[]): Certificate[] {
  return sources.flatMap((source, index) => {
    const text = typeof source === 'string' ? source : source[0] === 0x30 ? undefined : readUtf8(source);
    return text === undefined && typeof source !== 'string' ? [decodeCertificate(source)] : readPem(text ?? '', index);
  });
}

function readPem(text: string, index: number): Certificate[] {
  const blocks = text.split(PEM.begin).slice(1);
  const ders = blocks.map((block) => decodeBase64((block.split(PEM.end)[0] ?? '').replace(/\s/gu, ''))?.bytes);
  if (ders.length === 0 || ders.includes(undefined)) {
    throw new PasskeyError(
      'configuration_invalid',
      `Expected root ${index + 1} to be a certificate in DER, or in PEM between "${PEM.begin}" and "${PEM.end}"; got something else. Give a certificate file.`,
    );
  }
  return ders.flatMap((der) => (der === undefined ? [] : [decodeCertificate(der)]));
}

/**
 * Reads the trust anchors of a policy. Each source is one certificate in DER, or PEM text with one or more certificates.
 *
 * @throws PasskeyError `configuration_invalid` if a source contains no certificate, or an unreadable one.
 */
export function readAttestationRoots(sources: readonly (string | Uint8Array)[]): Certificate[] {
  return sources.flatMap((source, index) => {
    try {
      return readRoots([source]);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new PasskeyError('configuration_invalid', `Attestation root ${index + 1}: expected X.509 certificates in PEM or DER. ${why}`, {
        cause,
      });
    }
  });
}
