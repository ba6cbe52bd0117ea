import { concatBytes, fromHex } from '../kernel/bytes.js';
import { findAlgorithm, findCurve, KEY_TYPES } from './algorithms.js';
import type { CoseKey, Ec2Key } from './cose-key.js';
import { bitString, sequence, writeInteger } from './der-writer.js';

/**
 * AlgorithmIdentifiers in DER, as in X.509 and PKCS#8 (RFC 5480, RFC 8410, RFC 8017, RFC 9881). The map's key names the kind of key: its
 * curve, `RSA`, or its ML-DSA parameter set.
 */
export const KEY_IDENTIFIERS: ReadonlyMap<string, Uint8Array> = new Map(
  Object.entries({
    'P-256': '301306072a8648ce3d020106082a8648ce3d030107',
    'P-384': '301006072a8648ce3d020106052b81040022',
    'P-521': '301006072a8648ce3d020106052b81040023',
    secp256k1: '301006072a8648ce3d020106052b8104000a',
    Ed25519: '300506032b6570',
    Ed448: '300506032b6571',
    RSA: '300d06092a864886f70d0101010500',
    'ML-DSA-44': '300b0609608648016503040311',
    'ML-DSA-65': '300b0609608648016503040312',
    'ML-DSA-87': '300b0609608648016503040313',
  }).map(([kind, hex]) => [kind, fromHex(hex)]),
);

/** Returns the AlgorithmIdentifier of a kind of key. @throws TypeError for a kind of key that is not in the table. */
export function keyIdentifier(kind: string | undefined): Uint8Array {
  const identifier = KEY_IDENTIFIERS.get(kind ?? '');
  if (identifier !== undefined) return identifier;
  throw new TypeError(`Expected a key of kind ${[...KEY_IDENTIFIERS.keys()].join(', ')}; got ${kind ?? 'one of an unknown curve'}.`);
}

/** Encodes a COSE key as SubjectPublicKeyInfo in DER (RFC 5280 §4.1.2.7). @throws TypeError for a curve that cannot sign. */
export function encodeSubjectPublicKeyInfo(key: CoseKey): Uint8Array {
  switch (key.kty) {
    case KEY_TYPES.EC2:
      return publicKeyInfo(findCurve(key.crv)?.name, uncompressedPoint(key));
    case KEY_TYPES.OKP:
      return publicKeyInfo(findCurve(key.crv)?.name, key.x);
    case KEY_TYPES.RSA:
      return publicKeyInfo('RSA', sequence(writeInteger(key.n), writeInteger(key.e)));
    case KEY_TYPES.AKP:
      return publicKeyInfo(findAlgorithm(key.alg)?.name, key.pub);
  }
}

function publicKeyInfo(kind: string | undefined, publicKey: Uint8Array): Uint8Array {
  return sequence(keyIdentifier(kind), bitString(publicKey));
}

/** Writes an elliptic curve point in uncompressed form (SEC 1 §2.3.3): the byte 04, x, y. */
export function uncompressedPoint({ x, y }: Pick<Ec2Key, 'x' | 'y'>): Uint8Array {
  return concatBytes(Uint8Array.of(4), x, y);
}
