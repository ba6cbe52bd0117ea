import { concatBytes } from '../../kernel/bytes.js';
import { rememberBatch } from '../../kernel/remember.js';
import type { CborMap, CborValue } from '../../webauthn/cbor.js';
import { uncompressedPoint } from '../../webauthn/subject-public-key-info.js';
import { type CertifiedKey, ES256 } from './attestation-key.js';
import type { AttestationAuthority } from './authority.js';
import type { AttestationFormat, AttestationInput } from './format.js';

/**
 * Creates the attestation format `fido-u2f` (§8.6), for the registration of a U2F authenticator, which has only ES256 credentials. U2F has
 * no AAGUIDs, so leave the authenticator's AAGUID at its default, all zeros.
 */
export function fidoU2fAttestation(authority: AttestationAuthority): AttestationFormat {
  const batch = rememberBatch((aaguid: Uint8Array) => {
    const key = authority.key('fido-u2f', aaguid);
    return { key, x5c: authority.certify('fido-u2f', { publicKey: key.publicKey, subject: aaguid }) };
  });
  return {
    fmt: 'fido-u2f',
    deterministic: true,
    attests: (algorithm) => algorithm === ES256,
    statement: (input) => u2fStatement(batch(input.aaguid), input),
  };
}

/**
 * Builds a U2F attestation statement, signed with a certified key.
 *
 * @throws TypeError for a credential whose key is not of the type EC2.
 */
export function u2fStatement({ key, x5c }: CertifiedKey, input: AttestationInput): CborMap {
  return new Map<CborValue, CborValue>([
    ['sig', key.sign(u2fRegistration(input))],
    ['x5c', [...x5c]],
  ]);
}

/**
 * Builds the bytes that a U2F authenticator signs (§8.6, verificationData).
 *
 * @throws TypeError for a credential whose key is not of the type EC2.
 */
function u2fRegistration({ rpIdHash, clientDataHash, credentialId, credentialPublicKey: publicKey }: AttestationInput): Uint8Array {
  if (publicKey.kty !== 2) throw new TypeError(`Expected an EC2 key for fido-u2f; got one of key type ${publicKey.kty}.`);
  return concatBytes(Uint8Array.of(0), rpIdHash, clientDataHash, credentialId, uncompressedPoint(publicKey));
}
