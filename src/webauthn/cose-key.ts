import { toHex } from '../kernel/bytes.js';
import { count } from '../kernel/wording.js';
import { type Algorithm, algorithmName, findAlgorithm, findCurve, isOnCurve, KEY_TYPES, keyTypeName } from './algorithms.js';
import { encodeBase64url } from './base64url.js';
import { CborFloat, type CborMap, type CborValue, decodeCborMap, encodeCbor } from './cbor.js';
import { malformed, readingCbor } from './decoding-error.js';

/** Elliptic curve key with two coordinates (RFC 9053 §7.1.1). They are big-endian, and as long as the curve's field. */
export interface Ec2Key {
  readonly kty: 2;
  readonly alg: number;
  /** Curve number: 1 P-256, 2 P-384, 3 P-521, 8 secp256k1. */
  readonly crv: number;
  readonly x: Uint8Array;
  readonly y: Uint8Array;
}

/** Octet key pair: an Edwards curve key (RFC 9053 §7.2). */
export interface OkpKey {
  readonly kty: 1;
  readonly alg: number;
  /** Curve number: 6 Ed25519, 7 Ed448. */
  readonly crv: number;
  readonly x: Uint8Array;
}

/** RSA key (RFC 8230 §4). Modulus and exponent are big-endian, without leading zeros. */
export interface RsaKey {
  readonly kty: 3;
  readonly alg: number;
  readonly n: Uint8Array;
  readonly e: Uint8Array;
}

/** Key of type AKP ("algorithm key pair"): an ML-DSA key. */
export interface AkpKey {
  readonly kty: 7;
  readonly alg: number;
  readonly pub: Uint8Array;
}

export type CoseKey = Ec2Key | OkpKey | RsaKey | AkpKey;

const CODE = 'public_key_malformed';
const SUBJECT = 'The credential public key';
const { OKP, EC2, RSA, AKP } = KEY_TYPES;
/** Labels of the members of a COSE_Key (RFC 9052 §7, RFC 9053 §7, RFC 8230 §4). */
export const COSE_LABELS = { kty: 1, alg: 3, crv: -1, x: -2, y: -3, n: -1, e: -2, pub: -1 } as const;
/**
 * Accepted lengths of an RSA modulus. RFC 8230 §6.1 and RFC 8812 §2 require at least 2048 bits; the upper bound keeps verification
 * affordable.
 */
const RSA_BYTES = { least: 256, most: 2048 } as const;

/** Members of a COSE_Key map, read with type checks. Errors name the wrong byte. */
interface Members {
  readonly map: CborMap;
  wrong(label: number, detail: string): Error;
  integer(label: number, name: string): number;
  bytes(label: number, name: string, length?: number): Uint8Array;
}

/**
 * Reads a COSE_Key (RFC 9052 §7) by the rules of WebAuthn L3 §6.5.1: canonical CBOR with keys in any order, `alg` present, exactly the
 * members of the key type, a curve and lengths that fit the algorithm, and a point on that curve.
 *
 * @throws PasskeyError `public_key_malformed` naming the byte of the wrong member.
 */
export function decodeCoseKey(bytes: Uint8Array): CoseKey {
  const members = open(bytes);
  const kty = members.integer(COSE_LABELS.kty, 'kty');
  const alg = members.integer(COSE_LABELS.alg, 'alg');
  const algorithm = findAlgorithm(alg);
  if (algorithm === undefined) {
    throw members.wrong(COSE_LABELS.alg, `expected a known "alg", got ${alg}`);
  }
  if (algorithm.kty !== kty) {
    const got = keyTypeName(kty) ?? 'unknown';
    throw members.wrong(
      COSE_LABELS.kty,
      `expected "kty" ${algorithm.kty} (${keyTypeName(algorithm.kty)}) for ${algorithm.name}, got ${kty} (${got})`,
    );
  }
  switch (algorithm.kty) {
    case EC2:
      return readEc2(members, algorithm);
    case OKP:
      return readOkp(members, algorithm);
    case RSA:
      return readRsa(members, alg);
    default:
      return readAkp(members, algorithm);
  }
}

/**
 * Reads only the `alg` of a COSE_Key, which is enough to know whether the relying party offered the algorithm.
 *
 * @throws PasskeyError `public_key_malformed` if the bytes are not a map with an integer `alg`.
 */
export function readCoseAlgorithm(bytes: Uint8Array): number {
  return open(bytes).integer(COSE_LABELS.alg, 'alg');
}

function open(bytes: Uint8Array): Members {
  const { value: map, end, offsets } = readingCbor(CODE, SUBJECT, () => decodeCborMap(bytes, 0, { canonical: true }));
  if (end !== bytes.length) {
    throw malformed(CODE, SUBJECT, end, `expected nothing after it, got ${count(bytes.length - end, 'more byte')}`);
  }
  const wrong = (label: number, detail: string) => malformed(CODE, SUBJECT, offsets.get(label) ?? 0, detail);
  return {
    map,
    wrong,
    integer(label, name) {
      const value = map.get(label);
      if (typeof value === 'number') return value;
      const got = value instanceof CborFloat ? `the floating-point number ${value}` : map.has(label) ? 'something else' : 'none';
      throw wrong(label, `expected "${name}" (label ${label}) to be an integer, got ${got}`);
    },
    bytes(label, name, length) {
      const value = map.get(label);
      if (!(value instanceof Uint8Array) || (length !== undefined && value.length !== length)) {
        const expected = length === undefined ? 'a byte string' : count(length, 'byte');
        const got = value instanceof Uint8Array ? count(value.length, 'byte') : value === undefined ? 'none' : 'something else';
        const hint = typeof value === 'boolean' ? ' (the compressed form of a point, which WebAuthn does not allow)' : '';
        throw wrong(label, `expected "${name}" (label ${label}) to be ${expected}, got ${got}${hint}`);
      }
      return value;
    },
  };
}

/** Rejects members that the key type does not require (WebAuthn L3 §6.5.1), especially private ones. */
function refuseOthers(members: Members, allowed: readonly number[]): void {
  for (const label of members.map.keys()) {
    if (typeof label !== 'number' || !allowed.includes(label)) {
      const name = typeof label === 'number' || typeof label === 'string' ? `label ${label}` : 'a label that is neither integer nor text';
      throw members.wrong(typeof label === 'number' ? label : Number.NaN, `expected only the labels ${allowed.join(', ')}, got ${name}`);
    }
  }
}

function readCurve(members: Members, algorithm: Algorithm): number {
  const crv = members.integer(COSE_LABELS.crv, 'crv');
  if (crv !== algorithm.crv) {
    throw members.wrong(COSE_LABELS.crv, `expected "crv" ${algorithm.crv} for ${algorithm.name}, got ${crv}`);
  }
  return crv;
}

function readEc2(members: Members, algorithm: Algorithm): Ec2Key {
  const crv = readCurve(members, algorithm);
  const curve = findCurve(crv);
  const x = members.bytes(COSE_LABELS.x, 'x', curve?.size);
  const y = members.bytes(COSE_LABELS.y, 'y', curve?.size);
  refuseOthers(members, [COSE_LABELS.kty, COSE_LABELS.alg, COSE_LABELS.crv, COSE_LABELS.x, COSE_LABELS.y]);
  if (curve?.weierstrass === undefined || !isOnCurve(curve.weierstrass, toHex(x), toHex(y))) {
    throw members.wrong(
      COSE_LABELS.x,
      `expected "x" and "y" to be a point on ${curve?.name ?? 'the curve'}, got coordinates that are not on it`,
    );
  }
  return { kty: EC2, alg: algorithm.id, crv, x, y };
}

function readOkp(members: Members, algorithm: Algorithm): OkpKey {
  const crv = readCurve(members, algorithm);
  const x = members.bytes(COSE_LABELS.x, 'x', findCurve(crv)?.size);
  refuseOthers(members, [COSE_LABELS.kty, COSE_LABELS.alg, COSE_LABELS.crv, COSE_LABELS.x]);
  return { kty: OKP, alg: algorithm.id, crv, x };
}

function readRsa(members: Members, alg: number): RsaKey {
  const n = members.bytes(COSE_LABELS.n, 'n');
  const e = members.bytes(COSE_LABELS.e, 'e');
  if (n.length < RSA_BYTES.least || n.length > RSA_BYTES.most || n[0] === 0 || (n.at(-1) ?? 0) % 2 === 0) {
    throw members.wrong(
      COSE_LABELS.n,
      `expected "n" (label -1) to be an odd number of ${RSA_BYTES.least} to ${RSA_BYTES.most} bytes without a leading zero byte, got ${count(n.length, 'byte')}`,
    );
  }
  const isOne = e.length === 1 && e[0] === 1;
  if (e.length === 0 || e.length > n.length || e[0] === 0 || (e.at(-1) ?? 0) % 2 === 0 || isOne) {
    throw members.wrong(
      COSE_LABELS.e,
      `expected "e" (label -2) to be an odd number above 1 without a leading zero byte, got ${count(e.length, 'byte')}`,
    );
  }
  refuseOthers(members, [COSE_LABELS.kty, COSE_LABELS.alg, COSE_LABELS.n, COSE_LABELS.e]);
  return { kty: RSA, alg, n, e };
}

function readAkp(members: Members, { id: alg, publicKeyBytes }: Algorithm): AkpKey {
  const pub = members.bytes(COSE_LABELS.pub, 'pub', publicKeyBytes);
  refuseOthers(members, [COSE_LABELS.kty, COSE_LABELS.alg, COSE_LABELS.pub]);
  return { kty: AKP, alg, pub };
}

/** Writes a COSE_Key in CTAP2's canonical order, without the checks of `decodeCoseKey`. */
export function encodeCoseKey(key: CoseKey): Uint8Array {
  const common: [CborValue, CborValue][] = [
    [COSE_LABELS.kty, key.kty],
    [COSE_LABELS.alg, key.alg],
  ];
  return encodeCbor(new Map([...common, ...ownMembers(key)]));
}

function ownMembers(key: CoseKey): [CborValue, CborValue][] {
  switch (key.kty) {
    case EC2:
      return [
        [COSE_LABELS.crv, key.crv],
        [COSE_LABELS.x, key.x],
        [COSE_LABELS.y, key.y],
      ];
    case OKP:
      return [
        [COSE_LABELS.crv, key.crv],
        [COSE_LABELS.x, key.x],
      ];
    case RSA:
      return [
        [COSE_LABELS.n, key.n],
        [COSE_LABELS.e, key.e],
      ];
    default:
      return [[COSE_LABELS.pub, key.pub]];
  }
}

/** Converts the key to a JSON Web Key (RFC 7517), the format in which Node and browsers can import every kind of key. */
export function toJwk(key: CoseKey): Record<string, string> {
  switch (key.kty) {
    case EC2:
      return { kty: 'EC', crv: findCurve(key.crv)?.name ?? '', x: encodeBase64url(key.x), y: encodeBase64url(key.y) };
    case OKP:
      return { kty: 'OKP', crv: findCurve(key.crv)?.name ?? '', x: encodeBase64url(key.x) };
    case RSA:
      return { kty: 'RSA', n: encodeBase64url(key.n), e: encodeBase64url(key.e) };
    default:
      return { kty: 'AKP', alg: algorithmName(key.alg), pub: encodeBase64url(key.pub) };
  }
}
