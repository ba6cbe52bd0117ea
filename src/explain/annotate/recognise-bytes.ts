import { PasskeyError } from '../../errors.js';
import { type AttestationObject, decodeAttestationObject } from '../../webauthn/attestation-object.js';
import { type AuthenticatorData, decodeAuthenticatorData, FLAG, OFFSETS, RESERVED_FLAG_BITS } from '../../webauthn/authenticator-data.js';
import { decodeCborMap } from '../../webauthn/cbor.js';
import { type Certificate, decodeCertificate } from '../../webauthn/certificate.js';
import { type ClientData, decodeClientData } from '../../webauthn/client-data.js';
import { readCoseAlgorithm } from '../../webauthn/cose-key.js';
import { MAX_CREDENTIAL_ID_BYTES } from '../../webauthn/limits.js';
import { type Ctap2Answer, readCtap2Answer } from './ctap2-answer.js';
import type { BinaryKind } from './kinds.js';

const LEAST_AUTHENTICATOR_DATA = OFFSETS.aaguid;
/** Maximum number of surplus bytes that still count as added by mistake. */
const FEW_BYTES = 64;

/** A binary structure, and its decoded value. */
export type ReadBytes = { readonly bytes: Uint8Array } & (
  | { readonly kind: 'client-data'; readonly value: ClientData }
  | { readonly kind: 'attestation-object'; readonly value: AttestationObject }
  /** A COSE_Key is not decoded here, because a malformed key should also be recognised as a key. */
  | { readonly kind: 'cose-key' }
  | { readonly kind: 'certificate'; readonly value: Certificate }
  | { readonly kind: 'ctap2-answer'; readonly value: Ctap2Answer }
  | { readonly kind: 'authenticator-data'; readonly value: AuthenticatorData }
);

type Reader = readonly [kind: BinaryKind, read: (bytes: Uint8Array) => ReadBytes];

/** Decoders in order from the strictest to the loosest, since any 37 bytes could be authenticator data. */
const READERS: readonly Reader[] = [
  ['client-data', (bytes) => ({ kind: 'client-data', bytes, value: decodeClientData(bytes) })],
  ['attestation-object', (bytes) => ({ kind: 'attestation-object', bytes, value: decodeAttestationObject(bytes) })],
  ['cose-key', readCoseKey],
  ['ctap2-answer', readCtap2],
  ['certificate', (bytes) => ({ kind: 'certificate', bytes, value: decodeCertificate(bytes) })],
  ['authenticator-data', (bytes) => ({ kind: 'authenticator-data', bytes, value: decodeAuthenticatorData(bytes) })],
];

/** Decodes bytes as the first structure in the list that uses every byte. */
export function recogniseBytes(bytes: Uint8Array): ReadBytes | undefined {
  for (const [, read] of READERS) {
    const found = attempt(read, bytes);
    if (found instanceof PasskeyError) continue;
    return found.kind === 'authenticator-data' && isStartOfOther(bytes) ? undefined : found;
  }
  return undefined;
}

/**
 * Tells whether bytes begin like another structure, such as a certificate. It is unlikely that the SHA-256 of an RP ID, with which
 * authenticator data begins, looks like this by chance.
 */
function isStartOfOther(bytes: Uint8Array): boolean {
  const [first = 0, second, third = 0, fourth] = bytes;
  const isKey = first >= 0xa2 && first <= 0xa8 && second === 0x01 && third <= 0x07 && fourth === 0x03;
  const isCertificate = first === 0x30 && second === 0x82 && bytes[4] === 0x30 && (bytes[5] === 0x82 || bytes[5] === 0x81);
  return isKey || isCertificate || looksLike(bytes) === 'attestation-object';
}

/** Recognises a COSE_Key even if it is malformed; the annotation shows what is wrong with it. */
function readCoseKey(bytes: Uint8Array): ReadBytes {
  readCoseAlgorithm(bytes);
  if (!decodeCborMap(bytes).value.has(1)) {
    throw new PasskeyError('public_key_malformed', 'Expected a COSE_Key with a key type (label 1); got none.');
  }
  return { kind: 'cose-key', bytes };
}

function readCtap2(bytes: Uint8Array): ReadBytes {
  return { kind: 'ctap2-answer', bytes, value: readCtap2Answer(bytes) };
}

function attempt(read: Reader[1], bytes: Uint8Array): ReadBytes | PasskeyError {
  try {
    return read(bytes);
  } catch (error) {
    if (error instanceof PasskeyError) {
      return error;
    }
    throw error;
  }
}

/** Guesses the structure of bytes that cannot be decoded, and returns its decoding error; undefined if there is no good guess. */
export function closestKind(bytes: Uint8Array): { readonly kind: BinaryKind; readonly error: PasskeyError } | undefined {
  const kind = looksLike(bytes);
  const reader = READERS.find(([candidate]) => candidate === kind);
  const error = reader && attempt(reader[1], bytes);
  return kind !== undefined && error instanceof PasskeyError ? { kind, error } : undefined;
}

function looksLike(bytes: Uint8Array): BinaryKind | undefined {
  const [first = 0, second = 0] = bytes;
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 16));
  if (/^(\u00ef\u00bb\u00bf)?\s*\{/.test(start)) {
    return 'client-data';
  }
  if (first >> 5 === 5 && /fmt|attStmt|authData/.test(start)) {
    return 'attestation-object';
  }
  if (first >= 0xa2 && first <= 0xa8 && second === 0x01) {
    return 'cose-key';
  }
  if (first === 0x30 && second >= 0x81 && second <= 0x84) {
    return 'certificate';
  }
  return isLikeAuthenticatorData(bytes) ? 'authenticator-data' : undefined;
}

/** Whether bytes look like authenticator data. The format has no marker, but other bytes rarely have plausible flags and lengths. */
function isLikeAuthenticatorData(bytes: Uint8Array): boolean {
  const flags = bytes[OFFSETS.flags] ?? 0;
  if (bytes.length < LEAST_AUTHENTICATOR_DATA || RESERVED_FLAG_BITS.some((bit) => (flags & (1 << bit)) !== 0) || (flags & FLAG.up) === 0) {
    return false;
  }
  if ((flags & FLAG.at) !== 0) {
    const [high = 0, low = 0] = bytes.subarray(OFFSETS.credentialIdLength, OFFSETS.credentialIdLength + 2);
    return ((high << 8) | low) <= MAX_CREDENTIAL_ID_BYTES;
  }
  const first = bytes[LEAST_AUTHENTICATOR_DATA];
  return (flags & FLAG.ed) !== 0 ? first === undefined || first >> 5 === 5 : bytes.length <= LEAST_AUTHENTICATOR_DATA + FEW_BYTES;
}
