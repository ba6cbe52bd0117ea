import { concatBytes } from '../webauthn/bytes.js';
import type { CborMap } from '../webauthn/cbor.js';

export interface AttestationInput {
  readonly authenticatorData: Uint8Array;
  /** SHA-256 of the serialized client data, 32 bytes. */
  readonly clientDataHash: Uint8Array;
  /** COSEAlgorithmIdentifier of the credential. */
  readonly algorithm: number;
  /** Signs with the credential private key. */
  readonly sign: (data: Uint8Array) => Uint8Array;
}

/** An attestation statement format (§6.5.3) that an authenticator can produce. */
export interface AttestationFormat {
  /** Identifier as registered by RFC 8809, e.g. `packed`. */
  readonly fmt: string;
  statement(input: AttestationInput): CborMap;
}

/** §8.7: an empty statement. */
export const noneAttestation: AttestationFormat = { fmt: 'none', statement: () => new Map() };

/** §8.2, self attestation: signed with the credential private key itself, without a certificate. */
export const packedSelfAttestation: AttestationFormat = {
  fmt: 'packed',
  statement: ({ authenticatorData, clientDataHash, algorithm, sign }) =>
    new Map<string, number | Uint8Array>([
      ['alg', algorithm],
      ['sig', sign(concatBytes(authenticatorData, clientDataHash))],
    ]),
};
