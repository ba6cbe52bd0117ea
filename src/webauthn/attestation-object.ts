import { count } from '../kernel/wording.js';
import { CborFloat, type CborMap, type CborValue, decodeCborMap, encodeCbor } from './cbor.js';
import { malformed, readingCbor } from './decoding-error.js';

export interface AttestationStatement {
  /** Attestation statement format identifier (WebAuthn L3 §8.1), e.g. `none`, `packed`. */
  readonly fmt: string;
  /** The attestation statement, undecoded. Empty for the format `compound`, whose statement is a list of statements: see `statements`. */
  readonly attStmt: CborMap;
}

/** Attestation object of a new credential (WebAuthn L3 §6.5.4). */
export interface AttestationObject extends AttestationStatement {
  readonly authData: Uint8Array;
  /** Parts of a `compound` attestation (WebAuthn L3 §8.9), in order. Their number and formats are not checked. */
  readonly statements?: readonly AttestationStatement[];
}

/** Reads the DER certificates of an attestation statement of any format. Skips entries of `x5c` that are not bytes. */
export function readCertificates({ attStmt }: AttestationStatement): Uint8Array[] {
  return [attStmt.get('x5c')].flat().filter((der) => der instanceof Uint8Array);
}

const CODE = 'attestation_malformed';
const SUBJECT = 'The attestation object';

/**
 * Reads an attestation object (WebAuthn L3 §6.5.4) in canonical CBOR, with the map keys in any order. Ignores unknown members.
 *
 * @throws PasskeyError `attestation_malformed` naming the first wrong byte, or the first byte after the object.
 */
export function decodeAttestationObject(bytes: Uint8Array): AttestationObject {
  const { value: map, end, offsets } = readingCbor(CODE, SUBJECT, () => decodeCborMap(bytes, 0, { canonical: true }));
  if (end !== bytes.length) {
    throw malformed(CODE, SUBJECT, end, `expected nothing after it, got ${count(bytes.length - end, 'more byte')}`);
  }
  const wrong = (name: string, expected: string) =>
    malformed(CODE, SUBJECT, offsets.get(name) ?? 0, `expected "${name}" to be ${expected}, got ${showMember(map, name)}`);
  const fmt = map.get('fmt');
  if (typeof fmt !== 'string') {
    throw wrong('fmt', 'a text string');
  }
  const authData = map.get('authData');
  if (!(authData instanceof Uint8Array)) {
    throw wrong('authData', 'a byte string');
  }
  const attStmt = map.get('attStmt');
  if (fmt === 'compound') {
    const statements = Array.isArray(attStmt) ? attStmt.map(toStatement) : [];
    if (!Array.isArray(attStmt) || !isWhole(statements)) {
      throw wrong('attStmt', 'an array of maps with "fmt" and "attStmt"');
    }
    return { fmt, attStmt: new Map(), authData, statements };
  }
  if (!(attStmt instanceof Map)) {
    throw wrong('attStmt', 'a map');
  }
  return { fmt, attStmt, authData };
}

/** Reads one attestation statement. Ignores the parts of a compound statement inside another, because §8.9 forbids such nesting. */
function toStatement(value: CborValue): AttestationStatement | undefined {
  const fmt = value instanceof Map ? value.get('fmt') : undefined;
  const attStmt = value instanceof Map ? value.get('attStmt') : undefined;
  if (fmt === 'compound' && Array.isArray(attStmt)) return { fmt, attStmt: new Map() };
  return typeof fmt === 'string' && attStmt instanceof Map ? { fmt, attStmt } : undefined;
}

function isWhole(statements: readonly (AttestationStatement | undefined)[]): statements is readonly AttestationStatement[] {
  return !statements.includes(undefined);
}

function showMember(map: CborMap, name: string): string {
  const value = map.get(name);
  if (!map.has(name)) {
    return 'none';
  }
  if (value instanceof Uint8Array) {
    return 'a byte string';
  }
  if (Array.isArray(value)) {
    return `an array of ${value.length}`;
  }
  if (value instanceof CborFloat) {
    return 'a floating-point number';
  }
  return value instanceof Map ? 'a map' : value === null ? 'null' : `a value of type ${typeof value}`;
}

/** Attestation statement to encode. A `compound` statement has parts, and §8.9 requires that none of them is `compound`. */
export interface StatementToWrite extends AttestationStatement {
  readonly statements?: readonly StatementToWrite[];
}

/** Writes an attestation object (WebAuthn L3 §6.5.4) in CTAP2's canonical order. */
export function encodeAttestationObject({ authData, ...statement }: StatementToWrite & Pick<AttestationObject, 'authData'>): Uint8Array {
  return encodeCbor(new Map<CborValue, CborValue>([...statementMap(statement), ['authData', authData]]));
}

function statementMap({ fmt, attStmt, statements }: StatementToWrite): CborMap {
  return new Map<CborValue, CborValue>([
    ['fmt', fmt],
    ['attStmt', statements?.map(statementMap) ?? attStmt],
  ]);
}
