import { createHash } from 'node:crypto';
import { ATTESTATION_EXTENSION } from '../../webauthn/attestation-extensions.js';
import type { CborValue } from '../../webauthn/cbor.js';
import { context, octetString, sequence } from '../../webauthn/der-writer.js';
import { encodeSubjectPublicKeyInfo } from '../../webauthn/subject-public-key-info.js';
import type { AttestationAuthority } from './authority.js';
import { type AttestationFormat, attToBeSigned } from './format.js';

/** §8.8, anonymous: a certificate of the credential key itself, with a nonce of what was attested in place of a signature. */
export function appleAttestation(authority: AttestationAuthority): AttestationFormat {
  return {
    fmt: 'apple',
    deterministic: true,
    statement: (input) => {
      const nonce = new Uint8Array(createHash('sha256').update(attToBeSigned(input)).digest());
      const x5c = authority.certify('apple', {
        publicKey: encodeSubjectPublicKeyInfo(input.credentialPublicKey),
        subject: input.credentialId,
        extensions: [{ oid: ATTESTATION_EXTENSION.appleNonce, value: sequence(context(1, octetString(nonce))) }],
      });
      return new Map<CborValue, CborValue>([['x5c', [...x5c]]]);
    },
  };
}
