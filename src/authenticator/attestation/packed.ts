import { type AttestationFormat, attToBeSigned } from './format.js';

/** §8.2, self attestation: signed with the credential private key itself, without a certificate. */
export const packedSelfAttestation: AttestationFormat = {
  fmt: 'packed',
  deterministic: true,
  statement: async (input) =>
    new Map<string, number | Uint8Array>([
      ['alg', input.algorithm],
      ['sig', await input.sign(attToBeSigned(input))],
    ]),
};
