import { CREDENTIAL_KEY } from '../../../../authenticator/attestation/tpm.js';
import { concatBytes } from '../../../../kernel/bytes.js';
import { TPM_ALG } from '../../../../webauthn/tpm.js';
import type { ByteEdit } from '../../../engine/edits.js';

/** Where the members of a TPMT_PUBLIC (TPM 2.0 Part 2 §12.2.4) stand: type, nameAlg, attributes, policy, symmetric, scheme, key. */
const OFFSETS = {
  nameAlg: 2,
  scheme: 2 + 2 + 4 + 2 + CREDENTIAL_KEY.authPolicy.length + 2,
  /** Of RSA keys without a scheme: behind symmetric, scheme and keyBits. */
  exponent: 2 + 2 + 4 + 2 + CREDENTIAL_KEY.authPolicy.length + 2 + 2 + 2,
} as const;

const uint16 = (value: number) => Uint8Array.of(value >> 8, value & 0xff);

function replace(bytes: Uint8Array, at: number, length: number, by: Uint8Array): Uint8Array {
  return concatBytes(bytes.subarray(0, at), by, bytes.subarray(at + length));
}

/** Another hash algorithm for the Name. @param algorithm TPM_ALG_ID */
export function withNameAlgorithm(algorithm: number): ByteEdit {
  return (pubArea) => replace(pubArea, OFFSETS.nameAlg, 2, uint16(algorithm));
}

/** Names a signature scheme, with SHA-256, where there is none. @param scheme TPM_ALG_ID */
export function withScheme(scheme: number): ByteEdit {
  return (pubArea) => replace(pubArea, OFFSETS.scheme, 2, concatBytes(uint16(scheme), uint16(TPM_ALG.sha256)));
}

/** The exponent of an RSA key, in four bytes. */
export function withExponent(exponent: number): ByteEdit {
  return (pubArea) => replace(pubArea, OFFSETS.exponent, 4, concatBytes(uint16(exponent >> 16), uint16(exponent & 0xffff)));
}
