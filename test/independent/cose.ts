import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { toBase64url } from './bytes.js';
import { type CborMap, isBytes } from './cbor.js';
import { checkEcdsaSignature, children, readDer } from './der.js';
import type { Faults } from './faults.js';
import { check, type Party, refuse } from './party.js';

interface Scheme {
  readonly kty: 1 | 2 | 3;
  readonly curve?: number;
  readonly hash: string | null;
  readonly pss?: boolean;
}

/** COSE algorithms (RFC 9053, RFC 8812, RFC 9864) with the keys that §5.8.5 binds them to. */
const SCHEMES: ReadonlyMap<number, Scheme> = new Map<number, Scheme>([
  [-7, { kty: 2, curve: 1, hash: 'sha256' }],
  [-9, { kty: 2, curve: 1, hash: 'sha256' }],
  [-35, { kty: 2, curve: 2, hash: 'sha384' }],
  [-51, { kty: 2, curve: 2, hash: 'sha384' }],
  [-36, { kty: 2, curve: 3, hash: 'sha512' }],
  [-52, { kty: 2, curve: 3, hash: 'sha512' }],
  [-47, { kty: 2, curve: 8, hash: 'sha256' }],
  [-8, { kty: 1, curve: 6, hash: null }],
  [-19, { kty: 1, curve: 6, hash: null }],
  [-53, { kty: 1, curve: 7, hash: null }],
  [-257, { kty: 3, hash: 'sha256' }],
  [-258, { kty: 3, hash: 'sha384' }],
  [-259, { kty: 3, hash: 'sha512' }],
  [-37, { kty: 3, hash: 'sha256', pss: true }],
  [-38, { kty: 3, hash: 'sha384', pss: true }],
  [-39, { kty: 3, hash: 'sha512', pss: true }],
  [-65535, { kty: 3, hash: 'sha1' }],
]);

const RS1 = -65535;

/** Algorithms that credentials may have; RS1 is for statements of TPMs. */
export const ALGORITHMS: readonly number[] = [...SCHEMES.keys()].filter((id) => id !== RS1);

const CURVES: Readonly<Record<number, { readonly name: string; readonly bytes: number }>> = {
  1: { name: 'P-256', bytes: 32 },
  2: { name: 'P-384', bytes: 48 },
  3: { name: 'P-521', bytes: 66 },
  6: { name: 'Ed25519', bytes: 32 },
  7: { name: 'Ed448', bytes: 57 },
  8: { name: 'secp256k1', bytes: 32 },
};

export interface CoseKey {
  readonly alg: number;
  readonly map: CborMap;
}

export function readCoseKey(map: CborMap): CoseKey {
  const alg = map.get(3);
  if (typeof alg !== 'number') refuse('key_unreadable', 'The credential public key names no algorithm.');
  return { alg, map };
}

/** The key of OpenSSL, after all that §5.8.5 says of its type and curve. */
export function importKey({ alg, map }: CoseKey, { faults }: Party): KeyObject {
  const scheme = SCHEMES.get(alg);
  const kty = map.get(1);
  const curve = map.get(-1);
  check(scheme !== undefined || faults.has('algorithm-unchecked'), 'key_unreadable', `This server has no algorithm ${alg}.`);
  if (!faults.has('key-type-unchecked')) {
    check(scheme === undefined || scheme.kty === kty, 'key_unreadable', `A key of type ${String(kty)} cannot have algorithm ${alg}.`);
  }
  const lenient = kty === 2 ? faults.has('curve-unchecked') : faults.has('okp-curve-unchecked');
  const bound = scheme?.curve !== undefined && scheme.kty === kty && !lenient;
  check(!bound || scheme.curve === curve, 'key_unreadable', `A key of algorithm ${alg} cannot be on curve ${String(curve)}.`);
  try {
    return createPublicKey({ key: toJwk(map, kty, faults.has('compressed-point-accepted')), format: 'jwk' });
  } catch {
    return refuse('key_unreadable', `The credential public key is no key of algorithm ${alg}.`);
  }
}

function toJwk(map: CborMap, kty: unknown, compressed: boolean): { kty: string; [member: string]: string } {
  const bytes = (label: number, length?: number): string => {
    const value = map.get(label);
    if (!isBytes(value) || (length !== undefined && value.length !== length) || value.length === 0) {
      throw new Error(`a COSE key with an unfit parameter ${label}`);
    }
    return toBase64url(value);
  };
  if (kty === 3) return { kty: 'RSA', n: bytes(-1), e: bytes(-2) };
  const curve = CURVES[Number(map.get(-1))];
  if (curve === undefined) throw new Error('a COSE key on an unknown curve');
  if (kty === 1) return { kty: 'OKP', crv: curve.name, x: bytes(-2, curve.bytes) };
  if (kty !== 2) throw new Error('a COSE key of an unknown type');
  const x = bytes(-2, curve.bytes);
  const sign = map.get(-3);
  if (compressed && typeof sign === 'boolean') return { kty: 'EC', crv: curve.name, x, y: decompress(x, sign, curve.name) };
  return { kty: 'EC', crv: curve.name, x, y: bytes(-3, curve.bytes) };
}

/** OpenSSL reads compressed points in an SPKI. */
function decompress(x: string, sign: boolean, curve: string): string {
  if (curve !== 'P-256') throw new Error('a compressed point on another curve than P-256');
  const head = Buffer.from('3039301306072a8648ce3d020106082a8648ce3d030107032200', 'hex');
  const key = Buffer.concat([head, Buffer.from([sign ? 3 : 2]), Buffer.from(x, 'base64url')]);
  const { y } = createPublicKey({ key, format: 'der', type: 'spki' }).export({ format: 'jwk' });
  return y ?? '';
}

export interface Signed {
  readonly alg: number;
  readonly key: KeyObject;
  readonly data: Uint8Array;
  readonly signature: Uint8Array;
}

const KEY_KINDS: Readonly<Record<number, readonly string[]>> = { 1: ['ed25519', 'ed448'], 2: ['ec'], 3: ['rsa'] };

/** Whether a key is of the kind, and on the curve, that an algorithm is for. */
export function keyFits(alg: number, key: KeyObject): boolean {
  const scheme = SCHEMES.get(alg);
  if (scheme === undefined || !KEY_KINDS[scheme.kty]?.includes(key.asymmetricKeyType ?? '')) return false;
  if (scheme.curve === undefined) return true;
  const jwk = key.export({ format: 'jwk' });
  return jwk.crv === CURVES[scheme.curve]?.name;
}

/** §6.5.5: ECDSA signatures in DER, the salt of RSASSA-PSS as long as the hash. */
export function signatureFits({ alg, key, data, signature }: Signed, { faults }: Party): boolean {
  const scheme = SCHEMES.get(alg);
  if (scheme === undefined) return false;
  const kind = key.asymmetricKeyType;
  try {
    if (kind === 'ec') {
      const hash = faults.has('hash-always-sha256') ? 'sha256' : scheme.hash;
      const raw = faults.has('signature-not-der') && verify(hash, data, { key, dsaEncoding: 'ieee-p1363' }, signature);
      const whole = faults.has('signature-goes-on') ? readDer(signature).whole : mendSignature(signature, faults);
      if (raw) return true;
      checkEcdsaSignature(whole);
      return verify(hash, data, key, whole);
    }
    if (kind !== 'rsa') return verify(null, data, key, signature);
    const pss = { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
    const either = faults.has('rsa-padding-unbound');
    return (
      ((scheme.pss === true || either) && verify(scheme.hash, data, pss, signature)) ||
      ((scheme.pss !== true || either) && verify(scheme.hash, data, key, signature))
    );
  } catch (error) {
    if (faults.has('malformed-signature-crashes')) throw error;
    return faults.has('signature-exception-passes');
  }
}

/** The DER of a signature that is BER or has a negative number, with these faults. */
function mendSignature(signature: Uint8Array, faults: Faults): Uint8Array {
  const isOpen = signature[1] === 0x80 && faults.has('signature-indefinite-length');
  if (!isOpen && !faults.has('signature-negative-accepted')) return signature;
  const numbers = children({ content: isOpen ? Buffer.from(signature.slice(2, -2)) : readDer(signature).content });
  if (!isOpen && numbers.every(({ content }) => (content[0] ?? 0) < 0x80)) return signature;
  const written = numbers.map(({ content, whole }) =>
    (content[0] ?? 0) < 0x80 ? whole : Buffer.concat([Buffer.from([2, content.length + 1, 0]), content]),
  );
  const content = Buffer.concat(written);
  return Buffer.concat([Buffer.from([0x30, content.length]), content]);
}

/** OpenSSL's name of the hash of an algorithm. */
export const hashOf = (alg: number): string | undefined => SCHEMES.get(alg)?.hash ?? undefined;
