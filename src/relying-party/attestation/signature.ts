import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { encodeBase64url } from '../../webauthn/base64url.js';
import type { SubjectPublicKey } from '../../webauthn/certificate.js';
import { algorithmName, type CoseKey, findAlgorithm } from '../../webauthn/cose-key.js';
import { showAlgorithm, showBytes } from '../show.js';
import { decide, type Requirement, type SubCheck } from './sub-check.js';

const JWK_CURVES: Readonly<Record<number, string>> = { 1: 'P-256', 2: 'P-384', 3: 'P-521', 6: 'Ed25519', 7: 'Ed448', 8: 'secp256k1' };
/** OpenSSL's names of the COSE curves. */
const NAMED_CURVES: Readonly<Record<number, string>> = { 1: 'prime256v1', 2: 'secp384r1', 3: 'secp521r1', 8: 'secp256k1' };
const RSA_PSS: ReadonlySet<number> = new Set([-37, -38, -39]);

/** `mismatch`: the key is of another kind than the algorithm wants. `unsupported`: this Node, or we, do not know the algorithm. */
export type SignatureVerdict = 'valid' | 'invalid' | 'mismatch' | 'unsupported';

/** The key of a certificate; undefined when OpenSSL does not take it. */
export function importSubjectKey({ bytes }: SubjectPublicKey): KeyObject | undefined {
  try {
    return createPublicKey({ key: Buffer.from(bytes), format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}

/** A credential public key; undefined when OpenSSL does not take it. */
export function importCoseKey(key: CoseKey): KeyObject | undefined {
  try {
    return createPublicKey({ key: toJwk(key), format: 'jwk' });
  } catch {
    return undefined;
  }
}

function toJwk(key: CoseKey): Record<string, string> {
  switch (key.kty) {
    case 2:
      return { kty: 'EC', crv: JWK_CURVES[key.crv] ?? '', x: encodeBase64url(key.x), y: encodeBase64url(key.y) };
    case 1:
      return { kty: 'OKP', crv: JWK_CURVES[key.crv] ?? '', x: encodeBase64url(key.x) };
    case 3:
      return { kty: 'RSA', n: encodeBase64url(key.n), e: encodeBase64url(key.e) };
    case 7:
      return { kty: 'AKP', alg: algorithmName(key.alg), pub: encodeBase64url(key.pub) };
  }
}

/** Whether the key is of the kind, and on the curve, that the COSE algorithm wants (§5.8.5). */
export function fitsAlgorithm(alg: number, key: KeyObject): boolean {
  const algorithm = findAlgorithm(alg);
  const type = key.asymmetricKeyType;
  switch (algorithm?.kty) {
    case 2:
      return type === 'ec' && key.asymmetricKeyDetails?.namedCurve === NAMED_CURVES[algorithm.crv ?? 0];
    case 1:
      return type === JWK_CURVES[algorithm.crv ?? 0]?.toLowerCase();
    case 3:
      return type === 'rsa' || (type === 'rsa-pss' && RSA_PSS.has(alg));
    case 7:
      return type !== undefined && String(type) === algorithm.name.toLowerCase();
    default:
      return false;
  }
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
  const padding = RSA_PSS.has(alg) ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST } : {};
  try {
    return verify(digestName(algorithm.hash), data, { key, ...padding }, signature) ? 'valid' : 'invalid';
  } catch {
    return 'invalid';
  }
}

/** OpenSSL's name of a hash; null for algorithms that hash by themselves. */
export function digestName(hash: string | undefined): string | null {
  return hash === undefined ? null : hash.toLowerCase().replace('-', '');
}

/** Two sub-checks: `alg` fits the key, and the signature verifies. */
export function signatureChecks(o: {
  readonly alg: number;
  readonly key: KeyObject | undefined;
  /** Whose key it is, e.g. `the attestation certificate`. */
  readonly owner: string;
  readonly data: Uint8Array;
  /** What `data` is, for people. */
  readonly over: string;
  readonly signature: Uint8Array;
  readonly reference: string;
}): SubCheck[] {
  const { alg, key, owner, reference } = o;
  const verdict = verifySignature(alg, key, o.data, o.signature);
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
