import { ATTESTATION_EXTENSION } from '../../webauthn/attestation-extensions.js';
import type { CborValue } from '../../webauthn/cbor.js';
import type { ExtensionToWrite } from '../../webauthn/certificate-writer.js';
import { context, octetString, sequence } from '../../webauthn/der-writer.js';
import { encodeSubjectPublicKeyInfo } from '../../webauthn/subject-public-key-info.js';
import type { AttestationAuthority } from './authority.js';
import { type AttestationFormat, attestationNonce } from './format.js';

/**
 * Makes Apple's anonymous format (§8.8): certifies the credential key itself, with a nonce over the attested data instead of a signature.
 */
export function appleAttestation(authority: AttestationAuthority): AttestationFormat {
  return {
    fmt: 'apple',
    deterministic: true,
    statement: (input) => {
      const x5c = authority.certify('apple', {
        publicKey: encodeSubjectPublicKeyInfo(input.credentialPublicKey),
        subject: input.credentialId,
        extensions: [appleExtension(attestationNonce(input))],
      });
      return new Map<CborValue, CborValue>([['x5c', [...x5c]]]);
    },
  };
}

/** Writes the certificate extension with the nonce (§8.8). */
export function appleExtension(nonce: Uint8Array): ExtensionToWrite {
  return { oid: ATTESTATION_EXTENSION.appleNonce, value: sequence(context(1, octetString(nonce))) };
}
