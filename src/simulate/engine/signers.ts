import { createHash } from 'node:crypto';
import { signingAlgorithm } from '../../authenticator/algorithms.js';
import { readNumber, writeNumber } from '../../authenticator/big-number.js';
import { newPkcs8, readPrivateKey } from '../../authenticator/private-key.js';
import { seededBy, seededKeyPairs } from '../../authenticator/seeded.js';
import { nativeKey, openSigningKey, type SigningKey } from '../../authenticator/signing-key.js';
import { concatBytes, equalBytes } from '../../kernel/bytes.js';
import { findCurve } from '../../webauthn/algorithms.js';
import { encodeCoseKey } from '../../webauthn/cose-key.js';
import { contents } from '../../webauthn/der.js';
import { ecdsaSignatureParts } from '../../webauthn/der-values.js';
import { ecdsaSignature } from '../../webauthn/der-writer.js';
import { encodeSubjectPublicKeyInfo } from '../../webauthn/subject-public-key-info.js';
import { hashText } from './authenticator-data-edits.js';
import type { AssertionParts, ByteEdit, Signer } from './edits.js';

// What is signed, and with which key.

const signedData = ({ authenticatorData, clientDataHash }: Pick<AssertionParts, 'authenticatorData' | 'clientDataHash'>) =>
  concatBytes(authenticatorData, clientDataHash);

/** Makes a signer that signs data other than the usual authenticator data followed by the client data hash. */
export function signOver(data: (parts: AssertionParts) => Uint8Array): Signer {
  return (parts) => parts.key.sign(data(parts));
}

/** Source of keys and signatures that are the same in every run of the program. */
const { openKey, stream } = seededBy('signatures of changed responses');

/** Signs the right data with another key of the same algorithm. */
export const signWithOtherKey: Signer = async ({ source, ...parts }) => {
  const algorithm = signingAlgorithm(source.algorithm);
  const newKey = seededKeyPairs(stream(algorithm.name));
  let pkcs8 = await newKey(algorithm);
  // Keys of RSA come from a small pool.
  while (equalBytes(pkcs8, source.privateKey)) pkcs8 = await newKey(algorithm);
  return (await openKey(algorithm, pkcs8)).sign(signedData(parts));
};

/**
 * Makes a signer that signs the right data with the right key, but with a digest or padding that does not belong to the credential's
 * algorithm.
 */
export function signWith(hash: 'sha1' | 'sha256' | 'sha384', padding: 'pkcs1' | 'pss' = 'pkcs1'): Signer {
  return async ({ source, ...parts }) => {
    const algorithm = signingAlgorithm(source.algorithm);
    const key = algorithm.key.type === 'rsa' ? { ...algorithm.key, pss: padding === 'pss' } : algorithm.key;
    return (await openKey({ ...algorithm, key, hash }, source.privateKey)).sign(signedData(parts));
  };
}

export function digest(hash: 'sha1' | 'sha256' | 'sha512', ...data: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(
    createHash(hash)
      .update(concatBytes(...data))
      .digest(),
  );
}

const ES256 = signingAlgorithm(-7);

/** An ES256 key pair that no authenticator holds; the same in every run. */
interface TestKey {
  /** Public key as COSE_Key bytes. */
  readonly cose: Uint8Array;
  /** Public key as SubjectPublicKeyInfo in DER. */
  readonly spki: Uint8Array;
  /** Private key. */
  readonly key: SigningKey;
  readonly sign: Signer;
}

function makeTestKey(seed: string): TestKey {
  const key = nativeKey(ES256, readPrivateKey(ES256, newPkcs8(ES256, hashText(seed))));
  return {
    cose: encodeCoseKey(key.coseKey),
    spki: encodeSubjectPublicKeyInfo(key.coseKey),
    key,
    sign: (parts) => key.sign(signedData(parts)),
  };
}

/** Makes a key that belongs to no credential, like the key of an attacker. */
export const foreignKey = (): TestKey => makeTestKey('a key that belongs to no credential');

/** Makes a key whose x and y coordinates both begin with a zero byte. One key in 65,536 is like this by chance. */
export const keyWithLeadingZeros = (): TestKey => makeTestKey('a key whose coordinates begin with zero, 9907');

// The form of an ECDSA signature.

/** Numbers r and s of an ES256 signature, and the order of the curve. */
interface SignatureNumbers {
  readonly r: bigint;
  readonly s: bigint;
  readonly n: bigint;
}

const ORDER = findCurve(1)?.weierstrass?.n ?? 0n;
const COORDINATE_BYTES = 32;

/** Makes an edit that decodes an ES256 signature into r and s and replaces the signature with bytes computed from them. */
export function editNumbers(edit: (numbers: SignatureNumbers) => Uint8Array): ByteEdit {
  return (der) => edit(readNumbers(der));
}

function readNumbers(der: Uint8Array): SignatureNumbers {
  const parts = ecdsaSignatureParts(der);
  const [r = 0n, s = 0n] = [parts?.r, parts?.s].map((part) => (part === undefined ? 0n : readNumber(contents(part))));
  return { r, s, n: ORDER };
}

/** Makes a signer that signs repeatedly until r and s satisfy a condition. Every ECDSA signature has different numbers. */
export function signUntil(wanted: (numbers: SignatureNumbers) => boolean): Signer {
  return async ({ source, ...parts }) => {
    // The key of an edit makes none of the rare ones.
    const key = await openSigningKey(signingAlgorithm(source.algorithm), source.privateKey);
    for (;;) {
      const signature = key.sign(signedData(parts));
      if (wanted(readNumbers(signature))) return signature;
    }
  };
}

/** Encodes the numbers r and s of a signature in DER, as §6.5.5 requires. */
export const inDer = (r: bigint, s: bigint): Uint8Array => ecdsaSignature(magnitude(r), magnitude(s));

/** Encodes the numbers r and s of a signature one after the other, each with a fixed length (IEEE P1363 format), instead of in DER. */
export const sideBySide = (r: bigint, s: bigint): Uint8Array =>
  concatBytes(writeNumber(r, COORDINATE_BYTES), writeNumber(s, COORDINATE_BYTES));

/** Encodes a number in one byte more than the order of the curve needs, so that every number used in the tests fits. */
export const magnitude = (value: bigint): Uint8Array => writeNumber(value, COORDINATE_BYTES + 1);
