import { createHash, hkdfSync } from 'node:crypto';
import { encodeUtf8, toHex } from '../../kernel/bytes.js';
import { once, remember } from '../../kernel/remember.js';
import {
  type CertificateToWrite,
  country,
  type ExtensionToWrite,
  type Name,
  named,
  WRITE_EXTENSION,
  writeCertificate,
} from '../../webauthn/certificate-writer.js';
import { contents, decodeDer, sequence as readSequence } from '../../webauthn/der.js';
import type { CertifiedFormatId } from '../../webauthn/enumerations.js';
import { type AttestationKey, ecAttestationKey, type RsaAlgorithm, rsaAttestationKey } from './attestation-key.js';

/**
 * Seed of the default attestation authority. It is public, so anyone can forge this authority's certificates. Its root is for tests and
 * must never be trusted in production.
 */
export const PUBLIC_TEST_SEED = 'passkey test attestation';

/** Traits of an attestation authority; {@link createAttestationAuthority} derives them from a seed. */
export interface AuthorityProfile {
  /**
   * Derives bytes for a purpose, always the same for the same purpose and subject. The purposes are `root key` and `root serial`. Each line
   * of authenticators has the purposes `LINE key` and `LINE serial`, and `LINE CA key` and `LINE CA serial` for its intermediate
   * certificate.
   *
   * @param subject AAGUID or credential ID of the authenticator that the key or serial number is for.
   */
  derive(purpose: string, length: number, subject: Uint8Array): Uint8Array;
  /** Start of the common name (CN) in all certificates of the authority. Issuers append to it. */
  readonly commonName: string;
  readonly organization: string;
  /** ISO 3166 country code in certificate names. */
  readonly country: string;
  /** Start of the validity period of all certificates, in milliseconds since the epoch. */
  readonly notBefore: number;
  /** End of the validity period of all certificates, in milliseconds since the epoch. */
  readonly notAfter: number;
  /** True to have intermediate certificates below the root, as with real vendors. The chain of `android-key` then includes the root. */
  readonly intermediates: boolean;
  /** True if the root is for several models of authenticators. Certificates then contain the AAGUID (§8.2.1). */
  readonly severalModels: boolean;
}

/** Kinds of keys that the authority certifies: the authenticators of one format, or the signer of metadata. */
export type AttestationLine = CertifiedFormatId | 'metadata';

/** Contents of a leaf certificate. */
export interface Leaf {
  /** Certified key as SubjectPublicKeyInfo in DER. */
  readonly publicKey: Uint8Array;
  /** AAGUID (for a batch certificate) or credential ID. The serial number of the certificate is derived from it. */
  readonly subject: Uint8Array;
  /** Subject name of the certificate; default: the vendor's, with OU `Authenticator Attestation` (§8.2.1). */
  readonly name?: Name;
  /** Additional extensions. Every leaf certificate starts with basic constraints, key usage and the two key identifiers. */
  readonly extensions?: readonly ExtensionToWrite[];
}

/** A certificate that can issue others, with its key. */
export interface Issuer {
  readonly key: AttestationKey;
  readonly name: Name;
  /** Certificate of the issuer in DER. */
  readonly certificate: Uint8Array;
}

/** Contents of a certificate, except those that follow from its issuer: issuer name and signature algorithm. */
export type CertificateFields = Omit<CertificateToWrite, 'issuer' | 'signatureAlgorithm'>;

/** A certificate that its issuer has not signed yet. */
interface PreparedCertificate {
  readonly fields: CertificateFields;
  readonly issuer: Issuer;
  /** Certificates from the issuer to the root, which follow the leaf certificate in `x5c`. */
  readonly path: readonly Uint8Array[];
}

/**
 * A certification authority for attestation. It has one root. It also has intermediate certificates for those formats whose real vendors
 * use them.
 */
export interface AttestationAuthority {
  readonly profile: AuthorityProfile;
  /** The root certificate in DER. */
  readonly root: Uint8Array;
  /** Root certificate with its private key. */
  readonly rootIssuer: Issuer;
  /** Returns the attestation key of a line of authenticators. Each `subject` (AAGUID or credential ID) has its own key. */
  key(line: AttestationLine, subject: Uint8Array): AttestationKey;
  /** Returns an RSA key of a line of authenticators. The key comes from a public pool, because no generator of RSA keys accepts a seed. */
  rsaKey(line: AttestationLine, subject: Uint8Array, algorithm: RsaAlgorithm): Promise<AttestationKey>;
  /** Prepares a leaf certificate without signing it; {@link certify} signs it. */
  prepare(line: AttestationLine, leaf: Leaf): PreparedCertificate;
  /** Issues a leaf certificate and returns `x5c`: that certificate first, then the chain to the root. */
  certify(line: AttestationLine, leaf: Leaf): readonly Uint8Array[];
}

/** Formats whose real vendors have an intermediate between the root and the attestation certificate. */
const WITH_INTERMEDIATE: readonly AttestationLine[] = ['tpm', 'android-key', 'android-safetynet', 'apple'];
const CA_UNIT = 'Authenticator Attestation CA';
const NO_BYTES = new Uint8Array();

/**
 * Creates an attestation authority from a seed. The same seed always gives the same keys and certificates.
 *
 * @param options.seed string or bytes; default: {@link PUBLIC_TEST_SEED}. Keep it secret if anything other than tests trusts the root.
 */
export function createAttestationAuthority({
  seed = PUBLIC_TEST_SEED,
}: {
  readonly seed?: string | Uint8Array;
} = {}): AttestationAuthority {
  const secret = typeof seed === 'string' ? encodeUtf8(seed) : seed;
  return makeAuthority({
    derive: (purpose, length, subject) => new Uint8Array(hkdfSync('sha256', secret, subject, encodeUtf8(`passkey ${purpose}`), length)),
    commonName: 'passkey TEST attestation',
    organization: 'passkey TEST, do not trust',
    // ISO 3166-1 has to assign it, since servers may look it up. The certificates are of no country.
    country: 'US',
    notBefore: Date.UTC(2020, 0, 1),
    notAfter: Date.UTC(2049, 11, 31, 23, 59, 59),
    intermediates: true,
    severalModels: true,
  });
}

/** Creates an attestation authority with custom traits. */
export function makeAuthority(profile: AuthorityProfile): AttestationAuthority {
  const { derive, notBefore, notAfter, organization } = profile;
  const nameOf = (commonName: string, unit: string): Name => [
    named('CN', commonName),
    named('O', organization),
    named('OU', unit),
    country(profile.country),
  ];
  const fieldsOf = ({ publicKey, subject, name, extensions }: Required<Leaf>, serial: string): CertificateFields => ({
    serialNumber: BigInt(`0x${toHex(derive(serial, 16, subject))}`),
    notBefore,
    notAfter,
    subject: name,
    publicKey,
    extensions,
  });
  const issuerOf = (purpose: string, commonName: string, above?: Issuer): Issuer => {
    const key = ecAttestationKey(derive(`${purpose} key`, 32, NO_BYTES));
    const name = nameOf(commonName, CA_UNIT);
    const extensions = issuerExtensions(key, above);
    const fields = fieldsOf({ publicKey: key.publicKey, subject: NO_BYTES, name, extensions }, `${purpose} serial`);
    return { key, name, certificate: issueCertificate(fields, above ?? { key, name }) };
  };

  const root = once(() => issuerOf('root', profile.intermediates ? `${profile.commonName} root` : profile.commonName));
  const intermediate = remember((line: AttestationLine) => issuerOf(`${line} CA`, `${profile.commonName} ${line} CA`, root()));
  const prepare = (
    line: AttestationLine,
    { publicKey, subject, name = nameOf(profile.commonName, 'Authenticator Attestation'), extensions = [] }: Leaf,
  ): PreparedCertificate => {
    const below = profile.intermediates && WITH_INTERMEDIATE.includes(line);
    const issuer = below ? intermediate(line) : root();
    const all = [
      WRITE_EXTENSION.basicConstraints(false),
      WRITE_EXTENSION.keyUsage('digitalSignature'),
      WRITE_EXTENSION.subjectKeyIdentifier(keyIdentifier(publicKey)),
      WRITE_EXTENSION.authorityKeyIdentifier(keyIdentifier(issuer.key.publicKey)),
      ...extensions,
    ];
    return {
      fields: fieldsOf({ publicKey, subject, name, extensions: all }, `${line} serial`),
      issuer,
      // Android's key store gives the whole chain, its root with it.
      path: [...(below ? [issuer.certificate] : []), ...(below && line === 'android-key' ? [root().certificate] : [])],
    };
  };

  return {
    profile,
    get root() {
      return root().certificate;
    },
    get rootIssuer() {
      return root();
    },
    key: (line, subject) => ecAttestationKey(derive(`${line} key`, 32, subject)),
    async rsaKey(line, subject, algorithm) {
      const { pooledRsaKey } = await import('../rsa-pool.js');
      return rsaAttestationKey(pooledRsaKey(2048, derive(`${line} RSA key`, 1, subject)[0] ?? 0), algorithm);
    },
    prepare,
    certify(line, leaf) {
      const { fields, issuer, path } = prepare(line, leaf);
      return [issueCertificate(fields, issuer), ...path];
    },
  };
}

/** Issues a certificate in DER, signed by its issuer. */
export function issueCertificate(fields: CertificateFields, { key, name }: Pick<Issuer, 'key' | 'name'>): Uint8Array {
  return writeCertificate({ ...fields, issuer: name, signatureAlgorithm: key.certificateAlgorithm }, (tbs) => key.sign(tbs));
}

/** Builds the extensions of a certificate that can issue others. `above` is the issuer of that certificate; absent for a root. */
export function issuerExtensions({ publicKey }: AttestationKey, above?: Issuer): readonly ExtensionToWrite[] {
  return [
    WRITE_EXTENSION.basicConstraints(true),
    WRITE_EXTENSION.keyUsage('keyCertSign', 'cRLSign'),
    WRITE_EXTENSION.subjectKeyIdentifier(keyIdentifier(publicKey)),
    ...(above ? [WRITE_EXTENSION.authorityKeyIdentifier(keyIdentifier(above.key.publicKey))] : []),
  ];
}

/**
 * Computes a key identifier (RFC 5280 §4.2.1.2, method 1): the SHA-1 of the BIT STRING with the key, without its tag, length and number of
 * unused bits.
 */
export function keyIdentifier(publicKey: Uint8Array): Uint8Array {
  const [, bits] = readSequence(decodeDer(publicKey), 'a SubjectPublicKeyInfo');
  const key = bits === undefined ? new Uint8Array() : contents(bits).subarray(1);
  return new Uint8Array(createHash('sha1').update(key).digest());
}
