import { concatBytes } from '../../kernel/bytes.js';
import { rememberBatch } from '../../kernel/remember.js';
import type { CborMap, CborValue } from '../../webauthn/cbor.js';
import { uncompressedPoint } from '../../webauthn/subject-public-key-info.js';
import { type CertifiedKey, ES256 } from './attestation-key.js';
import type { AttestationAuthority } from './authority.js';
import type { AttestationFormat, AttestationInput } from './format.js';

/**
 * Makes the `fido-u2f` format (§8.6), the registration of a U2F authenticator, which has ES256 credentials only. U2F has no AAGUIDs:
 * leave the authenticator's at its default, all zeros.
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

/** Makes a U2F statement with a certified key. @throws TypeError for a credential whose key is not of the type EC2. */
export function u2fStatement({ key, x5c }: CertifiedKey, input: AttestationInput): CborMap {
  return new Map<CborValue, CborValue>([
    ['sig', key.sign(u2fRegistration(input))],
    ['x5c', [...x5c]],
  ]);
}

/** Builds the bytes that U2F signs (§8.6, verificationData). @throws TypeError for a credential whose key is not of the type EC2. */
function u2fRegistration({ rpIdHash, clientDataHash, credentialId, credentialPublicKey: publicKey }: AttestationInput): Uint8Array {
  if (publicKey.kty !== 2) throw new TypeError(`Expected an EC2 key for fido-u2f; got one of key type ${publicKey.kty}.`);
  return concatBytes(Uint8Array.of(0), rpIdHash, clientDataHash, credentialId, uncompressedPoint(publicKey));
}
