import { concatBytes } from '../../webauthn/bytes.js';
import type { AttestationFormat } from './format.js';

/** §8.2, self attestation: signed with the credential private key itself, no certificate. */
export const packedSelfAttestation: AttestationFormat = {
  fmt: 'packed',
  statement: ({ authenticatorData, clientDataHash, algorithm, sign }) =>
    new Map<string, number | Uint8Array>([
      ['alg', algorithm],
      ['sig', sign(concatBytes(authenticatorData, clientDataHash))],
    ]),
};
