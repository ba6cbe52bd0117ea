import { constants, createHash, type JsonWebKey, type KeyObject, verify, webcrypto } from 'node:crypto';
import { type HashName, opensslHash } from '../webauthn/algorithms.js';
import { importJwk } from './attestation/signature.js';

interface Algorithm {
  readonly name: string;
  readonly hash?: { readonly name: HashName };
  readonly saltLength?: number;
}

/** Replaces a `CryptoKey` of Web Crypto. As there, the hash is part of an RSA key, but for ECDSA it is chosen for each signature. */
interface ImportedKey {
  readonly key: KeyObject;
  readonly hash: Algorithm['hash'];
}

/** An algorithm, or its name. ML-DSA is given by name, and left to Web Crypto. */
type Named = Algorithm | string;

const { subtle } = webcrypto;

/** The `SubtleCrypto` operations that the verification library calls, implemented with Node's synchronous functions. */
const OPERATIONS: Readonly<Record<string, unknown>> = {
  // Node also takes the names of Web Crypto, but other runtimes take only those of OpenSSL.
  digest: async (name: HashName, data: Uint8Array) => createHash(opensslHash(name)).update(data).digest(),

  importKey: async (format: 'jwk', jwk: JsonWebKey, algorithm: Named, ...others: [boolean, webcrypto.KeyUsage[]]) =>
    typeof algorithm === 'string' ? subtle.importKey(format, jwk, algorithm, ...others) : { key: importJwk(jwk), hash: algorithm.hash },

  verify: async (algorithm: Named, imported: ImportedKey & webcrypto.CryptoKey, signature: Uint8Array, data: Uint8Array) => {
    if (typeof algorithm === 'string') return subtle.verify(algorithm, imported, signature, data);
    const { name, saltLength, hash = imported.hash } = algorithm;
    const pss = name === 'RSA-PSS' ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength } : {};
    return verify(hash && opensslHash(hash.name), data, { key: imported.key, dsaEncoding: 'ieee-p1363', ...pss }, signature);
  },
};

/**
 * A `Crypto` object that uses Node's synchronous functions. Web Crypto runs each hash and each signature in the thread pool, which takes
 * more processor time: 39 µs instead of 2 for a hash, 81 µs instead of 52 for a signature.
 */
export const synchronousCrypto = replaceMembers(webcrypto, { subtle: replaceMembers(subtle, OPERATIONS) });

function replaceMembers<T extends object>(object: T, members: Readonly<Record<string, unknown>>): T {
  return new Proxy(object, {
    get(target, name) {
      if (typeof name === 'string' && name in members) return members[name];
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
