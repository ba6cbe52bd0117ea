import { createCipheriv, createDecipheriv, createECDH, createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { concatBytes } from '../kernel/bytes.js';
import { findCurve } from '../webauthn/algorithms.js';
import type { RandomSource } from './key-pair.js';
import type { KeyAgreementKey, PinUvAuthProtocolId } from './ports.js';

/**
 * Length of a P-256 coordinate in bytes. This file implements both sides of the PIN/UV auth protocols (CTAP 2.3 §6.5): each side decrypts
 * what the other has encrypted.
 */

const COORDINATE_BYTES = 32;
const IV_BYTES = 16;
/** OpenSSL's name of the curve used in key agreements. */
const P256 = findCurve(1)?.openssl ?? '';
const UNCOMPRESSED_POINT = Uint8Array.of(4);

/** One side of a key agreement (ECDH on P-256). */
export interface KeyAgreement {
  readonly publicKey: KeyAgreementKey;
  /** Computes the secret that both sides share: 32 bytes for protocol 1, 64 for protocol 2 (HMAC key, then AES key). */
  sharedSecret(protocol: PinUvAuthProtocolId, peer: KeyAgreementKey): Uint8Array;
}

/**
 * Creates one side of a key agreement.
 *
 * @param privateKey 32 bytes; default: drawn from `random`.
 */
export function agreeOnKey(random: RandomSource, privateKey?: Uint8Array): KeyAgreement {
  const ecdh = createECDH(P256);
  ecdh.setPrivateKey(privateKey ?? privateScalar(random));
  const point = new Uint8Array(ecdh.getPublicKey());
  return {
    publicKey: { x: point.slice(1, 1 + COORDINATE_BYTES), y: point.slice(1 + COORDINATE_BYTES) },
    sharedSecret: (protocol, { x, y }) => deriveKeys(protocol, new Uint8Array(ecdh.computeSecret(concatBytes(UNCOMPRESSED_POINT, x, y)))),
  };
}

/** Draws a private key of 32 bytes. Clears the highest bit, so that the number is below the order of P-256. */
function privateScalar(random: RandomSource): Uint8Array {
  const scalar = Uint8Array.from(random(COORDINATE_BYTES));
  scalar[0] = (scalar[0] ?? 0) & 0x7f;
  return scalar;
}

/** Derives the keys from the x coordinate of the shared point: the protocol's function kdf(Z) (CTAP 2.3 §6.5.6, §6.5.7). */
function deriveKeys(protocol: PinUvAuthProtocolId, z: Uint8Array): Uint8Array {
  if (protocol === 1) return new Uint8Array(createHash('sha256').update(z).digest());
  const salt = new Uint8Array(COORDINATE_BYTES);
  const key = (info: string) => new Uint8Array(hkdfSync('sha256', z, salt, info, 32));
  return concatBytes(key('CTAP2 HMAC key'), key('CTAP2 AES key'));
}

const aesKey = (protocol: PinUvAuthProtocolId, secret: Uint8Array) => (protocol === 1 ? secret : secret.subarray(32));
const hmacKey = (protocol: PinUvAuthProtocolId, secret: Uint8Array) => (protocol === 1 ? secret : secret.subarray(0, 32));

/**
 * Encrypts with AES-256-CBC without padding: the protocol's function encrypt(key, demPlaintext). Protocol 2 puts a random initialization
 * vector in front of the result.
 */
export function encrypt(protocol: PinUvAuthProtocolId, secret: Uint8Array, plaintext: Uint8Array, random: RandomSource): Uint8Array {
  const iv = protocol === 1 ? new Uint8Array(IV_BYTES) : random(IV_BYTES);
  const cipher = createCipheriv('aes-256-cbc', aesKey(protocol, secret), iv).setAutoPadding(false);
  const ciphertext = concatBytes(cipher.update(plaintext), cipher.final());
  return protocol === 1 ? ciphertext : concatBytes(iv, ciphertext);
}

/**
 * Decrypts bytes: the protocol's function decrypt(key, ciphertext). Undefined if there are too few bytes or they do not form whole blocks.
 */
export function decrypt(protocol: PinUvAuthProtocolId, secret: Uint8Array, ciphertext: Uint8Array): Uint8Array | undefined {
  const start = protocol === 1 ? 0 : IV_BYTES;
  if (ciphertext.length < start || ciphertext.length % IV_BYTES !== 0) return undefined;
  const iv = protocol === 1 ? new Uint8Array(IV_BYTES) : ciphertext.subarray(0, IV_BYTES);
  const decipher = createDecipheriv('aes-256-cbc', aesKey(protocol, secret), iv).setAutoPadding(false);
  return concatBytes(decipher.update(ciphertext.subarray(start)), decipher.final());
}

/** Computes an HMAC-SHA-256: the protocol's function authenticate(key, message). Protocol 1 keeps only 16 bytes of the result. */
export function authenticate(protocol: PinUvAuthProtocolId, secret: Uint8Array, message: Uint8Array): Uint8Array {
  const code = new Uint8Array(createHmac('sha256', hmacKey(protocol, secret)).update(message).digest());
  return protocol === 1 ? code.slice(0, 16) : code;
}

/** Checks the HMAC of a message: the protocol's function verify(key, message, signature). */
export function isAuthentic(protocol: PinUvAuthProtocolId, secret: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const expected = authenticate(protocol, secret, message);
  return expected.length === signature.length && timingSafeEqual(expected, signature);
}
