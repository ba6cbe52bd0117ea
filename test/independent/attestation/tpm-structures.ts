import { createPublicKey, type KeyObject } from 'node:crypto';
import { Cursor, toBase64url } from '../bytes.js';

const ALG_NULL = 0x0010;
const NAME_HASHES: Readonly<Record<number, string>> = { 0x0004: 'sha1', 0x000b: 'sha256', 0x000c: 'sha384', 0x000d: 'sha512' };
const CURVES: Readonly<Record<number, { readonly name: string; readonly bytes: number }>> = {
  0x0003: { name: 'P-256', bytes: 32 },
  0x0004: { name: 'P-384', bytes: 48 },
  0x0005: { name: 'P-521', bytes: 66 },
};

/** TPMT_PUBLIC (TPM 2.0 library, part 2, §12.2.4). */
export interface PublicArea {
  readonly key: KeyObject;
  /** OpenSSL's name of the hash that names are made with. */
  readonly nameHash: string;
  readonly nameAlgorithm: number;
}

export function readPublicArea(bytes: Uint8Array): PublicArea {
  const cursor = new Cursor(bytes);
  const type = cursor.number(2);
  const nameAlgorithm = cursor.number(2);
  cursor.take(4); // objectAttributes
  cursor.sized(); // authPolicy
  const nameHash = NAME_HASHES[nameAlgorithm];
  if (nameHash === undefined) throw new Error(`a public area with name algorithm ${nameAlgorithm}`);
  if (type !== 0x0001 && type !== 0x0023) throw new Error(`a public area of type ${type}`);
  const key = type === 0x0001 ? readRsa(cursor) : readEcc(cursor);
  if (cursor.left > 0) throw new Error('bytes after a public area');
  return { key, nameHash, nameAlgorithm };
}

/** An algorithm identifier with so many bytes of details, unless it is TPM_ALG_NULL. */
function skipAlgorithm(cursor: Cursor, details: number): void {
  if (cursor.number(2) !== ALG_NULL) cursor.take(details);
}

function readRsa(cursor: Cursor): KeyObject {
  skipAlgorithm(cursor, 4);
  skipAlgorithm(cursor, 2);
  cursor.take(2); // keyBits
  const exponent = cursor.number(4) || 65537;
  const e = Buffer.alloc(4);
  e.writeUInt32BE(exponent);
  const n = cursor.sized();
  const first = e.findIndex((byte) => byte !== 0);
  return createPublicKey({ key: { kty: 'RSA', n: toBase64url(n), e: toBase64url(e.subarray(first)) }, format: 'jwk' });
}

function readEcc(cursor: Cursor): KeyObject {
  skipAlgorithm(cursor, 4);
  skipAlgorithm(cursor, 2);
  const curve = CURVES[cursor.number(2)];
  if (curve === undefined) throw new Error('a public area on an unknown curve');
  skipAlgorithm(cursor, 2);
  const coordinate = () => {
    const bytes = cursor.sized();
    return toBase64url(Buffer.concat([Buffer.alloc(Math.max(0, curve.bytes - bytes.length)), bytes]));
  };
  return createPublicKey({ key: { kty: 'EC', crv: curve.name, x: coordinate(), y: coordinate() }, format: 'jwk' });
}

/** TPMS_ATTEST with TPMS_CERTIFY_INFO (§10.12.8, §10.12.3). */
export interface CertifyInfo {
  readonly magic: number;
  readonly type: number;
  readonly extraData: Buffer;
  /** Name of the key that is certified. */
  readonly name: Buffer;
}

export function readCertifyInfo(bytes: Uint8Array): CertifyInfo {
  const cursor = new Cursor(bytes);
  const magic = cursor.number(4);
  const type = cursor.number(2);
  cursor.sized(); // qualifiedSigner
  const extraData = cursor.sized();
  cursor.take(17 + 8); // clockInfo, firmwareVersion
  const name = cursor.sized();
  cursor.sized(); // qualifiedName
  if (cursor.left > 0) throw new Error('bytes after certInfo');
  return { magic, type, extraData, name };
}
