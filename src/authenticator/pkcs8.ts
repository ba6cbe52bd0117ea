import { concatBytes, equalBytes } from '../kernel/bytes.js';
import { CURVES, type Curve, KEY_TYPES } from '../webauthn/algorithms.js';
import { children, contents, DerSyntaxError, decodeDer, encoded, octets, sequence } from '../webauthn/der.js';
import { objectIdentifier, smallInteger } from '../webauthn/der-values.js';
import * as write from '../webauthn/der-writer.js';
import { KEY_IDENTIFIERS, keyIdentifier } from '../webauthn/subject-public-key-info.js';

/** Parts of a private key in PKCS#8. */
export interface PrivateKeyParts {
  /** Curve name, `RSA`, or name of the ML-DSA parameter set. */
  readonly kind: string;
  /**
   * Secret of the key: the scalar for a curve (big-endian, as long as a field element), the seed for an Edwards curve or ML-DSA, or the
   * RSAPrivateKey (RFC 8017) in DER.
   */
  readonly secret: Uint8Array;
}

const curveNamed = (kind: string) => CURVES.find(({ name }) => name === kind);
export const ML_DSA_SEED_BYTES = 32;

/**
 * Encodes a private key as PKCS#8 (RFC 5958) in DER. Writes only the seed of an ML-DSA key (RFC 9881 §6).
 *
 * @param point public point of a key on a curve: 04, x and y. It saves readers from computing the point.
 */
export function encodePkcs8({ kind, secret }: PrivateKeyParts, point?: Uint8Array): Uint8Array {
  const inner = kind === 'RSA' ? secret : innerKey(curveNamed(kind), secret, point);
  return write.sequence(write.integer(0), keyIdentifier(kind), write.octetString(inner));
}

function innerKey(curve: Curve | undefined, secret: Uint8Array, point: Uint8Array | undefined): Uint8Array {
  if (curve === undefined) return write.contextPrimitive(0, secret);
  if (curve.kty === KEY_TYPES.OKP) return write.octetString(secret);
  const publicKey = point === undefined ? new Uint8Array() : write.context(1, write.bitString(point));
  return write.sequence(write.integer(1), write.octetString(secret), publicKey);
}

interface Template {
  readonly pkcs8: Uint8Array;
  readonly secretAt: number;
  readonly pointAt: number;
}
const templates = new Map<string, Template>();

/**
 * Encodes a key on a curve like {@link encodePkcs8}, but faster. Only the secret and the point differ between keys, so it replaces these in
 * a template.
 */
export function fillPkcs8(curve: Curve, secret: Uint8Array, point: Uint8Array): Uint8Array {
  const template = templates.get(curve.name) ?? makeTemplate(curve, point.length);
  templates.set(curve.name, template);
  const pkcs8 = template.pkcs8.slice();
  pkcs8.set(secret, template.secretAt);
  pkcs8.set(point, template.pointAt);
  return pkcs8;
}

function makeTemplate({ name, size }: Curve, pointSize: number): Template {
  const point = new Uint8Array(pointSize);
  const pkcs8 = encodePkcs8({ kind: name, secret: new Uint8Array(size) }, point);
  const pointAt = pkcs8.length - pointSize;
  const publicKey = write.context(1, write.bitString(point));
  return { pkcs8, pointAt, secretAt: pkcs8.length - publicKey.length - size };
}

/**
 * Reads PKCS#8 (RFC 5958). For an unknown kind of key, `kind` is its object identifier in dotted form.
 *
 * @throws DerSyntaxError for anything other than PKCS#8.
 */
export function decodePkcs8(pkcs8: Uint8Array): PrivateKeyParts {
  const document = decodeDer(pkcs8);
  const [version, identifier, inner] = sequence(document, 'a private key');
  smallInteger(version, 'its version', document);
  const [oid] = sequence(identifier, 'its algorithm', document);
  const written = identifier && encoded(identifier);
  const kind = [...KEY_IDENTIFIERS].find(([, known]) => written !== undefined && equalBytes(known, written))?.[0];
  const bytes = octets(inner, 'its private key', document);
  if (kind === undefined) return { kind: objectIdentifier(oid, 'its algorithm'), secret: bytes };
  return { kind, secret: kind === 'RSA' ? bytes : readSecret(kind, bytes) };
}

function readSecret(kind: string, bytes: Uint8Array): Uint8Array {
  const element = decodeDer(bytes);
  const curve = curveNamed(kind);
  if (curve?.kty === KEY_TYPES.OKP) return exactly(octets(element, 'its seed'), curve.size, kind);
  if (curve !== undefined) {
    // RFC 5915.
    const [, scalar] = sequence(element, 'an ECPrivateKey');
    return ofLength(octets(scalar, 'its scalar', element), curve.size, kind);
  }
  // RFC 9881 §6: [0] seed, or a sequence of seed and expanded key. An expanded key alone has no seed left in it.
  const seed = element.class === 'context' && element.tag === 0 ? contents(element) : octets(children(element)[0], 'its seed', element);
  return exactly(seed, ML_DSA_SEED_BYTES, kind);
}

function ofLength(scalar: Uint8Array, size: number, kind: string): Uint8Array {
  return scalar.length < size ? concatBytes(new Uint8Array(size - scalar.length), scalar) : exactly(scalar, size, kind);
}

function exactly(secret: Uint8Array, size: number, kind: string): Uint8Array {
  if (secret.length !== size) throw new DerSyntaxError(0, `expected ${size} bytes of a ${kind} key, got ${secret.length}`);
  return secret;
}
