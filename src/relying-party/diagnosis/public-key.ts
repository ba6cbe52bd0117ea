import { findAlgorithm, findCurve, KEY_TYPES } from '../../webauthn/algorithms.js';
import { type CborMap, decodeCborMap } from '../../webauthn/cbor.js';
import { type CoseKey } from '../../webauthn/cose-key.js';
import { ecdsaSignatureParts } from '../../webauthn/der-values.js';
import { asciiText, decodedTwice } from '../../webauthn/text-encoding.js';

const UNCOMPRESSED_POINT = 0x04;

/** One sentence on bytes that are no usable COSE_Key; `otherwise` where nothing special is seen. */
export function publicKeyHint(bytes: Uint8Array, otherwise: string): string {
  return foreignKey(bytes) ?? malformedMember(bytes) ?? otherwise;
}

/** Keys in the forms of other standards. */
function foreignKey(bytes: Uint8Array): string | undefined {
  const text = asciiText(bytes);
  if (text?.includes('-----BEGIN')) {
    return 'This is PEM; the key must be the COSE_Key of the attested credential data, which also says the algorithm.';
  }
  if (text?.trimStart().startsWith('{')) {
    return 'This is JSON (a JWK); the key must be the COSE_Key of the attested credential data, in CBOR.';
  }
  if (bytes[0] === 0x30) {
    return 'This looks like DER (SubjectPublicKeyInfo, what getPublicKey() gives); the key must be the COSE_Key of the attested credential data.';
  }
  return bytes.length === 65 && bytes[0] === UNCOMPRESSED_POINT
    ? 'This looks like a bare point (0x04, x, y); the key must be the COSE_Key of the attested credential data.'
    : undefined;
}

function malformedMember(bytes: Uint8Array): string | undefined {
  const map = readMap(bytes);
  const curve = findCurve(map?.get(-1));
  if (map === undefined || map.get(1) !== KEY_TYPES.EC2 || curve?.kty !== KEY_TYPES.EC2) {
    return undefined;
  }
  const { size } = curve;
  for (const [label, name] of [
    [-2, 'x'],
    [-3, 'y'],
  ] as const) {
    const value = map.get(label);
    if (typeof value === 'boolean') {
      return 'The point is compressed (y is only a sign), which WebAuthn does not allow (§5.8.5); write both coordinates.';
    }
    if (value instanceof Uint8Array && value.length < size) {
      return `The coordinate ${name} has ${value.length} bytes, so it lost its leading zeros; pad it on the left to ${size} bytes.`;
    }
    if (value instanceof Uint8Array && value.length === size + 1 && value[0] === 0) {
      return `The coordinate ${name} has a zero byte before it, as DER writes integers; cut it to ${size} bytes.`;
    }
  }
  return findAlgorithm(map.get(3)) === undefined
    ? 'The key has no algorithm (label 3) that WebAuthn knows; it must be one of pubKeyCredParams.'
    : undefined;
}

function readMap(bytes: Uint8Array): CborMap | undefined {
  try {
    return decodeCborMap(bytes).value;
  } catch {
    return undefined;
  }
}

const EC2 = 2;
const RSA = 3;

/** One sentence on a signature that does not verify, from the shape it has. */
export function signatureHint(key: CoseKey, signature: Uint8Array): string {
  if (signature.length === 0) {
    return 'The signature is empty; send response.signature as the browser gave it.';
  }
  if (asciiText(signature) !== undefined && decodedTwice(signature) !== undefined) {
    return 'The signature was encoded twice: its bytes are base64 text; encode response.signature once.';
  }
  const isDer = ecdsaSignatureParts(signature) !== undefined;
  if (key.kty === EC2 && !isDer) {
    return signature.length === 2 * key.x.length
      ? 'This has the length of raw r and s; WebAuthn wants ECDSA signatures in DER (§6.5.5).'
      : 'This is not an ECDSA signature in DER (§6.5.5): bytes were added, lost or changed. Send response.signature unchanged.';
  }
  if (key.kty === RSA && signature.length !== key.n.length) {
    return `An RSA signature is as long as the modulus (${key.n.length} bytes); this one has ${signature.length}, so it is of another key, or was changed.`;
  }
  if (key.kty !== EC2 && isDer) {
    return 'This is an ECDSA signature, but the registered key is not an ECDSA key: the response belongs to another credential.';
  }
  return 'The signature was made with another key or over other bytes. Send authenticatorData, clientDataJSON and signature unchanged, and check that the stored public key belongs to this credential.';
}
