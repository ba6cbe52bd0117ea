import { constants, createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto';
import { findAlgorithm, findCurve, type HashName, opensslHash } from '../../webauthn/algorithms.js';
import type { SubjectPublicKey } from '../../webauthn/certificate.js';
import { type CoseKey, toJwk } from '../../webauthn/cose-key.js';
import { showAlgorithm, showBytes } from '../show.js';
import { decide, type Requirement, type SubCheck } from './sub-check.js';

/** `mismatch`: the key is of another kind than the algorithm wants. `unsupported`: this Node, or we, do not know the algorithm. */
type SignatureVerdict = 'valid' | 'invalid' | 'mismatch' | 'unsupported';

/**
 * Keys seen last, by their bytes. OpenSSL takes as long to read one as to verify with it. A step and the verification library ask for the
 * same key one after the other, and vendors sign with few.
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
 * The key of a certificate; undefined if Node does not accept it. OpenSSL reads more kinds of keys than Node can use: ML-DSA in Node 22,
 * SM2 in all of them.
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

/** A credential public key; undefined when OpenSSL does not take it. */
export function importCoseKey(key: CoseKey): KeyObject | undefined {
  try {
    return importJwk(toJwk(key));
  } catch {
    return undefined;
  }
}

/** A public key as JSON Web Key; other members are ignored. */
export function importJwk(key: JsonWebKey): KeyObject {
  const { kty, crv, x, y, n, e, alg, pub } = key;
  const name = JSON.stringify(kty === 'AKP' ? [alg, pub] : [kty, crv, x, y, n, e]);
  return importOnce(name, () => createPublicKey({ key, format: 'jwk' }));
}

/** Whether the key is of the kind, and on the curve, that the COSE algorithm wants (§5.8.5). */
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

/** An RSA-PSS key may fix the hash of its signatures and of their mask (RFC 4055 §3.1); OpenSSL then verifies with these. */
function permitsHash({ asymmetricKeyDetails = {} }: KeyObject, hash: string | null): boolean {
  const { hashAlgorithm = hash, mgf1HashAlgorithm = hash } = asymmetricKeyDetails;
  return hashAlgorithm === hash && mgf1HashAlgorithm === hash;
}

/** OpenSSL takes an ECDSA signature only in its one right DER form: bytes behind it do not verify. */
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

/** OpenSSL's name of a hash; null for algorithms that hash by themselves. */
export function digestName(hash: HashName | undefined): string | null {
  return hash === undefined ? null : opensslHash(hash);
}

/** Two sub-checks: `alg` fits the key, and the signature verifies. */
export function signatureChecks(o: {
  readonly alg: number;
  readonly key: KeyObject | undefined;
  /** The key if Node cannot import it. */
  readonly otherwise?: { readonly alg: number; readonly verify: (data: Uint8Array, signature: Uint8Array) => boolean } | undefined;
  /** Whose key it is, e.g. `the attestation certificate`. */
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
    hint: 'The statement was not made for this authenticator data and client data, or was changed on its way.',
  };
  if (findAlgorithm(alg) === undefined) {
    const unknown = `${showAlgorithm(alg)}, which is not registered`;
    return [decide(fits, 'fail', unknown), decide(signed, 'fail', 'one that cannot be verified')];
  }
  if (key === undefined && o.otherwise !== undefined) {
    const { otherwise } = o;
    const received = `${showAlgorithm(alg)} with a key of ${showAlgorithm(otherwise.alg)}`;
    return otherwise.alg === alg
      ? [decide(fits, 'pass', received), decide(signed, otherwise.verify(o.data, o.signature) ? 'pass' : 'fail', showBytes(o.signature))]
      : [decide(fits, 'fail', received), decide(signed, 'fail', 'one that this key cannot have made')];
  }
  const verdict = verifySignature(alg, key, o.data, o.signature);
  if (verdict === 'unsupported') {
    const reason = `${showAlgorithm(alg)} with this key is not known to this version of Node`;
    return [decide(fits, 'skip', reason), decide(signed, 'skip', reason)];
  }
  const received = `${showAlgorithm(alg)} with a key of type ${describeKey(key)}`;
  if (verdict === 'mismatch') {
    return [decide(fits, 'fail', received), decide(signed, 'fail', 'one that this key cannot have made')];
  }
  const valid = verdict === 'valid';
  return [decide(fits, 'pass', received), decide(signed, valid ? 'pass' : 'fail', showBytes(o.signature))];
}

export function describeKey(key: KeyObject | undefined): string {
  const details = key?.asymmetricKeyDetails;
  const size = details?.namedCurve ?? (details?.modulusLength === undefined ? undefined : `${details.modulusLength} bits`);
  return `${key?.asymmetricKeyType ?? 'unknown'}${size === undefined ? '' : ` (${size})`}`;
}
