import { PasskeyError } from '../../errors.js';
import { decodeAttestationObject } from '../attestation-object.js';
import { decodeAuthenticatorData } from '../authenticator-data.js';
import { decodeCborMap } from '../cbor.js';
import { decodeCertificate } from '../certificate.js';
import { decodeClientData } from '../client-data.js';
import { readCoseAlgorithm } from '../cose-key.js';
import type { BinaryKind } from './recognised.js';

const LEAST_AUTHENTICATOR_DATA = 37;

type Reader = readonly [kind: BinaryKind, read: (bytes: Uint8Array) => unknown];

/** In this order: what comes later can look like more. */
const READERS: readonly Reader[] = [
  ['client-data', decodeClientData],
  ['attestation-object', decodeAttestationObject],
  ['cose-key', readCoseKey],
  ['certificate', decodeCertificate],
  ['authenticator-data', decodeAuthenticatorData],
];

/** The first binary structure that the bytes are, to their last byte. */
export function recogniseBytes(bytes: Uint8Array): BinaryKind | undefined {
  return READERS.find(([, read]) => whyNot(read, bytes) === undefined)?.[0];
}

/** A key that makes no sense is still one; the annotation says what is wrong with it. */
function readCoseKey(bytes: Uint8Array): void {
  readCoseAlgorithm(bytes);
  if (!decodeCborMap(bytes).value.has(1)) {
    throw new PasskeyError('public_key_malformed', 'A COSE_Key has a key type (label 1).');
  }
}

function whyNot(read: Reader[1], bytes: Uint8Array): PasskeyError | undefined {
  try {
    read(bytes);
    return undefined;
  } catch (error) {
    if (error instanceof PasskeyError) {
      return error;
    }
    throw error;
  }
}

/** What bytes that are nothing whole look like from their beginning, and where they stop being it. */
export function closestKind(bytes: Uint8Array): { readonly kind: BinaryKind; readonly error: PasskeyError } | undefined {
  const kind = looksLike(bytes);
  const reader = READERS.find(([candidate]) => candidate === kind);
  const error = reader && whyNot(reader[1], bytes);
  return kind === undefined || error === undefined ? undefined : { kind, error };
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
  if (first === 0x30 && (second === 0x82 || second === 0x81)) {
    return 'certificate';
  }
  return bytes.length >= LEAST_AUTHENTICATOR_DATA ? 'authenticator-data' : undefined;
}
