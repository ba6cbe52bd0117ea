import { readUtf8, toHex } from '../../kernel/bytes.js';
import { count } from '../../kernel/wording.js';
import { findAlgorithm, findCurve, isOnCurve, KEY_TYPES } from '../../webauthn/algorithms.js';
import { OFFSETS } from '../../webauthn/authenticator-data.js';
import { type CborMap, decodeCborMap } from '../../webauthn/cbor.js';
import { COSE_LABELS, type CoseKey } from '../../webauthn/cose-key.js';
import { ecdsaSignatureParts } from '../../webauthn/der-values.js';
import { asciiText, decodedTwice } from '../../webauthn/text-encoding.js';
import { findRewriting, rewritingHint } from './rewritten-client-data.js';

const UNCOMPRESSED_POINT = 0x04;
const EDDSA = -8;

/** Explains, in one sentence, why bytes are not a usable COSE_Key; returns `otherwise` if it recognises no common mistake. */
export function publicKeyHint(bytes: Uint8Array, otherwise: string): string {
  return damagedByText(bytes) ?? foreignKey(bytes) ?? malformedMember(bytes) ?? otherwise;
}

const REPLACED = [0xef, 0xbf, 0xbd];

/** Explains how a key was damaged: its bytes were treated as text. Returns undefined if they were not. */
function damagedByText(bytes: Uint8Array): string | undefined {
  const replaced = bytes.filter((_, at) => REPLACED.every((byte, offset) => bytes[at + offset] === byte)).length;
  if (replaced > 0) {
    return `The key was read as UTF-8 text, which lost bytes: EF BF BD replaces the unreadable bytes (${count(replaced, 'time')}). It cannot be restored. Store keys as bytes (BLOB, bytea, VARBINARY) or as base64url, and register the passkey again.`;
  }
  const characters = [...(readUtf8(bytes) ?? '')].map((character) => character.codePointAt(0) ?? 0);
  const isLatin = characters.length < bytes.length && characters.length > 0 && characters.every((code) => code <= 0xff);
  return isLatin && readMap(Uint8Array.from(characters)) !== undefined
    ? `Each byte of the key was written as a UTF-8 character, so bytes from 80 on became two; store it as bytes (BLOB, bytea, VARBINARY) or as base64url.`
    : undefined;
}

/** Recognises a key that is encoded as another standard defines it. */
function foreignKey(bytes: Uint8Array): string | undefined {
  const text = asciiText(bytes);
  if (text?.includes('-----BEGIN')) {
    return 'This is PEM. Store the COSE_Key of the attested credential data, which also names the algorithm.';
  }
  if (text?.trimStart().startsWith('{')) {
    return 'This is JSON (a JWK). Store the COSE_Key of the attested credential data, in CBOR.';
  }
  if (bytes[0] === 0x30) {
    return 'This looks like DER (SubjectPublicKeyInfo, as getPublicKey() returns it). Store the COSE_Key of the attested credential data.';
  }
  return bytes.length === 65 && bytes[0] === UNCOMPRESSED_POINT
    ? 'This looks like a bare point (0x04, x, y). Store the COSE_Key of the attested credential data.'
    : undefined;
}

const ED25519_BYTES = 32;
/** CBOR of the label -2 (`x`), followed by the head of a byte string with 32 bytes. */
const X_MEMBER = [0x21, 0x58, ED25519_BYTES];

/**
 * Recognises authenticator data whose Ed25519 key is encoded wrongly: the map announces one member too few, and the member `x` follows the
 * map.
 */
export function hasMiscountedKey(authData: Uint8Array): boolean {
  const [high = 0, low = 0] = authData.subarray(OFFSETS.credentialIdLength, OFFSETS.credentialIdLength + 2);
  const key = authData.subarray(OFFSETS.credentialIdLength + 2 + ((high << 8) | low));
  try {
    const { value, end } = decodeCborMap(key);
    return !value.has(COSE_LABELS.x) && value.get(COSE_LABELS.alg) === EDDSA && X_MEMBER.every((byte, index) => key[end + index] === byte);
  } catch {
    return false;
  }
}

/** COSE labels of the members that contain private keys, by key type (RFC 9053 §7, RFC 8230 §4, RFC 9964). */
const PRIVATE_LABELS: ReadonlyMap<unknown, readonly number[]> = new Map([
  [KEY_TYPES.EC2, [-4]],
  [KEY_TYPES.OKP, [-4]],
  [KEY_TYPES.RSA, [-3, -4, -5, -6, -7, -8, -9, -10, -11, -12]],
  [KEY_TYPES.AKP, [-2]],
]);
const KID = 2;
const CBOR_TAG = 6;

function malformedMember(bytes: Uint8Array): string | undefined {
  if ((bytes[0] ?? 0) >> 5 === CBOR_TAG) {
    return 'The key is inside a CBOR tag; remove the tag: a COSE_Key of WebAuthn is the bare map (§6.5.1).';
  }
  const read = readWithEnd(bytes);
  if (read === undefined) return undefined;
  const { value: map, end } = read;
  if (end < bytes.length && bytes.subarray(end).every((byte) => byte === 0)) {
    return `${count(bytes.length - end, 'zero byte')} follow the key, since columns of fixed length (BINARY) pad values; store it in a column of variable length.`;
  }
  const type = map.get(COSE_LABELS.kty);
  const secret = PRIVATE_LABELS.get(type)?.find((label) => map.has(label));
  if (secret !== undefined) {
    return `The key has its private part (label ${secret}), which must never leave the authenticator: replace the credential, and send the public members only.`;
  }
  if (map.has(KID)) {
    return 'The key has a kid (label 2); remove it, since only alg and the members that its key type requires are allowed (§6.5.1).';
  }
  return type === KEY_TYPES.EC2 ? malformedPoint(map) : type === KEY_TYPES.RSA ? malformedModulus(map) : undefined;
}

function malformedModulus(map: CborMap): string | undefined {
  const n = map.get(COSE_LABELS.n);
  return n instanceof Uint8Array && n[0] === 0
    ? 'The modulus n begins with a zero byte, as in DER integers; remove it (RFC 8230 §4).'
    : undefined;
}

function malformedPoint(map: CborMap): string | undefined {
  const curve = findCurve(map.get(COSE_LABELS.crv));
  if (curve?.weierstrass === undefined) return undefined;
  const { size } = curve;
  for (const name of ['x', 'y'] as const) {
    const value = map.get(COSE_LABELS[name]);
    if (typeof value === 'boolean') {
      return 'The point is compressed (y is only a sign), which WebAuthn does not allow (§5.8.5); write both coordinates.';
    }
    if (value instanceof Uint8Array && value.length < size) {
      return `The coordinate ${name} has ${value.length} bytes, so it lost its leading zeros; pad it on the left to ${size} bytes.`;
    }
    if (value instanceof Uint8Array && value.length === size + 1 && value[0] === 0) {
      return `The coordinate ${name} begins with a zero byte, as in DER integers; cut it to ${size} bytes.`;
    }
  }
  if (findAlgorithm(map.get(COSE_LABELS.alg)) === undefined) {
    return 'The key has no algorithm (label 3) that WebAuthn knows; write one of pubKeyCredParams.';
  }
  const [x, y] = [map.get(COSE_LABELS.x), map.get(COSE_LABELS.y)];
  const isPoint = x instanceof Uint8Array && y instanceof Uint8Array && isOnCurve(curve.weierstrass, toHex(x), toHex(y));
  return isPoint
    ? undefined
    : `The coordinates x and y are not a point of ${curve.name}: bytes were changed, or the curve (label -1) is wrong. Send the key as the authenticator made it.`;
}

function readMap(bytes: Uint8Array): CborMap | undefined {
  return readWithEnd(bytes)?.value;
}

function readWithEnd(bytes: Uint8Array): { readonly value: CborMap; readonly end: number } | undefined {
  try {
    return decodeCborMap(bytes);
  } catch {
    return undefined;
  }
}

const EC2 = 2;
const RSA = 3;

/** Explains, in one sentence, why a signature does not verify, from the form of the signature and the client data. */
export function signatureHint(key: CoseKey, signature: Uint8Array, clientDataJSON: Uint8Array): string {
  if (signature.length === 0) {
    return 'The signature is empty; send response.signature as the browser gave it.';
  }
  if (asciiText(signature) !== undefined && decodedTwice(signature) !== undefined) {
    return 'The signature was encoded twice: its bytes are base64 text; encode response.signature once.';
  }
  const rewriting = findRewriting(clientDataJSON);
  const isDer = ecdsaSignatureParts(signature) !== undefined;
  if (key.kty === EC2 && !isDer) {
    return signature.length === 2 * key.x.length
      ? 'This has the length of raw r and s; write ECDSA signatures in DER (§6.5.5).'
      : 'This is not an ECDSA signature in DER (§6.5.5): bytes were added, lost or changed. Send response.signature unchanged.';
  }
  if (key.kty === RSA && signature.length !== key.n.length) {
    return `An RSA signature is as long as the modulus (${key.n.length} bytes); this one has ${signature.length}, so it belongs to another key, or was changed. Send response.signature unchanged, and check that the stored public key belongs to this credential.`;
  }
  if (key.kty !== EC2 && isDer) {
    return 'This is an ECDSA signature, but the registered key is not an ECDSA key: the response belongs to another credential. Verify it with the public key stored for its id.';
  }
  if (rewriting !== undefined) return rewritingHint(rewriting);
  return 'The signature was made with another key or over other bytes. Send authenticatorData, clientDataJSON and signature unchanged, and check that the stored public key belongs to this credential.';
}
