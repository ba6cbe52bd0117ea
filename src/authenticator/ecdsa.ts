import { createECDH, createHash, createHmac } from 'node:crypto';
import { concatBytes } from '../kernel/bytes.js';
import type { Curve, Weierstrass } from '../webauthn/algorithms.js';
import { inverse, readNumber, writeNumber } from './big-number.js';

/**
 * Deterministic ECDSA (RFC 6979). Unlike Node's own signatures, the same key and message give the same signature on every run and platform.
 * For test keys only, because the running time depends on the key.
 */

type EcdsaHash = 'sha1' | 'sha256' | 'sha384' | 'sha512';

/** A private key and its curve in short Weierstrass form. */
interface EcdsaKey {
  readonly curve: Curve;
  /** Private scalar from 1 to n - 1. */
  readonly scalar: bigint;
}

/** r and s of a signature, big-endian, each as long as the order of the curve. */
export interface EcdsaParts {
  readonly r: Uint8Array;
  readonly s: Uint8Array;
}

/** Signs data with deterministic ECDSA. @throws TypeError for a curve that is not in short Weierstrass form. */
export function signDeterministically({ curve, scalar }: EcdsaKey, hash: EcdsaHash, data: Uint8Array): EcdsaParts {
  const { n } = loadWeierstrass(curve);
  const bits = n.toString(2).length;
  const size = Math.ceil(bits / 8);
  const digest = createHash(hash).update(data).digest();
  const z = leftmost(digest, bits) % n;
  // RFC 6979 §3.2: another k in the rare case that this one gives no signature.
  for (const k of candidates({ n, bits, size, hash }, writeNumber(scalar, size), writeNumber(z, size))) {
    const r = readNumber(timesBasePoint(curve, k)) % n;
    const s = (inverse(k, n) * ((z + r * scalar) % n)) % n;
    if (r !== 0n && s !== 0n) return { r: writeNumber(r, size), s: writeNumber(s, size) };
  }
  throw new Error('No nonce was found.');
}

/** Converts bytes to a private scalar: the number that they form, reduced if necessary into the range from 1 to n - 1. */
export function scalarFrom(curve: Curve, bytes: Uint8Array): bigint {
  const { n } = loadWeierstrass(curve);
  return ((readNumber(bytes) + n - 2n) % (n - 1n)) + 1n;
}

/** Computes the public key. Its coordinates are as long as an element of the field. */
export function publicPoint({ curve, scalar }: EcdsaKey): { readonly x: Uint8Array; readonly y: Uint8Array } {
  const ecdh = createECDH(curve.openssl);
  ecdh.setPrivateKey(writeNumber(scalar, curve.size));
  const point = new Uint8Array(ecdh.getPublicKey());
  return { x: point.slice(1, 1 + curve.size), y: point.slice(1 + curve.size) };
}

/** Computes the x coordinate of k times the base point. Uses Node's crypto, which multiplies much faster than big integers do. */
function timesBasePoint(curve: Curve, k: bigint): Uint8Array {
  return publicPoint({ curve, scalar: k }).x;
}

interface Order {
  readonly n: bigint;
  readonly bits: number;
  readonly size: number;
  readonly hash: EcdsaHash;
}

/** Generates candidates for the number k (RFC 6979 §3.2, steps b to h). */
function* candidates({ n, bits, size, hash }: Order, key: Uint8Array, digest: Uint8Array): Generator<bigint> {
  const hmac = (secret: Uint8Array, ...parts: readonly Uint8Array[]) =>
    new Uint8Array(
      createHmac(hash, secret)
        .update(concatBytes(...parts))
        .digest(),
    );
  const length = createHash(hash).digest().length;
  let v: Uint8Array = new Uint8Array(length).fill(1);
  let k: Uint8Array = new Uint8Array(length);
  for (const step of [0, 1]) {
    k = hmac(k, v, Uint8Array.of(step), key, digest);
    v = hmac(k, v);
  }
  for (;;) {
    let t: Uint8Array = new Uint8Array();
    while (t.length < size) {
      v = hmac(k, v);
      t = concatBytes(t, v);
    }
    const candidate = leftmost(t, bits);
    if (candidate > 0n && candidate < n) yield candidate;
    k = hmac(k, v, Uint8Array.of(0));
    v = hmac(k, v);
  }
}

function loadWeierstrass({ name, weierstrass }: Curve): Weierstrass {
  if (weierstrass === undefined) throw new TypeError(`Expected a curve for ECDSA; got ${name}.`);
  return weierstrass;
}

/** Reads the leftmost bits of the bytes as a number (bits2int, RFC 6979 §2.3.2). */
function leftmost(bytes: Uint8Array, bits: number): bigint {
  const excess = bytes.length * 8 - bits;
  return excess > 0 ? readNumber(bytes) >> BigInt(excess) : readNumber(bytes);
}
