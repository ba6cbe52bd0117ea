import { type AttestationObject, encodeAttestationObject } from '../webauthn/attestation-object.js';
import { decodeAuthenticatorData } from '../webauthn/authenticator-data.js';

/**
 * Attestation conveyance `none` (§5.1.3, "If any authenticator indicates success"): the statement is replaced by an empty one. The
 * AAGUID stays, as Level 3 has it and Level 2 had not. Self attestation under the AAGUID of zeros identifies nobody and passes.
 */
export function withoutAttestation(attestation: AttestationObject): Uint8Array {
  const { fmt, attStmt, authData } = attestation;
  const { attestedCredentialData } = decodeAuthenticatorData(authData);
  const anonymous = attestedCredentialData?.aaguid.every((byte) => byte === 0) ?? false;
  const selfAttested = anonymous && fmt === 'packed' && !attStmt.has('x5c');
  return encodeAttestationObject(selfAttested ? attestation : { fmt: 'none', attStmt: new Map(), authData });
}
