import { ATTESTATION_EXTENSION } from '../../webauthn/attestation-extensions.js';
import type { CborValue } from '../../webauthn/cbor.js';
import type { ExtensionToWrite } from '../../webauthn/certificate-writer.js';
import { context, octetString, sequence } from '../../webauthn/der-writer.js';
import { encodeSubjectPublicKeyInfo } from '../../webauthn/subject-public-key-info.js';
import type { AttestationAuthority } from './authority.js';
import { type AttestationFormat, attestationNonce } from './format.js';

/**
 * Creates Apple's anonymous attestation format (§8.8). It certifies the credential key itself. A nonce over the attested data in the
 * certificate replaces a signature.
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

/** Writes the certificate extension that contains the nonce of Apple's anonymous attestation (§8.8). */
export function appleExtension(nonce: Uint8Array): ExtensionToWrite {
  return { oid: ATTESTATION_EXTENSION.appleNonce, value: sequence(context(1, octetString(nonce))) };
}
