import { ECDH } from 'node:crypto';
import { PasskeyError } from '../errors.js';
import { equalBytes, toHex } from '../kernel/bytes.js';
import { ALGORITHMS, type Algorithm, CURVES, type Curve, findAlgorithm, isOnCurve, KEY_TYPES } from '../webauthn/algorithms.js';
import { type CoseKey, decodeCoseKey, encodeCoseKey } from '../webauthn/cose-key.js';
import { contents, DerSyntaxError, decodeDer, encoded, isUniversal, sequence, TAG } from '../webauthn/der.js';
import { bitString } from '../webauthn/der-values.js';
import { KEY_IDENTIFIERS } from '../webauthn/subject-public-key-info.js';

/** COSEAlgorithmIdentifiers with which a key may be used, the most likely first. */
export type Offered = readonly number[];

/** The algorithm that is assumed for an RSA key that does not name one. */
const RS256 = -257;

/**
 * Chooses an algorithm for a key that does not name one: an offered algorithm that fits the key, otherwise the first known one that does.
 */
export function chooseAlgorithm({ kty, crv }: { readonly kty: number; readonly crv?: number }, offered: Offered): number {
  const fits = (algorithm: Algorithm | undefined) => algorithm?.kty === kty && algorithm.crv === crv;
  return offered.find((id) => fits(findAlgorithm(id))) ?? (kty === KEY_TYPES.RSA ? RS256 : ALGORITHMS.find(fits)?.id) ?? 0;
}

/**
 * Encodes a key as COSE_Key.
 *
 * @throws PasskeyError `public_key_malformed` if the members of the key contradict each other.
 */
export function writeKey(key: CoseKey): Uint8Array {
  const bytes = encodeCoseKey(key);
  decodeCoseKey(bytes);
  return bytes;
}

/** Converts a SubjectPublicKeyInfo or an RSAPublicKey in DER to a COSE_Key; undefined if the bytes are neither. */
export function readDerKey(der: Uint8Array, offered: Offered): Uint8Array | undefined {
  const [first, second, third] = readSequence(der);
  if (isUniversal(first, TAG.integer) && isUniversal(second, TAG.integer) && third === undefined) return readRsaKey(der, offered);
  const [kind] = [...KEY_IDENTIFIERS].find(([, bytes]) => first !== undefined && equalBytes(bytes, encoded(first))) ?? [];
  if (kind === undefined || !isUniversal(second, TAG.bitString)) return undefined;
  const bytes = attempt(() => bitString(second, 'the public key'));
  if (bytes === undefined) return undefined;
  if (kind === 'RSA') return readRsaKey(bytes, offered);
  const named = ALGORITHMS.find(({ name }) => name === kind);
  if (named?.kty === KEY_TYPES.AKP) return attempt(() => writeKey({ kty: KEY_TYPES.AKP, alg: named.id, pub: bytes }));
  const curve = CURVES.find(({ name }) => name === kind);
  return curve?.kty === KEY_TYPES.OKP ? readEdwards(bytes, curve, offered) : readPoint(bytes, offered, curve);
}

function readRsaKey(der: Uint8Array, offered: Offered): Uint8Array | undefined {
  const [modulus, exponent] = readSequence(der);
  if (!isUniversal(modulus, TAG.integer) || !isUniversal(exponent, TAG.integer)) return undefined;
  const [n, e] = [modulus, exponent].map(contents).map((bytes) => (bytes[0] === 0 ? bytes.subarray(1) : bytes));
  if (n === undefined || e === undefined) return undefined;
  return attempt(() => writeKey({ kty: KEY_TYPES.RSA, alg: chooseAlgorithm({ kty: KEY_TYPES.RSA }, offered), n, e }));
}

function readSequence(der: Uint8Array) {
  return attempt(() => sequence(decodeDer(der), 'a sequence')) ?? [];
}

const UNCOMPRESSED = 0x04;
const COMPRESSED: readonly number[] = [0x02, 0x03];

/**
 * Converts an elliptic curve point (SEC 1 §2.3.3), or its coordinates alone, to a COSE_Key; undefined for other bytes.
 *
 * @param only the only curve to accept; undefined accepts all curves.
 */
export function readPoint(bytes: Uint8Array, offered: Offered, only?: Curve): Uint8Array | undefined {
  const [form = 0] = bytes;
  for (const curve of only === undefined ? CURVES : [only]) {
    const { weierstrass, size, crv } = curve;
    if (weierstrass === undefined) continue;
    const coordinates =
      form === UNCOMPRESSED && bytes.length === 2 * size + 1
        ? bytes.subarray(1)
        : bytes.length === 2 * size
          ? bytes
          : COMPRESSED.includes(form) && bytes.length === size + 1
            ? attempt(() => decompress(bytes, curve))
            : undefined;
    if (coordinates === undefined) continue;
    const [x, y] = [coordinates.subarray(0, size), coordinates.subarray(size)];
    if (!isOnCurve(weierstrass, toHex(x), toHex(y))) continue;
    return writeKey({ kty: KEY_TYPES.EC2, alg: chooseAlgorithm({ kty: KEY_TYPES.EC2, crv }, offered), crv, x, y });
  }
  return undefined;
}

function decompress(point: Uint8Array, { openssl }: Curve): Uint8Array {
  const whole = ECDH.convertKey(point, openssl, undefined, undefined, 'uncompressed');
  return Uint8Array.from(Buffer.from(whole)).subarray(1);
}

/** Converts the bytes of an Ed25519 or Ed448 key to a COSE_Key; undefined if their number fits neither. */
export function readEdwards(bytes: Uint8Array, only: Curve | undefined, offered: Offered): Uint8Array | undefined {
  const curve = only ?? CURVES.find(({ kty, size, name }) => kty === KEY_TYPES.OKP && name.startsWith('Ed') && size === bytes.length);
  if (curve === undefined || curve.size !== bytes.length) return undefined;
  const { crv } = curve;
  return attempt(() => writeKey({ kty: KEY_TYPES.OKP, alg: chooseAlgorithm({ kty: KEY_TYPES.OKP, crv }, offered), crv, x: bytes }));
}

/** Calls `read` and returns its result; undefined if it throws because the bytes are not a key. Other errors are thrown again. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    // OpenSSL's errors about a point have a code of their own.
    if (error instanceof PasskeyError || error instanceof DerSyntaxError || (error instanceof Error && 'code' in error)) return undefined;
    throw error;
  }
}
