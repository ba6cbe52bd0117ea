import { constants, createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto';
import { findAlgorithm, findCurve, type HashName, opensslHash } from '../../webauthn/algorithms.js';
import type { SubjectPublicKey } from '../../webauthn/certificate.js';
import { type CoseKey, toJwk } from '../../webauthn/cose-key.js';
import { showAlgorithm, showBytes } from '../show.js';
import { decide, type Requirement, type SubCheck } from './sub-check.js';

/**
 * `mismatch`: the algorithm requires another kind of key. `unsupported`: this Node version or this package does not support the algorithm.
 */
type SignatureVerdict = 'valid' | 'invalid' | 'mismatch' | 'unsupported';

/**
 * Cache of recently imported keys, by the bytes of the key. OpenSSL takes as long to import a key as to verify a signature. The cache helps
 * because a step and the verification library use the same key one after the other, and because vendors sign with few keys.
 */
const imported = new Map<string, KeyObject>();
const KEPT_KEYS = 100;

function importOnce(name: string, read: () => KeyObject): KeyObject {
  const key = imported.get(name) ?? read();
  // Put last, and the one used longest ago goes.
  imported.delete(name);
  imported.set(name, key);
  const [oldest] = imported.keys();
  if (imported.size > KEPT_KEYS && oldest !== undefined) imported.delete(oldest);
  return key;
}

/**
 * Imports the public key of a certificate; undefined if Node cannot use the key. OpenSSL can read more kinds of keys than Node can use:
 * Node 22 cannot use ML-DSA keys, and no version can use SM2 keys.
 */
export function importSubjectKey({ bytes }: SubjectPublicKey): KeyObject | undefined {
  const der = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const key = importOnce(der.toString('latin1'), () => createPublicKey({ key: der, format: 'der', type: 'spki' }));
    return key.asymmetricKeyType === undefined ? undefined : key;
  } catch {
    return undefined;
  }
}

/** Imports a credential public key; undefined if OpenSSL does not accept it. */
export function importCoseKey(key: CoseKey): KeyObject | undefined {
  try {
    return importJwk(toJwk(key));
  } catch {
    return undefined;
  }
}

/** Imports a public key from a JSON Web Key. Members that are not part of the key are ignored. */
export function importJwk(key: JsonWebKey): KeyObject {
  const { kty, crv, x, y, n, e, alg, pub } = key;
  const name = JSON.stringify(kty === 'AKP' ? [alg, pub] : [kty, crv, x, y, n, e]);
  return importOnce(name, () => createPublicKey({ key, format: 'jwk' }));
}

/** Tells whether a key has the type and curve that the COSE algorithm requires (§5.8.5). */
export function fitsAlgorithm(alg: number, key: KeyObject): boolean {
  const algorithm = findAlgorithm(alg);
  const type = key.asymmetricKeyType;
  switch (algorithm?.kty) {
    case 2:
      return type === 'ec' && key.asymmetricKeyDetails?.namedCurve === findCurve(algorithm.crv)?.openssl;
    case 1:
      return type === findCurve(algorithm.crv)?.openssl;
    case 3:
      return type === 'rsa' || (type === 'rsa-pss' && algorithm.pss === true && permitsHash(key, digestName(algorithm.hash)));
    case 7:
      return type !== undefined && String(type) === algorithm.name.toLowerCase();
    default:
      return false;
  }
}

/**
 * Tells whether a key may be used with a hash. An RSA-PSS key may prescribe the hash of its signatures and of their mask (RFC 4055 §3.1).
 * OpenSSL then uses the prescribed hashes.
 */
function permitsHash({ asymmetricKeyDetails = {} }: KeyObject, hash: string | null): boolean {
  const { hashAlgorithm = hash, mgf1HashAlgorithm = hash } = asymmetricKeyDetails;
  return hashAlgorithm === hash && mgf1HashAlgorithm === hash;
}

/** Verifies a signature. OpenSSL accepts an ECDSA signature only if it is canonical DER without surplus bytes. */
export function verifySignature(alg: number, key: KeyObject | undefined, data: Uint8Array, signature: Uint8Array): SignatureVerdict {
  const algorithm = findAlgorithm(alg);
  if (algorithm === undefined || key === undefined) {
    return 'unsupported';
  }
  if (!fitsAlgorithm(alg, key)) {
    return 'mismatch';
  }
  const padding = algorithm.pss ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST } : {};
  try {
    return verify(digestName(algorithm.hash), data, { key, ...padding }, signature) ? 'valid' : 'invalid';
  } catch {
    return 'invalid';
  }
}

/** Looks up OpenSSL's name of a hash; null for signature algorithms that include the hashing. */
export function digestName(hash: HashName | undefined): string | null {
  return hash === undefined ? null : opensslHash(hash);
}

/** Makes two checks of a signature: that `alg` fits the key, and that the signature verifies. */
export function signatureChecks(o: {
  readonly alg: number;
  readonly key: KeyObject | undefined;
  /** Another way to verify the signature, for a key that Node cannot import. */
  readonly otherwise?: { readonly alg: number; readonly verify: (data: Uint8Array, signature: Uint8Array) => boolean } | undefined;
  /** Owner of the key, as messages name it, e.g. `the attestation certificate`. */
  readonly owner: string;
  readonly data: Uint8Array;
  /** Name of the signed `data` in messages. */
  readonly over: string;
  readonly signature: Uint8Array;
  readonly reference: string;
}): SubCheck[] {
  const { alg, key, owner, reference } = o;
  const fits: Requirement = {
    slug: 'algorithm-fits-key',
    reference,
    expected: `an algorithm of the key of ${owner}`,
    hint: `alg must be the algorithm that the key of ${owner} signs with.`,
  };
  const signed: Requirement = {
    slug: 'signature',
    reference,
    expected: `a signature by ${owner} over ${o.over}`,
    hint: 'The statement was not made for this authenticator data and client data, or was changed in transit.',
  };
  if (findAlgorithm(alg) === undefined) {
    const unknown = `${showAlgorithm(alg)}, which is not registered`;
    return [decide(fits, 'fail', unknown), decide(signed, 'fail', 'a signature that cannot be verified')];
  }
  if (key === undefined && o.otherwise !== undefined) {
    const { otherwise } = o;
    const received = `${showAlgorithm(alg)} with a key of ${showAlgorithm(otherwise.alg)}`;
    return otherwise.alg === alg
      ? [decide(fits, 'pass', received), decide(signed, otherwise.verify(o.data, o.signature) ? 'pass' : 'fail', showBytes(o.signature))]
      : [decide(fits, 'fail', received), decide(signed, 'fail', 'a signature that this key cannot have made')];
  }
  const verdict = verifySignature(alg, key, o.data, o.signature);
  if (verdict === 'unsupported') {
    const reason = `this version of Node does not support ${showAlgorithm(alg)} with this key`;
    return [decide(fits, 'skip', reason), decide(signed, 'skip', reason)];
  }
  const received = `${showAlgorithm(alg)} with a key of type ${describeKey(key)}`;
  if (verdict === 'mismatch') {
    return [decide(fits, 'fail', received), decide(signed, 'fail', 'a signature that this key cannot have made')];
  }
  const valid = verdict === 'valid';
  return [decide(fits, 'pass', received), decide(signed, valid ? 'pass' : 'fail', showBytes(o.signature))];
}

export function describeKey(key: KeyObject | undefined): string {
  const details = key?.asymmetricKeyDetails;
  const size = details?.namedCurve ?? (details?.modulusLength === undefined ? undefined : `${details.modulusLength} bits`);
  return `${key?.asymmetricKeyType ?? 'unknown'}${size === undefined ? '' : ` (${size})`}`;
}
