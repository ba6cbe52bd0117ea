import {
  type AttestationConveyancePreference,
  knownValue,
  REQUIREMENT_LEVELS,
  type RequirementLevel,
  type SelfAttestationRule,
} from '../webauthn/enumerations.js';
import type { MetadataBlob } from './attestation/metadata-blob.js';

/**
 * Settings of the relying party: what it requests in options, and what it requires of responses. The defaults are those of the HTTP API.
 */
export interface Policy {
  /** COSEAlgorithmIdentifiers for `pubKeyCredParams`, the most preferred first. */
  readonly algorithms: readonly number[];
  readonly attestation: AttestationConveyancePreference;
  readonly userVerification: RequirementLevel;
  readonly residentKey: RequirementLevel;
  /** Trusted root certificates in PEM. If there are none and no `metadata`, the trust of an attestation is not assessed. */
  readonly attestationRoots: readonly string[];
  /** FIDO metadata. Adds the root certificates of an authenticator's model, and refuses models with a status report such as `REVOKED`. */
  readonly metadata?: MetadataBlob | undefined;
  /**
   * Whether to accept self attestation (§7.1 step 24), in which only the authenticator vouches for itself. Applies with or without roots.
   */
  readonly selfAttestation: SelfAttestationRule;
  /** Top-level origins whose pages may embed the page of a ceremony in a cross-origin iframe. If empty, `crossOrigin: true` is refused. */
  readonly topOrigins: readonly string[];
  /** Time that the client has for a ceremony, in milliseconds (`timeout` in the options). */
  readonly timeout: number;
  /** Time for which a challenge is valid, in milliseconds. */
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

/** Reads a user verification requirement as clients do: absent and unknown values count as `preferred` (WebAuthn L3 §5.4.4). */
export function userVerificationRequirement(value: string | undefined): RequirementLevel {
  return knownValue(value, REQUIREMENT_LEVELS) ?? 'preferred';
}
