import {
  type AttestationConveyancePreference,
  knownValue,
  REQUIREMENT_LEVELS,
  type RequirementLevel,
  type SelfAttestationRule,
} from '../webauthn/enumerations.js';
import type { MetadataBlob } from './attestation/metadata-blob.js';

/** Requests and requirements of the relying party. The defaults are those of the HTTP API. */
export interface Policy {
  /** COSEAlgorithmIdentifiers, most preferred first (`pubKeyCredParams`). */
  readonly algorithms: readonly number[];
  readonly attestation: AttestationConveyancePreference;
  readonly userVerification: RequirementLevel;
  readonly residentKey: RequirementLevel;
  /** PEM certificates of trusted roots. If empty, and without `metadata`, the trust of an attestation is not assessed. */
  readonly attestationRoots: readonly string[];
  /** FIDO metadata: adds the roots of an authenticator's model, and refuses models with a report such as `REVOKED`. */
  readonly metadata?: MetadataBlob | undefined;
  /** Whether self attestation is acceptable (§7.1 step 24), with or without roots: only the authenticator itself vouches for it. */
  readonly selfAttestation: SelfAttestationRule;
  /** Top-level origins whose pages may embed a ceremony in a cross-origin iframe. If empty, `crossOrigin: true` is refused. */
  readonly topOrigins: readonly string[];
  /** Milliseconds that the client has for a ceremony (`timeout`). */
  readonly timeout: number;
  /** Milliseconds for which a challenge is valid. */
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
