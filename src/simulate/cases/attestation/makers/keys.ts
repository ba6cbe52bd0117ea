import {
  type AttestationKey,
  ES384,
  ecAttestationKey,
  RS256,
  rsaAttestationKey,
} from '../../../../authenticator/attestation/attestation-key.js';
import { pooledRsaKey } from '../../../../authenticator/rsa-pool.js';
import { KEY_TYPES } from '../../../../webauthn/algorithms.js';
import type { CoseKey } from '../../../../webauthn/cose-key.js';
import { AUTHORITY } from './certified.js';

/** Keys of the test authority beside those that it has for each format, the same for the same purpose. */

const derive = (purpose: string, length: number) => AUTHORITY.profile.derive(purpose, length, new Uint8Array());

export const p384Key = (purpose: string): AttestationKey => ecAttestationKey(derive(purpose, 48), ES384);
export const rsaKey = (purpose: string): AttestationKey => rsaAttestationKey(pooledRsaKey(2048, derive(purpose, 1)[0] ?? 0), RS256);

/** A key that nothing of the registration names, on P-256. */
export const strangeKey = (): AttestationKey => ecAttestationKey(derive('key of a stranger', 32));

/** {@link strangeKey} as a credential public key of ES256. */
export function strangeCoseKey(): CoseKey {
  const { algorithm, publicKey } = strangeKey();
  return { kty: KEY_TYPES.EC2, alg: algorithm, crv: 1, x: publicKey.slice(-64, -32), y: publicKey.slice(-32) };
}
