import {
  type AttestationConveyancePreference,
  knownValue,
  REQUIREMENT_LEVELS,
  type RequirementLevel,
  type SelfAttestationRule,
} from '../webauthn/enumerations.js';
import type { MetadataBlob } from './attestation/metadata-blob.js';

/** Requests and requirements of the relying party. The defaults are the values of the given endpoints. */
export interface Policy {
  /** COSEAlgorithmIdentifiers, most preferred first (`pubKeyCredParams`). */
  readonly algorithms: readonly number[];
  readonly attestation: AttestationConveyancePreference;
  readonly userVerification: RequirementLevel;
  readonly residentKey: RequirementLevel;
  /** PEM certificates. Empty, and without `metadata`: the trust of an attestation is not assessed. */
  readonly attestationRoots: readonly string[];
  /** FIDO metadata: the roots of an authenticator's model count too, and models with a report such as `REVOKED` are refused. */
  readonly metadata?: MetadataBlob | undefined;
  /** Whether self attestation is acceptable (§7.1 step 24), with roots and without: only the authenticator itself vouches for it. */
  readonly selfAttestation: SelfAttestationRule;
  /** Top-level origins under which a cross-origin iframe may run a ceremony. Empty: `crossOrigin: true` is refused. */
  readonly topOrigins: readonly string[];
  /** Milliseconds that the client is given (`timeout`). */
  readonly timeout: number;
  /** Milliseconds that a challenge is good for. */
  readonly challengeTtl: number;
}

export const DEFAULT_POLICY: Policy = Object.freeze({
  algorithms: Object.freeze([-7, -257]),
  attestation: 'none',
  userVerification: 'preferred',
  residentKey: 'preferred',
  attestationRoots: Object.freeze([]),
  selfAttestation: 'accept',
  topOrigins: Object.freeze([]),
  timeout: 60_000,
  challengeTtl: 120_000,
});

/** Reads a requirement as clients do: absent and unknown values count as `preferred` (WebAuthn L3 §5.4.4). */
export function userVerificationRequirement(value: string | undefined): RequirementLevel {
  return knownValue(value, REQUIREMENT_LEVELS) ?? 'preferred';
}
