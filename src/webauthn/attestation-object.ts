import { count } from '../kernel/wording.js';
import { type CborMap, type CborValue, decodeCborMap, encodeCbor } from './cbor.js';
import { malformed, readingCbor } from './decoding-error.js';

export interface AttestationStatement {
  /** Attestation statement format identifier (WebAuthn L3 §8.1), e.g. `none`, `packed`. */
  readonly fmt: string;
  /** The statement, undecoded. Empty for `compound`, whose statement is a list: see `statements`. */
  readonly attStmt: CborMap;
}

/** Attestation object of a new credential (WebAuthn L3 §6.5.4). */
export interface AttestationObject extends AttestationStatement {
  readonly authData: Uint8Array;
  /** Parts of a `compound` attestation (WebAuthn L3 §8.9), in order. Their number and formats are not checked. */
  readonly statements?: readonly AttestationStatement[];
}

/** Reads the DER certificates of a statement of any format. Entries of `x5c` that are not bytes are left out. */
export function readCertificates({ attStmt }: AttestationStatement): Uint8Array[] {
  return [attStmt.get('x5c')].flat().filter((der) => der instanceof Uint8Array);
}

const CODE = 'attestation_malformed';
const SUBJECT = 'The attestation object';

/**
 * Reads an attestation object (WebAuthn L3 §6.5.4) in canonical CBOR; only the order of keys is free. Ignores unknown members.
 *
 * @throws PasskeyError `attestation_malformed` naming the first wrong byte, also one after the object.
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

/** Reads one statement. Does not read the parts of a compound statement inside another: §8.9 forbids the nesting itself. */
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
  return value instanceof Map ? 'a map' : value === null ? 'null' : `a value of type ${typeof value}`;
}

/** Statement to encode. A `compound` statement has parts, which §8.9 requires to be of other formats. */
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
