import { ATTESTATION_NAMES, type AttestationName, attestationFormats } from '../../authenticator/attestation/named-formats.js';
import type { Policy } from '../../relying-party/policy.js';
import { algorithmName } from '../../webauthn/algorithms.js';
import type { PublicKeyCredentialCreationOptionsJSON } from '../../webauthn/json.js';
import type { TargetCapabilities } from '../target/profile-schema.js';
import type { AttestedBehaviour } from './behaviour.js';
import { lacking, policyFor } from './wants.js';

/** How the software authenticator makes a statement like the recorded one: the certificates are of the test authority. */
export function attestationLike({ format, certified }: AttestedBehaviour): AttestationName | undefined {
  return format === 'packed' && certified ? 'packed-x5c' : ATTESTATION_NAMES.find((name) => name === format);
}

/** Why it can make none. */
export function whyNoAttestation(attested: AttestedBehaviour): string | undefined {
  const { format, algorithm } = attested;
  const attestation = attestationLike(attested);
  if (attestation === undefined) return `the software authenticator makes no attestation of the format ${JSON.stringify(format)}`;
  const [made] = attestationFormats({ attestation });
  return made.attests?.(algorithm) === false ? `a ${format} attestation cannot be about a key of ${algorithmName(algorithm)}` : undefined;
}

/** The recorded policy, which trusts who vouches for the new authenticator where it trusted somebody. */
export function policyTrusting(policy: Partial<Policy>): Partial<Policy> {
  return (policy.attestationRoots ?? []).length === 0 ? policy : { ...policy, ...policyFor({ trust: true }) };
}

/** Why a target that asks for attestation cannot take the recorded one. A target that asks for none never sees it. */
export function whyNotTaken(
  { format, certified }: AttestedBehaviour,
  { attestation = 'none' }: PublicKeyCredentialCreationOptionsJSON,
  has: TargetCapabilities,
): string | undefined {
  if (attestation === 'none') return undefined;
  return lacking({ format, ...(format === 'packed' && !certified && { selfAttestation: true }) }, has);
}
