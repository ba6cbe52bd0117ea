import { createHash, hkdfSync } from 'node:crypto';
import { encodeUtf8, toHex } from '../../webauthn/bytes.js';
import { country, type ExtensionToWrite, type Name, named, WRITE_EXTENSION, writeCertificate } from '../../webauthn/certificate-writer.js';
import { contents, decodeDer, sequence as readSequence } from '../../webauthn/der.js';
import { objectIdentifier, sequence } from '../../webauthn/der-writer.js';
import type { CertifiedFormatId } from '../../webauthn/enumerations.js';
import { type AttestationKey, ecAttestationKey, type RsaAlgorithm, rsaAttestationKey } from './attestation-key.js';

/** ecdsa-with-SHA256 (RFC 5758 §3.2). */
const ECDSA_WITH_SHA256 = sequence(objectIdentifier('1.2.840.10045.4.3.2'));

/**
 * What the default authority is derived from. It is public, so anybody can forge what the authority issues: its root is for tests
 * and must never be trusted in production.
 */
export const PUBLIC_TEST_SEED = 'passkey test attestation';

/** What an authority is like; {@link createAttestationAuthority} fills it in from a seed. */
export interface AuthorityProfile {
  /**
   * Bytes for a purpose, always the same for the same purpose and subject: `root key`, `root serial`, and per line of authenticators
   * `LINE key` and `LINE serial`, and `LINE CA key` and `LINE CA serial` of its intermediate.
   *
   * @param subject what the key or the serial number is for: an AAGUID, a credential ID
   */
  derive(purpose: string, length: number, subject: Uint8Array): Uint8Array;
  /** CN of every certificate that has a name; those of issuers go on. */
  readonly commonName: string;
  readonly organization: string;
  /** ISO 3166. */
  readonly country: string;
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  /** Milliseconds since the epoch. */
  readonly notAfter: number;
  /** Whether intermediates stand below the root where those of real vendors do, and the root in the chain of `android-key`. */
  readonly intermediates: boolean;
  /** Whether the root is that of several models: then certificates name the AAGUID (§8.2.1). */
  readonly severalModels: boolean;
}

/** Who is certified: the authenticators of a format, or the signer of metadata. */
export type AttestationLine = CertifiedFormatId | 'metadata';

/** What a leaf certificate says of its key. */
export interface Leaf {
  /** SubjectPublicKeyInfo in DER. */
  readonly publicKey: Uint8Array;
  /** What the serial number is derived from: an AAGUID for the certificate of a batch, a credential ID. */
  readonly subject: Uint8Array;
  /** Default: the vendor with OU `Authenticator Attestation` (§8.2.1). */
  readonly name?: Name;
  /** After those that all leaves have: basic constraints, key usage, the two key identifiers. */
  readonly extensions?: readonly ExtensionToWrite[];
}

/** A certification authority for attestation: one root, and intermediates where real vendors have them. */
export interface AttestationAuthority {
  readonly profile: AuthorityProfile;
  /** The root certificate in DER. */
  readonly root: Uint8Array;
  /** The attestation key of a line of authenticators; `subject` tells keys of one line apart. */
  key(line: AttestationLine, subject: Uint8Array): AttestationKey;
  /** As `key`, for those that need RSA. It comes from a public pool: no generator of RSA keys takes a seed. */
  rsaKey(line: AttestationLine, subject: Uint8Array, algorithm: RsaAlgorithm): Promise<AttestationKey>;
  /** `x5c`: the certificate first, then what leads to the root. */
  certify(line: AttestationLine, leaf: Leaf): readonly Uint8Array[];
}

/** Formats whose real vendors have intermediates between root and attestation certificate. */
const WITH_INTERMEDIATE: readonly AttestationLine[] = ['tpm', 'android-key', 'android-safetynet', 'apple'];
const CA_UNIT = 'Authenticator Attestation CA';
const NOBODY = new Uint8Array();

/**
 * An authority of one's own from a seed, or the public one for tests. The same seed always gives the same keys and certificates.
 *
 * @param options.seed text or bytes, kept secret where the root is trusted by more than tests; default: {@link PUBLIC_TEST_SEED}
 */
export function createAttestationAuthority({
  seed = PUBLIC_TEST_SEED,
}: {
  readonly seed?: string | Uint8Array;
} = {}): AttestationAuthority {
  const secret = typeof seed === 'string' ? encodeUtf8(seed) : seed;
  return authorityOf({
    derive: (purpose, length, subject) => new Uint8Array(hkdfSync('sha256', secret, subject, encodeUtf8(`passkey ${purpose}`), length)),
    commonName: 'passkey TEST attestation',
    organization: 'passkey TEST, do not trust',
    country: 'AA',
    notBefore: Date.UTC(2020, 0, 1),
    notAfter: Date.UTC(2049, 11, 31, 23, 59, 59),
    intermediates: true,
    severalModels: true,
  });
}

/** A certificate that issues others. */
interface Issuer {
  readonly key: AttestationKey;
  readonly name: Name;
  readonly certificate: Uint8Array;
}

/** An authority with a profile of one's own. */
export function authorityOf(profile: AuthorityProfile): AttestationAuthority {
  const { derive, notBefore, notAfter, organization } = profile;
  const nameOf = (commonName: string, unit: string): Name => [
    named('CN', commonName),
    named('O', organization),
    named('OU', unit),
    country(profile.country),
  ];
  const issue = (issuer: Pick<Issuer, 'key' | 'name'>, leaf: Required<Leaf>, serial: string): Uint8Array =>
    writeCertificate(
      {
        serialNumber: BigInt(`0x${toHex(derive(serial, 16, leaf.subject))}`),
        signatureAlgorithm: ECDSA_WITH_SHA256,
        issuer: issuer.name,
        notBefore,
        notAfter,
        subject: leaf.name,
        publicKey: leaf.publicKey,
        extensions: leaf.extensions,
      },
      (tbs) => issuer.key.sign(tbs),
    );
  const certificateOfIssuer = (publicKey: Uint8Array, issuer?: Issuer): readonly ExtensionToWrite[] => [
    WRITE_EXTENSION.basicConstraints(true),
    WRITE_EXTENSION.keyUsage('keyCertSign', 'cRLSign'),
    WRITE_EXTENSION.subjectKeyIdentifier(keyIdentifier(publicKey)),
    ...(issuer ? [WRITE_EXTENSION.authorityKeyIdentifier(keyIdentifier(issuer.key.publicKey))] : []),
  ];

  const root = once((): Issuer => {
    const key = ecAttestationKey(derive('root key', 32, NOBODY));
    const name = nameOf(profile.intermediates ? `${profile.commonName} root` : profile.commonName, CA_UNIT);
    const leaf = { publicKey: key.publicKey, subject: NOBODY, name, extensions: certificateOfIssuer(key.publicKey) };
    return { key, name, certificate: issue({ key, name }, leaf, 'root serial') };
  });
  const intermediate = remember((line: AttestationLine): Issuer => {
    const key = ecAttestationKey(derive(`${line} CA key`, 32, NOBODY));
    const name = nameOf(`${profile.commonName} ${line} CA`, CA_UNIT);
    const extensions = certificateOfIssuer(key.publicKey, root());
    return { key, name, certificate: issue(root(), { publicKey: key.publicKey, subject: NOBODY, name, extensions }, `${line} CA serial`) };
  });

  return {
    profile,
    get root() {
      return root().certificate;
    },
    key: (line, subject) => ecAttestationKey(derive(`${line} key`, 32, subject)),
    async rsaKey(line, subject, algorithm) {
      const { pooledRsaKey } = await import('../rsa-pool.js');
      return rsaAttestationKey(pooledRsaKey(2048, derive(`${line} RSA key`, 1, subject)[0] ?? 0), algorithm);
    },
    certify(line, { publicKey, subject, name = nameOf(profile.commonName, 'Authenticator Attestation'), extensions = [] }) {
      const below = profile.intermediates && WITH_INTERMEDIATE.includes(line);
      const issuer = below ? intermediate(line) : root();
      const all = [
        WRITE_EXTENSION.basicConstraints(false),
        WRITE_EXTENSION.keyUsage('digitalSignature'),
        WRITE_EXTENSION.subjectKeyIdentifier(keyIdentifier(publicKey)),
        WRITE_EXTENSION.authorityKeyIdentifier(keyIdentifier(issuer.key.publicKey)),
        ...extensions,
      ];
      const leaf = issue(issuer, { publicKey, subject, name, extensions: all }, `${line} serial`);
      // Android's key store gives the whole chain, its root with it.
      return [leaf, ...(below ? [issuer.certificate] : []), ...(below && line === 'android-key' ? [root().certificate] : [])];
    },
  };
}

/** RFC 5280 §4.2.1.2, method 1: SHA-1 of the key itself, without tag, length and unused bits. */
export function keyIdentifier(publicKey: Uint8Array): Uint8Array {
  const [, bits] = readSequence(decodeDer(publicKey), 'a SubjectPublicKeyInfo');
  const key = bits === undefined ? new Uint8Array() : contents(bits).subarray(1);
  return new Uint8Array(createHash('sha1').update(key).digest());
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Makes the value of each key once. */
function remember<K, V>(make: (key: K) => V): (key: K) => V {
  const made = new Map<K, V>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}

/** Remembers what was made last, for the bytes it was made of: signing a certificate takes longer than all else. */
export function rememberBatch<A extends readonly (Uint8Array | undefined)[], V>(make: (...of: A) => V): (...of: A) => V {
  let last: { readonly of: string; readonly value: V } | undefined;
  return (...of) => {
    const id = of.map((bytes) => toHex(bytes ?? NOBODY)).join('/');
    if (last?.of !== id) last = { of: id, value: make(...of) };
    return last.value;
  };
}
