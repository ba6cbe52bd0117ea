import { createHash } from 'node:crypto';
import { concatBytes } from '../../kernel/bytes.js';
import { type AttestationStatement, encodeAttestationObject, type StatementToWrite } from '../../webauthn/attestation-object.js';
import type { AuthenticatorFlags } from '../../webauthn/authenticator-data.js';
import type { CborMap } from '../../webauthn/cbor.js';
import type { CoseKey } from '../../webauthn/cose-key.js';
import type { RandomSource } from '../key-pair.js';

/** Data from which an attestation statement is made: one new credential, and the client data of its registration. */
export interface AttestationInput {
  readonly authenticatorData: Uint8Array;
  /** SHA-256 of the serialized client data, 32 bytes. */
  readonly clientDataHash: Uint8Array;
  /** COSEAlgorithmIdentifier of the credential key. */
  readonly algorithm: number;
  /** Signs with the private key of the credential. The signature has the format of WebAuthn L3 §6.5.5. */
  readonly sign: (data: Uint8Array) => Uint8Array | Promise<Uint8Array>;
  readonly credentialPublicKey: CoseKey;
  readonly credentialId: Uint8Array;
  /** AAGUID of the authenticator, 16 bytes. */
  readonly aaguid: Uint8Array;
  readonly flags: Pick<AuthenticatorFlags, 'up' | 'uv' | 'be' | 'bs'>;
  readonly rpId: string;
  /** SHA-256 of the RP ID, 32 bytes. */
  readonly rpIdHash: Uint8Array;
  /** True if the client lets the authenticator identify itself to the RP (attestation conveyance `enterprise`, §5.4.7). */
  readonly enterprise: boolean;
  readonly random: RandomSource;
  /** Current time in milliseconds since the epoch. */
  readonly now: () => number;
}

/** Attestation statement, the value of `attStmt`. It is a list of statements only in the format `compound` (§8.9). */
export type Statement = CborMap | readonly AttestationStatement[];

/** An attestation statement format (§6.5.3) that an authenticator can produce. */
export interface AttestationFormat {
  /** Format identifier as registered by RFC 8809, e.g. `packed`. */
  readonly fmt: string;
  /** True if the same input always gives the same statement, byte for byte; undefined if that is unknown. */
  readonly deterministic?: boolean;
  /** Tests whether the format can attest credentials with this COSEAlgorithmIdentifier. If absent, the format can attest all. */
  attests?(algorithm: number): boolean;
  statement(input: AttestationInput): Statement | Promise<Statement>;
}

/** Builds the bytes that most attestation formats sign: the authenticator data, followed by the hash of the client data. */
export function attToBeSigned({ authenticatorData, clientDataHash }: AttestationInput): Uint8Array {
  return concatBytes(authenticatorData, clientDataHash);
}

/** Computes the nonce of §8.5 and §8.8: the SHA-256 of the authenticator data followed by the hash of the client data. */
export function attestationNonce(input: AttestationInput): Uint8Array {
  return new Uint8Array(createHash('sha256').update(attToBeSigned(input)).digest());
}

/** The `none` format (§8.7), with an empty statement. */
export const noneAttestation: AttestationFormat = { fmt: 'none', deterministic: true, statement: () => new Map() };

/**
 * Chooses a format that can attest the credential: the client's first preference, or else the authenticator's. Falls back to `none`.
 *
 * @param preferences attestation statement format identifiers requested by the client, most preferred first.
 */
export function chooseFormat(formats: readonly AttestationFormat[], preferences: readonly string[], algorithm: number): AttestationFormat {
  const able = formats.filter((format) => format.attests?.(algorithm) ?? true);
  const preferred = preferences.flatMap((fmt) => able.find((format) => format.fmt === fmt) ?? []);
  return preferred[0] ?? able[0] ?? noneAttestation;
}

/** Builds the attestation object (§6.5.4) in CBOR. */
export async function attestationObject(format: AttestationFormat, input: AttestationInput): Promise<Uint8Array> {
  return encodeAttestationObject({ ...(await makeStatement(format, input)), authData: input.authenticatorData });
}

/** Makes the attestation statement, and returns it with the name of its format. */
export async function makeStatement(format: AttestationFormat, input: AttestationInput): Promise<StatementToWrite> {
  const statement = await format.statement(input);
  return { fmt: format.fmt, ...(statement instanceof Map ? { attStmt: statement } : { attStmt: new Map(), statements: statement }) };
}
