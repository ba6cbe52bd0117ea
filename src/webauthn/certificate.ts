import { equalBytes, toHex } from '../kernel/bytes.js';
import { MAX_CERTIFICATE_BYTES } from '../kernel/limits.js';
import { count } from '../kernel/wording.js';
import { type CertificateExtensions, readExtensions } from './certificate-extensions.js';
import { malformed } from './decoding-error.js';
import {
  children,
  contents,
  type DerElement,
  DerSyntaxError,
  decodeDer,
  encoded,
  inner,
  isContext,
  isUniversal,
  sequence,
  TAG,
} from './der.js';
import { bitString, checkNumber, integer, objectIdentifier, smallInteger, time } from './der-values.js';
import { type DistinguishedName, readName } from './distinguished-name.js';

/** A signature algorithm or kind of key: AlgorithmIdentifier (RFC 5280 §4.1.1.2). */
export interface AlgorithmIdentifier {
  readonly oid: string;
  /** Parameters of the algorithm in DER, if any. */
  readonly parameters: Uint8Array | undefined;
}

/** An X.509 certificate (RFC 5280 §4), decoded but not verified. */
export interface Certificate {
  /** The certificate in DER, as received. */
  readonly bytes: Uint8Array;
  /** Version 1, 2 or 3. The INTEGER in the certificate is the version minus one. */
  readonly version: number;
  /** Serial number in hexadecimal, including leading zeros as in the certificate. */
  readonly serialNumber: string;
  readonly issuer: DistinguishedName;
  readonly subject: DistinguishedName;
  /** Start of the validity period, in milliseconds since the epoch. */
  readonly notBefore: number;
  /** End of the validity period, in milliseconds since the epoch. */
  readonly notAfter: number;
  readonly publicKey: SubjectPublicKey;
  readonly extensions: CertificateExtensions;
  readonly signatureAlgorithm: AlgorithmIdentifier;
  /** tbsCertificate: the bytes that the issuer signed. */
  readonly tbs: Uint8Array;
  readonly signature: Uint8Array;
}

/** Public key of a certificate: SubjectPublicKeyInfo (RFC 5280 §4.1.2.7). */
export interface SubjectPublicKey {
  /** The whole SubjectPublicKeyInfo in DER. */
  readonly bytes: Uint8Array;
  readonly algorithm: AlgorithmIdentifier;
  /** OID of the named curve; undefined for keys without a curve. */
  readonly curve: string | undefined;
  /** Contents of the BIT STRING with the key: an elliptic curve point, an RSAPublicKey, or raw bytes. */
  readonly key: Uint8Array;
}

const SUBJECT = 'The certificate';
const EC_PUBLIC_KEY = '1.2.840.10045.2.1';

/**
 * Reads an X.509 certificate of at most 65,536 bytes.
 *
 * @throws PasskeyError `attestation_malformed` naming the first wrong byte, or the first byte after the certificate.
 */
export function decodeCertificate(bytes: Uint8Array): Certificate {
  try {
    return readCertificate(bytes);
  } catch (error) {
    if (error instanceof DerSyntaxError) {
      throw malformed('attestation_malformed', SUBJECT, error.offset, error.detail, error);
    }
    throw error;
  }
}

function readCertificate(bytes: Uint8Array): Certificate {
  if (bytes.length > MAX_CERTIFICATE_BYTES) {
    throw new DerSyntaxError(0, `expected at most ${MAX_CERTIFICATE_BYTES} bytes, got ${count(bytes.length, 'byte')}`);
  }
  const whole = decodeDer(bytes);
  checkNumbers(whole);
  const [tbs, algorithm, signature, ...rest] = sequence(whole, 'a certificate');
  if (tbs === undefined || rest.length > 0) {
    throw new DerSyntaxError(rest[0]?.start ?? whole.contentStart, 'expected tbsCertificate, signatureAlgorithm and signatureValue');
  }
  const fields = sequence(tbs, 'tbsCertificate');
  const version = isContext(fields[0], 0) ? readVersion(fields.shift()) : 1;
  const [serialNumber, innerAlgorithm, issuer, validity, subject, publicKey, ...optional] = fields;
  const signatureAlgorithm = readAlgorithm(algorithm, 'signatureAlgorithm', whole);
  if (innerAlgorithm === undefined || algorithm === undefined || !equalBytes(encoded(innerAlgorithm), encoded(algorithm))) {
    throw new DerSyntaxError(algorithm?.start ?? whole.end, 'expected the same signature algorithm as inside tbsCertificate');
  }
  integer(serialNumber, 'the serial number', tbs);
  const [notBefore, notAfter] = sequence(validity, 'the validity', tbs);
  const extensions = optional.find((field) => isContext(field, 3));
  if (extensions !== undefined && version !== 3) {
    throw new DerSyntaxError(extensions.start, `expected no extensions in a certificate of version ${version}`);
  }
  return {
    bytes,
    version,
    serialNumber: serialNumber === undefined ? '' : toHex(contents(serialNumber)),
    issuer: readName(issuer, 'the issuer', tbs),
    subject: readName(subject, 'the subject', tbs),
    notBefore: time(notBefore, 'notBefore', validity),
    notAfter: time(notAfter, 'notAfter', validity),
    publicKey: readPublicKey(publicKey, tbs),
    extensions: readExtensions(extensions && inner(extensions, 'the extensions')),
    signatureAlgorithm,
    tbs: encoded(tbs),
    signature: bitString(signature, 'the signature', whole),
  };
}

/** Deepest nesting accepted, deeper than in any real certificate. */
const MAX_LEVELS = 32;

/**
 * Checks every number and object identifier in the certificate, even those that this module does not use, because other readers, such as
 * the verification library, decode them.
 */
function checkNumbers(element: DerElement, level = 0): void {
  if (level > MAX_LEVELS) {
    throw new DerSyntaxError(element.start, `expected at most ${MAX_LEVELS} levels`);
  }
  if (isUniversal(element, TAG.oid)) {
    checkNumber(element, 'an object identifier');
  }
  for (const child of element.constructed ? children(element) : []) {
    checkNumbers(child, level + 1);
  }
}

function readVersion(element: DerElement | undefined): number {
  const version = smallInteger(element && inner(element, 'the version'), 'the version') + 1;
  if (version > 3) {
    throw new DerSyntaxError(element?.contentStart ?? 0, `expected version 1, 2 or 3, got ${version}`);
  }
  return version;
}

function readAlgorithm(element: DerElement | undefined, name: string, parent: DerElement): AlgorithmIdentifier {
  const [oid, parameters] = sequence(element, name, parent);
  return {
    oid: objectIdentifier(oid, `the algorithm of ${name}`, element),
    parameters: parameters === undefined ? undefined : encoded(parameters),
  };
}

function readPublicKey(element: DerElement | undefined, parent: DerElement): SubjectPublicKey {
  const [algorithmElement, key] = sequence(element, 'subjectPublicKeyInfo', parent);
  const algorithm = readAlgorithm(algorithmElement, 'subjectPublicKeyInfo', parent);
  const isEc = algorithm.oid === EC_PUBLIC_KEY;
  const curve = isEc && algorithm.parameters !== undefined ? decodeDer(algorithm.parameters) : undefined;
  // A curve that the key brings along may be any: RFC 5480 §2.1.1 has it named.
  if (isEc && !isUniversal(curve, TAG.oid)) {
    throw new DerSyntaxError(algorithmElement?.start ?? parent.end, 'expected the name of a curve (RFC 5480 §2.1.1)');
  }
  return {
    bytes: element === undefined ? new Uint8Array() : encoded(element),
    algorithm,
    curve: curve && objectIdentifier(curve, 'a named curve'),
    key: bitString(key, 'the public key', element),
  };
}
