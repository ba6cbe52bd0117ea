import { PasskeyError } from '../errors.js';
import type { Certificate } from '../webauthn/certificate.js';
import { readRoots } from './attestation/trust.js';

/**
 * The trust anchors of a policy, each text or DER of which may be one certificate, or a PEM with several.
 *
 * @throws PasskeyError `configuration_invalid` when one holds none, or one that cannot be read.
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
