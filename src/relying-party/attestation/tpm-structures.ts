import { findCurve } from '../../webauthn/algorithms.js';
import { TPM_ALG, TPM_ECC_CURVES, TPM_ST_ATTEST_CERTIFY } from '../../webauthn/tpm.js';

/** Structures of the TPM 2.0 Library, Part 2, as far as WebAuthn L3 §8.3 looks into them. All numbers are big-endian. */

/** The members of a TPMT_PUBLIC structure (TPM 2.0 Library, Part 2, 12.2.4) that WebAuthn needs. */
export interface PublicArea {
  readonly type: number;
  /** TPM_ALG_ID of the hash with which the Name is computed. */
  readonly nameAlg: number;
  /** Whether the structure names a symmetric algorithm, a scheme or a key derivation function. The details of these precede the key. */
  readonly detailed: boolean;
  readonly key:
    | { readonly kty: 3; readonly n: Uint8Array; readonly e: number }
    | { readonly kty: 2; readonly curve: number; readonly crv: number | undefined; readonly x: Uint8Array; readonly y: Uint8Array };
}

/**
 * A TPMS_ATTEST structure (TPM 2.0 Library, Part 2, 10.12.8). The bytes after `firmwareVersion` are read only if the structure has the type
 * that §8.3 requires.
 */
export interface Attest {
  readonly magic: number;
  readonly type: number;
  readonly extraData: Uint8Array;
  /** `name` of TPMS_CERTIFY_INFO; undefined if the structure has another type. */
  readonly name: Uint8Array | undefined;
}

class TpmSyntaxError extends Error {
  override readonly name = 'TpmSyntaxError';
}

interface Reader {
  readonly number: (size: 1 | 2 | 4, name: string) => number;
  readonly skip: (size: number, name: string) => void;
  /** Reads a TPM2B structure: a size in two bytes, followed by that number of bytes. */
  readonly sized: (name: string) => Uint8Array;
  readonly end: () => void;
}

function reader(bytes: Uint8Array, subject: string): Reader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const take = (size: number, name: string) => {
    if (at + size > bytes.length) {
      throw new TpmSyntaxError(`${subject} ends at byte ${bytes.length}, inside ${name}, which starts at byte ${at}`);
    }
    at += size;
    return at - size;
  };
  const number = (size: 1 | 2 | 4, name: string) => {
    const start = take(size, name);
    return size === 1 ? view.getUint8(start) : size === 2 ? view.getUint16(start) : view.getUint32(start);
  };
  return {
    number,
    skip: take,
    sized(name) {
      const size = number(2, name);
      const start = take(size, name);
      return bytes.subarray(start, start + size);
    },
    end() {
      if (at !== bytes.length) {
        throw new TpmSyntaxError(`${subject} should end at byte ${at}; ${bytes.length - at} more bytes follow`);
      }
    },
  };
}

/**
 * Decodes the public area of a TPM key.
 *
 * @throws TpmSyntaxError
 */
export function readPublicArea(bytes: Uint8Array): PublicArea {
  const from = reader(bytes, 'pubArea');
  const type = from.number(2, 'type');
  const nameAlg = from.number(2, 'nameAlg');
  from.skip(4, 'objectAttributes');
  from.sized('authPolicy');
  if (type !== TPM_ALG.rsa && type !== TPM_ALG.ecc) {
    throw new TpmSyntaxError(`pubArea has type ${type}, which is neither TPM_ALG_RSA (1) nor TPM_ALG_ECC (35)`);
  }
  const symmetric = from.number(2, 'symmetric') !== TPM_ALG.null;
  if (symmetric) {
    from.skip(4, 'symmetric (keyBits, mode)');
  }
  const scheme = skipScheme(from, 'scheme');
  const { derivation, ...read } = type === TPM_ALG.rsa ? readRsa(from) : readEcc(from);
  from.end();
  return { type, nameAlg, detailed: symmetric || scheme || derivation, ...read };
}

interface ReadKey extends Pick<PublicArea, 'key'> {
  /** Whether the parameters name a key derivation function. */
  readonly derivation: boolean;
}

function readRsa(from: Reader): ReadKey {
  from.skip(2, 'keyBits');
  const exponent = from.number(4, 'exponent');
  // Part 2, 12.2.3.5: zero means the default exponent, 2^16 + 1.
  return { key: { kty: 3, n: from.sized('unique'), e: exponent === 0 ? 65537 : exponent }, derivation: false };
}

function readEcc(from: Reader): ReadKey {
  const curve = from.number(2, 'curveID');
  const derivation = skipScheme(from, 'kdf');
  const known = findCurve(TPM_ECC_CURVES.get(curve));
  const x = padded(from.sized('x'), known?.size);
  const y = padded(from.sized('y'), known?.size);
  return { key: { kty: 2, curve, crv: known?.crv, x, y }, derivation };
}

/**
 * Skips a signature scheme, and returns whether there was one. All schemes except null and RSAES name a hash; ECDAA also has a counter (TPM
 * 2.0 Library, Part 2, 11.2).
 */
function skipScheme(from: Reader, name: string): boolean {
  const scheme = from.number(2, name);
  if (scheme === TPM_ALG.null || scheme === TPM_ALG.rsaes) {
    return false;
  }
  from.skip(scheme === TPM_ALG.ecdaa ? 4 : 2, `${name} (details)`);
  return true;
}

/** Pads a coordinate with leading zeros to its full size, since TPMs may leave them out. */
function padded(bytes: Uint8Array, size = bytes.length): Uint8Array {
  if (bytes.length >= size) {
    return bytes;
  }
  const whole = new Uint8Array(size);
  whole.set(bytes, size - bytes.length);
  return whole;
}

/**
 * Decodes the attestation data (TPMS_ATTEST) of a TPM.
 *
 * @throws TpmSyntaxError
 */
export function readAttest(bytes: Uint8Array): Attest {
  const from = reader(bytes, 'certInfo');
  const magic = from.number(4, 'magic');
  const type = from.number(2, 'type');
  from.sized('qualifiedSigner');
  const extraData = from.sized('extraData');
  from.skip(17, 'clockInfo');
  from.skip(8, 'firmwareVersion');
  if (type !== TPM_ST_ATTEST_CERTIFY) {
    return { magic, type, extraData, name: undefined };
  }
  const name = from.sized('name');
  from.sized('qualifiedName');
  from.end();
  return { magic, type, extraData, name };
}

/** A TPMT_SIGNATURE (Part 2, 11.3.4). */
type TpmSignature =
  | { readonly kind: 'rsa'; readonly scheme: number; readonly hash: number; readonly signature: Uint8Array }
  | { readonly kind: 'ecdsa'; readonly scheme: number; readonly hash: number; readonly r: Uint8Array; readonly s: Uint8Array };

/**
 * Decodes a signature of a TPM.
 *
 * @throws TpmSyntaxError
 */
export function readTpmSignature(bytes: Uint8Array): TpmSignature {
  const from = reader(bytes, 'sig');
  const scheme = from.number(2, 'sigAlg');
  if (scheme !== TPM_ALG.rsassa && scheme !== TPM_ALG.rsapss && scheme !== TPM_ALG.ecdsa) {
    throw new TpmSyntaxError(`sig has sigAlg ${scheme}, which is neither RSASSA, RSAPSS nor ECDSA`);
  }
  const hash = from.number(2, 'hash');
  const first = from.sized('signature');
  if (scheme !== TPM_ALG.ecdsa) {
    from.end();
    return { kind: 'rsa', scheme, hash, signature: first };
  }
  const s = from.sized('signatureS');
  from.end();
  return { kind: 'ecdsa', scheme, hash, r: first, s };
}
