import { ATTESTATION_NAMES, type AttestationName } from '../../authenticator/attestation/named-formats.js';
import type { AuthenticatorTraits } from '../../authenticator/settings.js';
import { parseAaguid } from '../../webauthn/aaguid.js';
import { knownValue } from '../../webauthn/enumerations.js';
import type { TargetCapabilities } from './profile-schema.js';

/** Finds out from the profile whether the target refuses registrations without an attestation statement. */
export function refusesNone({ formats = ['none'] }: TargetCapabilities): boolean {
  return !formats.includes('none');
}

/**
 * Lists the kinds of attestation, in the profile's order, with which the authenticator can register at a target that requires an
 * attestation statement. Uses statements with certificates if the target trusts the test root or refuses self attestation.
 */
export function listAttestations({ formats = [], trust, selfAttestation }: TargetCapabilities): readonly AttestationName[] {
  const names = formats.flatMap((format) => knownValue(format, ATTESTATION_NAMES) ?? []);
  const certified = trust === 'test' || selfAttestation === false;
  const made = names.map((name) => (name === 'packed' && certified ? 'packed-x5c' : name));
  return trust === 'other' ? made.filter((name) => name === 'packed') : made;
}

/** Chooses the traits that every authenticator needs at this target. */
export function traitsFor(has: TargetCapabilities): AuthenticatorTraits {
  const [model] = has.models ?? [];
  return {
    ...(model !== undefined && { aaguid: parseAaguid(model) }),
    // Where no login names a credential, one that must be named could never log in.
    ...(has.logins?.includes('named') === false && { alwaysDiscoverable: true }),
    ...(refusesNone(has) && { attestation: listAttestations(has) }),
    ...(has.counter === 'required' && { signCount: { kind: 'per-credential', start: 1 } }),
  };
}
