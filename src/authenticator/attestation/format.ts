import type { AuthenticatorFlags } from '../../webauthn/authenticator-data.js';
import { concatBytes } from '../../webauthn/bytes.js';
import type { CborMap } from '../../webauthn/cbor.js';
import type { CoseKey } from '../../webauthn/cose-key.js';
import type { RandomSource } from '../key-pair.js';

/** What an attestation statement is about: one new credential, and the client data that it was made for. */
export interface AttestationInput {
  readonly authenticatorData: Uint8Array;
  /** SHA-256 of the serialized client data, 32 bytes. */
  readonly clientDataHash: Uint8Array;
  /** COSEAlgorithmIdentifier of the credential. */
  readonly algorithm: number;
  /** Signs with the credential private key, in the form of §6.5.5. */
  readonly sign: (data: Uint8Array) => Uint8Array | Promise<Uint8Array>;
  readonly credentialPublicKey: CoseKey;
  readonly credentialId: Uint8Array;
  /** 16 bytes. */
  readonly aaguid: Uint8Array;
  readonly flags: Pick<AuthenticatorFlags, 'up' | 'uv' | 'be' | 'bs'>;
  readonly rpId: string;
  /** SHA-256 of the RP ID, 32 bytes. */
  readonly rpIdHash: Uint8Array;
  /** Whether the client lets the authenticator identify itself to the RP (§5.4.7 `enterprise`). */
  readonly enterprise: boolean;
  readonly random: RandomSource;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** An attestation statement format (§6.5.3) that an authenticator can produce. */
export interface AttestationFormat {
  /** Identifier as registered by RFC 8809, e.g. `packed`. */
  readonly fmt: string;
  /** Whether the same input gives the same statement, byte for byte; absent: nobody knows. */
  readonly deterministic?: boolean;
  statement(input: AttestationInput): CborMap | Promise<CborMap>;
}

/** What most formats sign: authenticator data, then the hash of the client data. */
export function attToBeSigned({ authenticatorData, clientDataHash }: AttestationInput): Uint8Array {
  return concatBytes(authenticatorData, clientDataHash);
}

/** §8.7: an empty statement. */
export const noneAttestation: AttestationFormat = { fmt: 'none', deterministic: true, statement: () => new Map() };
