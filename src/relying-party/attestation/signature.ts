import { constants, createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto';
import { findAlgorithm, findCurve, type HashName, opensslHash } from '../../webauthn/algorithms.js';
import type { SubjectPublicKey } from '../../webauthn/certificate.js';
import { type CoseKey, toJwk } from '../../webauthn/cose-key.js';
import { showAlgorithm, showBytes } from '../show.js';
import { decide, type Requirement, type SubCheck } from './sub-check.js';

/**
 * `mismatch`: the key is of another kind than the algorithm requires. `unsupported`: this Node version, or this package, does not know the
 * algorithm.
 */
type SignatureVerdict = 'valid' | 'invalid' | 'mismatch' | 'unsupported';

/**
 * The keys imported last, by their bytes. OpenSSL takes as long to import a key as to verify with it. A step and the verification library
 * use the same key in turn, and vendors sign with few keys.
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
 * Imports the key of a certificate; undefined if Node does not accept it. OpenSSL reads more kinds of keys than Node can use: ML-DSA in
 * Node 22, SM2 in all versions.
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

/** Imports a public key from a JSON Web Key; ignores other members. */
export function importJwk(key: JsonWebKey): KeyObject {
  const { kty, crv, x, y, n, e, alg, pub } = key;
  const name = JSON.stringify(kty === 'AKP' ? [alg, pub] : [kty, crv, x, y, n, e]);
  return importOnce(name, () => createPublicKey({ key, format: 'jwk' }));
}

/** Whether a key has the type and curve that the COSE algorithm requires (§5.8.5). */
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
 * Whether a key permits a hash. An RSA-PSS key may prescribe the hash of its signatures and of their mask (RFC 4055 §3.1); OpenSSL then
 * verifies with these.
 */
function permitsHash({ asymmetricKeyDetails = {} }: KeyObject, hash: string | null): boolean {
  const { hashAlgorithm = hash, mgf1HashAlgorithm = hash } = asymmetricKeyDetails;
  return hashAlgorithm === hash && mgf1HashAlgorithm === hash;
}

/** Verifies a signature. OpenSSL accepts an ECDSA signature only in canonical DER, without surplus bytes. */
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

/** Returns OpenSSL's name of a hash; null for algorithms that do the hashing themselves. */
export function digestName(hash: HashName | undefined): string | null {
  return hash === undefined ? null : opensslHash(hash);
}

/** Makes two checks: that `alg` fits the key, and that the signature verifies. */
export function signatureChecks(o: {
  readonly alg: number;
  readonly key: KeyObject | undefined;
  /** Verifies with the key if Node cannot import it. */
  readonly otherwise?: { readonly alg: number; readonly verify: (data: Uint8Array, signature: Uint8Array) => boolean } | undefined;
  /** Owner of the key in messages, e.g. `the attestation certificate`. */
  readonly owner: string;
  readonly data: Uint8Array;
  /** Name of `data` in messages. */
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
