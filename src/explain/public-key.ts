import { PasskeyError } from '../errors.js';
import { concatBytes, encodeUtf8, equalBytes } from '../kernel/bytes.js';
import { asObject, isObject, isWithinDepth, type JsonObject, MAX_JSON_LEVELS, parseJson } from '../kernel/json-value.js';
import { MAX_CERTIFICATE_BYTES } from '../kernel/limits.js';
import { publicKeyHint } from '../relying-party/diagnosis/public-key.js';
import { ALGORITHMS, CURVES, KEY_TYPES } from '../webauthn/algorithms.js';
import { type AuthenticatorData, decodeAuthenticatorData, FLAG, OFFSETS } from '../webauthn/authenticator-data.js';
import { decodeBase64, decodeBase64url } from '../webauthn/base64url.js';
import { type CborValue, encodeCbor } from '../webauthn/cbor.js';
import { decodeCoseKey } from '../webauthn/cose-key.js';
import { isSignCount } from '../webauthn/limits.js';
import { bytesOfJson, printableText, readDecimals, readHex, readUtf16, trimmed } from '../webauthn/text-encoding.js';
import { foreignBytes } from './annotate/foreign.js';
import type { HarFinding } from './annotate/har.js';
import { KIND_NAMES } from './annotate/kinds.js';
import { readLogged } from './annotate/logged.js';
import { readPemBlocks } from './annotate/pem.js';
import type { ReadCredential } from './annotate/read-credential.js';
import { type Recognised, recognise } from './annotate/recognise.js';
import { type ReadBytes, recogniseBytes } from './annotate/recognise-bytes.js';
import { findSentence } from './annotate/sentence.js';
import { chooseAlgorithm, type Offered, readDerKey, readEdwards, readPoint, writeKey } from './key-bytes.js';

/** A public key, and the other members of its credential record that the input contains. */
export interface CredentialOfKey {
  /** The key as COSE_Key. */
  readonly publicKey: Uint8Array;
  readonly signCount?: number;
  readonly backupEligible?: boolean;
}

/** Maximum number of nested encodings to decode, such as hexadecimal inside JSON inside base64. */
const MAX_LAYERS = 5;

/** Part of an input that may contain a key. */
interface Place {
  readonly bytes: Uint8Array;
  /**
   * Whether the part's name says that it contains a public key. Key formats that other bytes match by chance are accepted only in such a
   * part.
   */
  readonly isNamed: boolean;
}

/** A part of an input, and the key that it contains; `key` is undefined if it contains none. */
type Found = Place & { readonly key: CredentialOfKey | undefined };

/**
 * Finds the public key in an input. The key may be a COSE_Key, SubjectPublicKeyInfo, point or JWK in any encoding, inside an object, a
 * database row or a log, or in the registration, attestation object or fixture that it came with.
 *
 * @param offered COSEAlgorithmIdentifiers, for a key that does not name its own.
 * @throws PasskeyError `public_key_malformed` saying what the input is instead.
 */
export function readPublicKey(bytes: Uint8Array, offered: Offered = []): CredentialOfKey {
  const recognised = tryRecognise(bytes);
  const known = recognised instanceof PasskeyError ? undefined : findKey(recognised);
  if (known !== undefined) return known;
  const found = [...search({ bytes, isNamed: true }, offered)];
  const keys = found.flatMap(({ key, isNamed }) => (key === undefined ? [] : [{ ...key, isNamed }]));
  const likely = keys.some(({ isNamed }) => isNamed) ? keys.filter(({ isNamed }) => isNamed) : keys;
  const [first, ...others] = likely;
  if (first === undefined) throw describeOther(bytes, recognised, found);
  const isSame = others.every(({ publicKey }) => equalBytes(publicKey, first.publicKey));
  if (!isSame) throw malformed('Got several different public keys; give the one of this credential.');
  const { isNamed: _, ...key } = first;
  return key;
}

function tryRecognise(bytes: Uint8Array): Recognised | PasskeyError {
  try {
    return recognise(bytes);
  } catch (error) {
    if (error instanceof PasskeyError) return error;
    throw error;
  }
}

/** Makes the error for an input that contains no key. The message describes the longest part of the input. */
function describeOther(given: Uint8Array, recognised: Recognised | PasskeyError, found: readonly Found[]): PasskeyError {
  const longest = found.map(({ bytes }) => bytes).sort((a, b) => b.length - a.length)[0] ?? NO_BYTES;
  const hint = longest[0] === DER_SEQUENCE ? foreignBytes(longest) : undefined;
  if (recognised instanceof PasskeyError) {
    const text = printableText(given) ?? '';
    const otherwise = findSentence(text) === undefined ? recognised.message : 'Got text without a key.';
    return malformed(
      hint ?? (parseJson(printableText(longest) ?? '') === undefined ? publicKeyHint(longest, otherwise) : otherwise),
      recognised,
    );
  }
  const name = KIND_NAMES[recognised.kind];
  if (recognised.kind === 'certificate') return malformed(`Got an ${name}: its key signs attestations, and is not the credential's.`);
  return malformed(`Got ${/^[aeioux]/i.test(name) ? 'an' : 'a'} ${name}, which holds no public key.`);
}

const NO_BYTES = new Uint8Array();
const DER_SEQUENCE = 0x30;

function* search(place: Place, offered: Offered, layers = 0): Generator<Found> {
  const key = readStructure(place, offered);
  const text = key === undefined && layers < MAX_LAYERS ? (readUtf16(place.bytes) ?? printableText(place.bytes)) : undefined;
  const inside = text === undefined ? [] : [...placesInText(trimmed(text), place.isNamed, offered)];
  if (inside.length === 0) yield { ...place, key };
  for (const inner of inside) yield* search(inner, offered, layers + 1);
}

/** Decodes bytes that are a key as a whole, without surplus bytes. */
function readStructure({ bytes, isNamed }: Place, offered: Offered): CredentialOfKey | undefined {
  const read = recogniseBytes(bytes);
  const record = read && readBinary(read);
  if (record !== undefined) return record;
  const isShort = bytes.length % 2 === 1 && bytes[0] !== UNCOMPRESSED;
  const point = isShort && !isNamed ? undefined : readPoint(bytes, offered);
  const publicKey = readDerKey(bytes, offered) ?? point ?? (isNamed ? readEdwards(bytes, undefined, offered) : undefined);
  return publicKey === undefined ? readAttestedData(bytes) : { publicKey };
}

const UNCOMPRESSED = 0x04;
/**
 * Placeholder for the part of authenticator data that comes before the attested credential data. Some libraries store the attested
 * credential data without that part.
 */
const BEFORE_ATTESTED = Uint8Array.from({ length: OFFSETS.aaguid }, (_, at) => (at === OFFSETS.flags ? FLAG.at : 0));

function readAttestedData(bytes: Uint8Array): CredentialOfKey | undefined {
  if (bytes.length > MAX_CERTIFICATE_BYTES) return undefined;
  try {
    const { attestedCredentialData } = decodeAuthenticatorData(concatBytes(BEFORE_ATTESTED, bytes));
    const publicKey = attestedCredentialData?.credentialPublicKey;
    if (publicKey === undefined) return undefined;
    decodeCoseKey(publicKey);
    return { publicKey };
  } catch (error) {
    if (error instanceof PasskeyError) return undefined;
    throw error;
  }
}

function* placesInText(text: string, isNamed: boolean, offered: Offered): Generator<Place> {
  const value = parseJson(text);
  if (typeof value === 'string' || (typeof value === 'object' && value !== null)) {
    if (isWithinDepth(value, MAX_JSON_LEVELS)) yield* placesInValue(value, isNamed, offered);
    return;
  }
  const blocks = [...readPemBlocks(text)];
  if (blocks.some(({ label }) => label.includes('PRIVATE'))) {
    throw malformed('This is a private key; keep it to yourself, and give the public key.');
  }
  for (const { bytes } of blocks) yield { bytes, isNamed: true };
  if (blocks.length > 0) return;
  const whole = readEncodings(text);
  for (const bytes of whole) yield { bytes, isNamed };
  if (whole.length > 0) return;
  if (ESCAPE.test(text)) yield { bytes: readEscaped(text), isNamed };
  for (const logged of readLogged(text)) yield* placesInValue(logged, false, offered);
  for (const [run] of text.matchAll(RUNS)) {
    for (const bytes of readEncodings(run.replaceAll(BRACKETS, ''))) yield { bytes, isNamed: false };
  }
}

/**
 * Matches encoded bytes in a line of text: numbers in brackets, a Buffer as Node prints it, or hexadecimal or base64 that is long enough
 * for a key.
 */
const RUNS = /\[[\d\s,]{60,}\]|<(?:Buffer )?[\da-f ]{60,}>|(?:\\x|0x)?[\w+/-]{40,}={0,2}/gi;
const BRACKETS = /^(?:\[|<(?:Buffer )?)|[\]>]$/gi;

/** Decodes a text in each encoding in which it is valid. */
function readEncodings(text: string): Uint8Array[] {
  const hex = readHex(/^x'(.*)'$/is.exec(text)?.[1] ?? text)?.bytes;
  const decimals = readDecimals(text) ?? readDecimals(text.replaceAll(/(?<=\d)\s+(?=\d)/g, ','));
  // A form that was not encoded turns + into a space.
  const base64 = decodeBase64(joinLines(text).replaceAll(' ', '+'))?.bytes;
  return [hex, decimals, base64?.length === 0 ? undefined : base64].filter((bytes) => bytes !== undefined);
}

/**
 * Joins the lines of a text, and removes line ends and the white space around them. A single regular expression would take quadratic time
 * for a long run of spaces.
 */
function joinLines(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.join('');
}

/** Matches one byte in the escaped form that Python and PostgreSQL use among ASCII characters. */
const ESCAPE = /\\(?:x[\da-f]{2}|[0-7]{3})/i;
const ESCAPES = /\\(?:x([\da-f]{2})|([0-7]{3})|([\\'"nrt]))/gi;
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

function readEscaped(text: string): Uint8Array {
  const body = /^[be]?(['"])(.*)\1$/is.exec(text)?.[2] ?? text;
  const characters = body.replaceAll(ESCAPES, (_, hex?: string, octal?: string, character = '') => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    return octal === undefined ? (CONTROLS[character] ?? character) : String.fromCharCode(Number.parseInt(octal, 8));
  });
  return Uint8Array.from(characters, (character) => character.charCodeAt(0));
}

/** Names of members that hold a public key, or an object that contains it. */
const KEY_NAMES = /pub\w*[_ -]?key|cose|^(?:key|pk)$/i;
/** Names of members that wrap the bytes of a public key, as in `{ $binary: { base64 } }`. */
const WRAPPED = /^(?:\$?binary|base64|hex|data|bytes|value|raw|der|pem|b)$/i;

function* placesInValue(value: unknown, isNamed: boolean, offered: Offered): Generator<Place> {
  if (typeof value === 'string') return yield { bytes: encodeUtf8(value), isNamed };
  const bytes = bytesOfJson(value);
  if (bytes !== undefined) return yield { bytes, isNamed };
  if (Array.isArray(value)) {
    for (const each of value) yield* placesInValue(each, false, offered);
  }
  if (!isObject(value)) return;
  const key = readKeyObject(value, offered);
  if (key !== undefined) return yield { bytes: key, isNamed: true };
  for (const [name, member] of Object.entries(value)) {
    yield* placesInValue(member, KEY_NAMES.test(name) || (isNamed && WRAPPED.test(name)), offered);
  }
}

function findKey(recognised: Recognised): CredentialOfKey | undefined {
  switch (recognised.kind) {
    case 'registration':
      return readAttested(recognised.credential);
    case 'fixture': {
      const { publicKey: text, signCount, backupEligible } = asObject(recognised.json['credential']);
      const publicKey = typeof text === 'string' ? decodeBase64(text)?.bytes : undefined;
      if (publicKey === undefined) return readAttested(recognised.credential);
      return { publicKey, ...(isSignCount(signCount) && { signCount }), ...(typeof backupEligible === 'boolean' && { backupEligible }) };
    }
    default:
  }
  if ('findings' in recognised) return findRegistered(recognised.findings);
  const [item] = 'items' in recognised ? recognised.items : [];
  return item && readBinary(item);
}

/**
 * Finds the key that was registered in a recording; undefined if the recording contains no registration. Throws if it contains several
 * keys.
 */
function findRegistered(findings: readonly HarFinding[]): CredentialOfKey | undefined {
  const keys = findings.flatMap(({ found }) => (found.kind === 'registration' ? (readAttested(found.credential) ?? []) : []));
  if (keys.length > 1) throw malformed('Got several registrations; give the one of this credential.');
  return keys[0];
}

function readBinary(read: ReadBytes): CredentialOfKey | undefined {
  switch (read.kind) {
    case 'cose-key':
      return { publicKey: read.bytes };
    case 'attestation-object':
      return readRecord(decodeAuthenticatorData(read.value.authData));
    case 'authenticator-data':
      return readRecord(read.value);
    case 'ctap2-answer':
      return read.value.authData && readRecord(read.value.authData);
    default:
      return undefined;
  }
}

function readAttested({ attestedData }: ReadCredential): CredentialOfKey | undefined {
  return attestedData?.ok === true ? readRecord(attestedData.value) : undefined;
}

/** Makes the credential record of a registration from the authenticator data of the registration. */
function readRecord({ attestedCredentialData, signCount, flags }: AuthenticatorData): CredentialOfKey | undefined {
  return attestedCredentialData && { publicKey: attestedCredentialData.credentialPublicKey, signCount, backupEligible: flags.be };
}

/** Reads a key from the members of an object: a JWK, a COSE_Key whose labels are written as names, or the coordinates of a point. */
function readKeyObject(value: JsonObject, offered: Offered): Uint8Array | undefined {
  if (typeof value['kty'] === 'string') return convertJwk(value, offered);
  if (typeof value['1'] === 'number' && typeof value['3'] === 'number') {
    const labels = Object.keys(value).filter((label) => /^-?\d{1,9}$/.test(label));
    const members = labels.map((label): [number, CborValue] => {
      const member = value[label];
      return [Number(label), typeof member === 'number' ? member : (readMemberBytes(member) ?? null)];
    });
    return encodeCbor(new Map(members));
  }
  const [x, y, n, e] = ['x', 'y', 'n', 'e'].map((name) => readMemberBytes(value[name]));
  if (x !== undefined && y !== undefined) return readPoint(concatBytes(x, y), offered);
  if (n !== undefined && e !== undefined) {
    return writeKey({ kty: KEY_TYPES.RSA, alg: chooseAlgorithm({ kty: KEY_TYPES.RSA }, offered), n, e });
  }
  const isEdwards = x !== undefined && Object.values(value).some((member) => typeof member === 'string' && /^ed(25519|448)$/i.test(member));
  return isEdwards ? readEdwards(x, undefined, offered) : undefined;
}

function readMemberBytes(value: unknown): Uint8Array | undefined {
  return typeof value === 'string' ? readEncodings(value)[0] : bytesOfJson(value);
}

function convertJwk(jwk: JsonObject, offered: Offered): Uint8Array {
  const bytes = (name: string): Uint8Array => {
    const text = jwk[name];
    if (typeof text !== 'string') throw malformed(`Expected the JWK to have "${name}" as base64url.`);
    return decodeBase64url(text);
  };
  const crv = CURVES.find(({ name }) => name === jwk['crv'])?.crv ?? 0;
  const named = ALGORITHMS.find(({ name }) => name === jwk['alg'])?.id;
  const algorithm = (kty: number) => named ?? chooseAlgorithm(kty === KEY_TYPES.RSA ? { kty } : { kty, crv }, offered);
  switch (jwk['kty']) {
    case 'EC':
      return writeKey({ kty: KEY_TYPES.EC2, alg: algorithm(KEY_TYPES.EC2), crv, x: bytes('x'), y: bytes('y') });
    case 'OKP':
      return writeKey({ kty: KEY_TYPES.OKP, alg: algorithm(KEY_TYPES.OKP), crv, x: bytes('x') });
    case 'RSA':
      return writeKey({ kty: KEY_TYPES.RSA, alg: algorithm(KEY_TYPES.RSA), n: bytes('n'), e: bytes('e') });
    case 'AKP':
      return writeKey({ kty: KEY_TYPES.AKP, alg: named ?? 0, pub: bytes('pub') });
    default:
      throw malformed(`Expected a JWK with "kty" EC, OKP, RSA or AKP; got ${JSON.stringify(jwk['kty'])}.`);
  }
}

function malformed(message: string, cause?: unknown): PasskeyError {
  return new PasskeyError('public_key_malformed', message, { cause });
}
