import { constants, type KeyObject, verify } from 'node:crypto';
import { decodeUtf8, encodeUtf8 } from '../../kernel/bytes.js';
import { isObject } from '../../kernel/json-value.js';
import { ALGORITHMS, findCurve } from '../../webauthn/algorithms.js';
import { decodeBase64, decodeBase64url } from '../../webauthn/base64url.js';

/** A decoded JWS in compact serialization (RFC 7515 §7.1). Its signature has not been verified. */
export interface Jws {
  readonly alg: string;
  /** Certificates in the header, in DER; empty if the header has none. */
  readonly x5c: readonly Uint8Array[];
  readonly payload: Readonly<Record<string, unknown>>;
  /** The bytes that the signature covers. */
  readonly signingInput: Uint8Array;
  readonly signature: Uint8Array;
}

/**
 * Decodes a JWS in compact serialization.
 *
 * @throws Error naming the part that is malformed.
 */
export function readJws(bytes: Uint8Array): Jws {
  const text = decodeUtf8(bytes);
  const parts = text.split('.');
  const [header = '', payload = '', signature = ''] = parts;
  if (parts.length !== 3) {
    throw new TypeError(`expected three parts with dots between them, got ${parts.length}`);
  }
  const { alg, x5c = [] } = readObject(header, 'header');
  if (typeof alg !== 'string' || !Array.isArray(x5c)) {
    throw new TypeError('expected a header with alg and x5c');
  }
  return {
    alg,
    x5c: x5c.map(readCertificate),
    payload: readObject(payload, 'payload'),
    signingInput: encodeUtf8(`${header}.${payload}`),
    signature: decodeBase64url(signature),
  };
}

/** Decodes a certificate in the `x5c` header, which is in base64 rather than base64url (RFC 7515 §4.1.6). */
function readCertificate(text: unknown): Uint8Array {
  const decoded = typeof text === 'string' ? decodeBase64(text) : undefined;
  if (decoded === undefined) {
    throw new TypeError('expected x5c to be an array of base64 strings');
  }
  return decoded.bytes;
}

function readObject(part: string, name: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(decodeUtf8(decodeBase64url(part)));
  if (!isObject(value)) {
    throw new TypeError(`expected the ${name} to be a JSON object`);
  }
  return Object.fromEntries(Object.entries(value));
}

/** Finds OpenSSL's name of the curve for an ECDSA algorithm of JOSE. JOSE and COSE have the same names and curves. */
function findOpensslCurve(alg: string): string | undefined {
  return findCurve(ALGORITHMS.find(({ name }) => name === alg)?.crv)?.openssl;
}

/**
 * Verifies the signature of a JWS with the algorithm `alg` (RFC 7518 §3.1). Returns `unsupported` if RFC 7518 does not define `alg` as a
 * public-key algorithm.
 */
export function verifyJws({ alg, signingInput, signature }: Jws, key: KeyObject): 'valid' | 'invalid' | 'unsupported' {
  const match = /^(RS|PS|ES)(256|384|512)$/.exec(alg);
  if (match === null) {
    return 'unsupported';
  }
  const [, family, size] = match;
  const fits = family === 'ES' ? key.asymmetricKeyDetails?.namedCurve === findOpensslCurve(alg) : key.asymmetricKeyType === 'rsa';
  if (!fits) {
    return 'invalid';
  }
  const pss = family === 'PS' ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST } : {};
  try {
    return verify(`sha${size}`, signingInput, { key, dsaEncoding: 'ieee-p1363', ...pss }, signature) ? 'valid' : 'invalid';
  } catch {
    return 'invalid';
  }
}
