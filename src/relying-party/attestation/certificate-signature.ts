import { constants, type KeyObject, verify } from 'node:crypto';
import type { AlgorithmIdentifier, Certificate } from '../../webauthn/certificate.js';
import { DerSyntaxError, decodeDer, inner, isContext, sequence } from '../../webauthn/der.js';
import { objectIdentifier, smallInteger } from '../../webauthn/der-values.js';
import { type MlDsaVerifier, mlDsaKey } from './ml-dsa.js';
import { importSubjectKey } from './signature.js';

interface Scheme {
  readonly types: readonly string[];
  /** OpenSSL's name of the hash; null if the signature algorithm includes the hashing. */
  readonly digest: string | null;
  readonly saltLength?: number;
}

const HASHES: Readonly<Record<string, string>> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};
const ec = (digest: string): Scheme => ({ types: ['ec'], digest });
const rsa = (digest: string): Scheme => ({ types: ['rsa'], digest });
/** Signature algorithms of certificates, by OID (RFC 3279, 4055, 5758, 8410, 9881). */
const SCHEMES: Readonly<Record<string, Scheme>> = {
  '1.2.840.10045.4.1': ec('sha1'),
  '1.2.840.10045.4.3.1': ec('sha224'),
  '1.2.840.10045.4.3.2': ec('sha256'),
  '1.2.840.10045.4.3.3': ec('sha384'),
  '1.2.840.10045.4.3.4': ec('sha512'),
  '1.2.840.113549.1.1.5': rsa('sha1'),
  '1.2.840.113549.1.1.14': rsa('sha224'),
  '1.2.840.113549.1.1.11': rsa('sha256'),
  '1.2.840.113549.1.1.12': rsa('sha384'),
  '1.2.840.113549.1.1.13': rsa('sha512'),
  '1.3.101.112': { types: ['ed25519'], digest: null },
  '1.3.101.113': { types: ['ed448'], digest: null },
  '2.16.840.1.101.3.4.3.17': { types: ['ml-dsa-44'], digest: null },
  '2.16.840.1.101.3.4.3.18': { types: ['ml-dsa-65'], digest: null },
  '2.16.840.1.101.3.4.3.19': { types: ['ml-dsa-87'], digest: null },
};
const RSASSA_PSS = '1.2.840.113549.1.1.10';

/**
 * Verifies that the key of `issuer` signed `certificate`. Returns `unsupported` if neither this Node version nor this package supports the
 * algorithm.
 *
 * @param mlDsa verifies ML-DSA signatures if Node cannot: see `loadMlDsaFor`.
 */
export function verifyCertificate(
  certificate: Certificate,
  issuer: Certificate,
  mlDsa?: MlDsaVerifier,
): 'valid' | 'invalid' | 'unsupported' {
  const { signatureAlgorithm, tbs, signature } = certificate;
  const key = importSubjectKey(issuer.publicKey);
  const scheme = findScheme(signatureAlgorithm);
  const other = key === undefined ? mlDsaKey(issuer.publicKey, mlDsa) : undefined;
  if (other !== undefined) {
    // The OID of an ML-DSA key is that of its signatures too (RFC 9881 §2).
    return signatureAlgorithm.oid === issuer.publicKey.algorithm.oid && other.verify(tbs, signature) ? 'valid' : 'invalid';
  }
  if (key === undefined || scheme === undefined) {
    return 'unsupported';
  }
  return scheme.types.includes(String(key.asymmetricKeyType)) && isSignedBy(certificate, key, scheme) ? 'valid' : 'invalid';
}

function isSignedBy({ tbs, signature }: Certificate, key: KeyObject, { digest, saltLength }: Scheme): boolean {
  const padding = saltLength === undefined ? {} : { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength };
  try {
    return verify(digest, tbs, { key, ...padding }, signature);
  } catch {
    return false;
  }
}

function findScheme(algorithm: AlgorithmIdentifier): Scheme | undefined {
  return algorithm.oid === RSASSA_PSS ? pssScheme(algorithm.parameters) : SCHEMES[algorithm.oid];
}

/** Reads the parameters of an RSASSA-PSS signature (RFC 4055 §3.1). Their defaults are SHA-1 and a salt of 20 bytes. */
function pssScheme(parameters: Uint8Array | undefined): Scheme | undefined {
  try {
    const fields = parameters === undefined ? [] : sequence(decodeDer(parameters), 'RSASSA-PSS parameters');
    const field = (tag: number) => {
      const found = fields.find((candidate) => isContext(candidate, tag));
      return found && inner(found, `context tag ${tag}`);
    };
    const hash = field(0);
    const salt = field(2);
    const digest = hash === undefined ? 'sha1' : HASHES[objectIdentifier(sequence(hash, 'a hash algorithm')[0], 'a hash algorithm')];
    return digest === undefined
      ? undefined
      : { types: ['rsa', 'rsa-pss'], digest, saltLength: salt === undefined ? 20 : smallInteger(salt, 'a salt length') };
  } catch (error) {
    if (error instanceof DerSyntaxError) {
      return undefined;
    }
    throw error;
  }
}
