import type { CborMap } from '../../webauthn/cbor.js';

export interface AttestationInput {
  readonly authenticatorData: Uint8Array;
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
