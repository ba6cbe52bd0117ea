import { concatBytes } from '../../webauthn/bytes.js';
import type { CborValue } from '../../webauthn/cbor.js';
import { uncompressedPoint } from '../../webauthn/subject-public-key-info.js';
import { ES256 } from './attestation-key.js';
import { type AttestationAuthority, rememberBatch } from './authority.js';
import type { AttestationFormat } from './format.js';

/**
 * §8.6: what a U2F authenticator says when it registers, of ES256 credentials only. U2F knows no AAGUID: give the authenticator the
 * default one, all zeros.
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
    statement: ({ aaguid, rpIdHash, clientDataHash, credentialId, credentialPublicKey: publicKey }) => {
      if (publicKey.kty !== 2) throw new TypeError(`Expected an EC2 key for fido-u2f; got one of key type ${publicKey.kty}.`);
      const { key, x5c } = batch(aaguid);
      const registration = concatBytes(Uint8Array.of(0), rpIdHash, clientDataHash, credentialId, uncompressedPoint(publicKey));
      return new Map<CborValue, CborValue>([
        ['sig', key.sign(registration)],
        ['x5c', [...x5c]],
      ]);
    },
  };
}
