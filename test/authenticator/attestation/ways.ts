import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '../../../src/authenticator/algorithms.js';
import { RS1, RS256 } from '../../../src/authenticator/attestation/attestation-key.js';
import { createAttestationAuthority } from '../../../src/authenticator/attestation/authority.js';
import { type AttestationChoice, attestationFormats } from '../../../src/authenticator/attestation/named-formats.js';
import { tpmAttestation } from '../../../src/authenticator/attestation/tpm.js';

const authority = createAttestationAuthority();

/** Every way to attest with certificates, and the format that comes of it. */
export const WAYS: readonly { readonly name: string; readonly attestation: AttestationChoice; readonly fmt: string }[] = [
  { name: 'packed-x5c', attestation: 'packed-x5c', fmt: 'packed' },
  { name: 'tpm, identity key of ES256', attestation: 'tpm', fmt: 'tpm' },
  { name: 'tpm, identity key of RS256', attestation: tpmAttestation(authority, { aikAlgorithm: RS256 }), fmt: 'tpm' },
  { name: 'tpm, identity key of RS1', attestation: tpmAttestation(authority, { aikAlgorithm: RS1 }), fmt: 'tpm' },
  { name: 'android-key', attestation: 'android-key', fmt: 'android-key' },
  { name: 'android-safetynet', attestation: 'android-safetynet', fmt: 'android-safetynet' },
  { name: 'apple', attestation: 'apple', fmt: 'apple' },
  { name: 'fido-u2f', attestation: 'fido-u2f', fmt: 'fido-u2f' },
  { name: 'compound', attestation: 'compound', fmt: 'compound' },
];

/** The algorithms of credentials that a way can attest. */
export function attestable(attestation: AttestationChoice): readonly SigningAlgorithm[] {
  const [format] = attestationFormats({ attestation });
  return SIGNING_ALGORITHMS.filter(({ id }) => format.attests?.(id) ?? true);
}
