import { PasskeyError } from '../errors.js';
import { describeValue } from '../fixture/schema-errors.js';
import { encodeUtf8 } from '../kernel/bytes.js';
import { isObject } from '../kernel/json-value.js';
import { type MetadataBlob, readMetadataBlob } from '../relying-party/attestation/metadata-blob.js';
import { readAttestationRoots } from '../relying-party/attestation/roots.js';
import { formatAaguid, parseAaguid, providerName } from '../webauthn/aaguid.js';
import { ALGORITHMS } from '../webauthn/algorithms.js';
import { SELF_ATTESTATION_RULES, type SelfAttestationRule } from '../webauthn/enumerations.js';
import { isSignCount, MAX_SIGN_COUNT } from '../webauthn/limits.js';
import { isEncoded, readBase64, readHex } from '../webauthn/text-encoding.js';
import { EXPECTATION_MEMBERS, type ExplainExpectations } from './expectation-members.js';
import { type CredentialOfKey, readPublicKey } from './public-key.js';

/** Facts about a ceremony that its credential does not contain; undefined if unknown. They override the facts of a recording. */
export interface Expectations {
  readonly rpId: string | undefined;
  readonly origins: readonly string[] | undefined;
  readonly topOrigins: readonly string[] | undefined;
  /** All possible decodings of the given challenge. For example, hexadecimal text is also valid base64url. */
  readonly challenges: readonly Uint8Array[] | undefined;
  /** The credential's public key as COSE_Key. */
  readonly publicKey: Uint8Array | undefined;
  readonly signCount: number | undefined;
  readonly backupEligible: boolean | undefined;
  readonly appId: string | undefined;
  /** COSEAlgorithmIdentifiers that the server offered. */
  readonly algorithms: readonly number[] | undefined;
  /** Whether user verification is required; undefined if not given. */
  readonly requireUv: boolean | undefined;
  /** `conditional` if the page called `create()` with this `mediation`; only for a registration. */
  readonly mediation: 'conditional' | undefined;
  readonly selfAttestation: SelfAttestationRule | undefined;
  /** Root certificates that an attestation may lead to, as PEM or DER. */
  readonly roots: readonly Uint8Array[] | undefined;
  /** FIDO metadata whose signature has been verified. */
  readonly metadata: MetadataBlob | undefined;
  /** Time at which certificates must be valid, in milliseconds since the epoch. */
  readonly at: number | undefined;
  readonly aaguidName: ((aaguid: string) => string | undefined) | undefined;
}

/** Makes the error for an expectation with a wrong value. `detail` says what was expected and received. */
export type WrongExpectation = (member: string, detail: string, cause?: unknown) => PasskeyError;

/**
 * Reads and checks the caller's expectations.
 *
 * @param now returns the current time in milliseconds since the epoch.
 * @throws PasskeyError by default `configuration_invalid`, naming the member that is wrong.
 */
export function readExpectations(
  given: Readonly<Partial<Record<keyof ExplainExpectations, unknown>>>,
  now: () => number,
  wrong: WrongExpectation = wrongMember,
): Expectations {
  const whole: unknown = given;
  if (!isObject(whole)) throw wrong('expectations', expected('an object', whole));
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(EXPECTATION_MEMBERS, name)) {
      throw wrong('expectations', `only ${Object.keys(EXPECTATION_MEMBERS).join(', ')}; got ${JSON.stringify(name)}`);
    }
  }
  const read = <R>(member: keyof ExplainExpectations, reader: (value: unknown, fail: Wrong) => R): R | undefined => {
    const value = given[member];
    return value === undefined ? undefined : reader(value, (detail, cause, inside = '') => wrong(`${member}${inside}`, detail, cause));
  };
  const at = read('at', readTime);
  const metadata = read('metadata', (value, fail) => readMetadata(value, at === undefined ? [now()] : [now(), at], fail));
  const algorithms = read('algorithms', readAlgorithms);
  const record = read('publicKey', (value, fail) => readRecord(value, fail, algorithms));
  return {
    rpId: read('rpId', (value, fail) => readText(value, fail, 'an RP ID, such as "example.org"')),
    origins: read('origin', readOrigins),
    topOrigins: read('topOrigin', readOrigins),
    challenges: read('challenge', readChallenge),
    publicKey: record?.publicKey,
    signCount: read('signCount', readCount) ?? record?.signCount,
    backupEligible: read('backupEligible', readBoolean) ?? record?.backupEligible,
    appId: read('appId', (value, fail) => readText(value, fail, 'an AppID, such as "https://example.org/app-id.json"')),
    algorithms,
    requireUv: read('requireUserVerification', readBoolean),
    mediation: read('mediation', readMediation),
    roots: read('roots', readRootList),
    selfAttestation: read('selfAttestation', readSelfAttestation),
    metadata,
    at,
    aaguidName: nameAaguids(read('aaguidNames', readAaguidNames), metadata),
  };
}

/** Empty expectations, for a recording that contains its own. */
export const NOTHING_EXPECTED: Expectations = readExpectations({}, () => 0);

/** Makes a function that looks up the name of an AAGUID. It uses the given names and, only if none are given, the package's own. */
export function nameAaguids(
  names: ReadonlyMap<string, string> | undefined,
  metadata: MetadataBlob | undefined,
): Expectations['aaguidName'] {
  if (names === undefined && metadata === undefined) return undefined;
  return (aaguid) => names?.get(aaguid) ?? metadata?.nameOf(aaguid) ?? (names === undefined ? providerName(aaguid) : undefined);
}

/**
 * Makes the error for the value being read.
 *
 * @param inside position inside the member, such as `[1]`.
 */
type Wrong = (detail: string, cause?: unknown, inside?: string) => PasskeyError;

/** Decodes a challenge in every encoding that its text could be in, the most likely first. */
function readChallenge(value: unknown, wrong: Wrong): readonly Uint8Array[] {
  const kinds = 'base64url, base64 or hexadecimal';
  if (value instanceof Uint8Array && value.length > 0) return [value];
  if (typeof value !== 'string') throw wrong(expected(`bytes, ${kinds}`, value));
  const text = value.trim();
  const base64 = readBase64(text);
  const hex = readHex(text);
  if (!isEncoded(base64) && hex === undefined) {
    throw wrong(`${kinds}; got ${JSON.stringify(base64.character)} at position ${base64.position}`);
  }
  const readings = [...(isEncoded(base64) ? [base64.bytes] : []), ...(hex === undefined ? [] : [hex.bytes])];
  if (readings.every((bytes) => bytes.length === 0)) {
    throw wrong(`${kinds}; got ${text === '' ? 'nothing' : 'a single character, which does not fill a byte'}`);
  }
  return readings;
}

/** Reads names by AAGUID: `{ "<aaguid>": "name" }` or, as in the community list, objects with a `name`. Skips members such as `$schema`. */
export function readAaguidNames(table: unknown, wrong: Wrong): ReadonlyMap<string, string> {
  if (!isObject(table)) throw wrong(expected('an object of names by AAGUID', table));
  const names = new Map<string, string>();
  for (const [aaguid, entry] of Object.entries(table)) {
    if (aaguid.startsWith('$')) continue;
    const name = isObject(entry) ? entry['name'] : entry;
    if (typeof name !== 'string') throw wrong(`a name for every AAGUID; got none for ${JSON.stringify(aaguid)}`);
    try {
      names.set(formatAaguid(parseAaguid(aaguid)), name);
    } catch (cause) {
      throw wrong(`AAGUIDs (8-4-4-4-12 hexadecimal digits); got ${JSON.stringify(aaguid)}`, cause);
    }
  }
  return names;
}

/**
 * Reads a metadata BLOB as of the first of several times at which its certificates are valid. Usually this is the present, whatever the
 * time of the ceremony, but an old BLOB may be valid only at the time of the ceremony.
 */
function readMetadataAsOf(times: readonly number[], blob: Uint8Array, roots: readonly (string | Uint8Array)[]): MetadataBlob {
  const anchors = readAttestationRoots(roots);
  const [at = 0, ...others] = times;
  try {
    return readMetadataBlob(blob, { roots: anchors, at });
  } catch (error) {
    if (!(error instanceof PasskeyError) || others.length === 0) throw error;
    return readMetadataAsOf(others, blob, roots);
  }
}

function readMetadata(value: unknown, times: readonly number[], wrong: Wrong): MetadataBlob {
  if (!isObject(value)) throw wrong(expected('{ blob, roots }', value));
  const blob = readBytes(value['blob'], (detail, cause) => wrong(detail, cause, '.blob'));
  const roots = readRootList(value['roots'], (detail, cause, inside = '') => wrong(detail, cause, `.roots${inside}`));
  try {
    return readMetadataAsOf(times, blob, roots);
  } catch (cause) {
    throw wrong(`a FIDO metadata BLOB that its roots vouch for. ${readMessage(cause)}`, cause);
  }
}

function readRootList(value: unknown, wrong: Wrong): Uint8Array[] {
  if (!Array.isArray(value)) throw wrong(expected('an array of certificates in PEM or DER', value));
  return value.map((entry: unknown, index) => {
    const bytes = readBytes(entry, (detail, cause) => wrong(detail, cause, `[${index}]`));
    try {
      readAttestationRoots([bytes]);
    } catch (cause) {
      throw wrong(`certificates in PEM or DER. ${readMessage(cause)}`, cause, `[${index}]`);
    }
    return bytes;
  });
}

function readRecord(value: unknown, wrong: Wrong, offered: readonly number[] | undefined): CredentialOfKey {
  const isJson = isObject(value) && !(value instanceof Uint8Array);
  const given = isJson ? undefined : readBytes(value, wrong);
  try {
    return readPublicKey(given ?? encodeUtf8(JSON.stringify(value)), offered);
  } catch (cause) {
    throw wrong(
      `a public key (COSE, SPKI, PEM, a point or JWK, also in a database row), or a registration or fixture that holds one. ${readMessage(cause)}`,
      cause,
    );
  }
}

function readSelfAttestation(value: unknown, wrong: Wrong): SelfAttestationRule {
  const rule = SELF_ATTESTATION_RULES.find((known) => known === value);
  if (rule === undefined) throw wrong(expected(SELF_ATTESTATION_RULES.map((known) => `"${known}"`).join(' or '), value));
  return rule;
}

/** Reads a time. A string of digits is read as seconds since 1970, as `date +%s` prints. */
function readTime(value: unknown, wrong: Wrong): number {
  const text = typeof value === 'string' && /^\d{1,11}$/.test(value) ? Number(value) * 1000 : value;
  const time = typeof text === 'string' ? Date.parse(text) : text instanceof Date ? text.getTime() : text;
  if (typeof time !== 'number' || Number.isNaN(new Date(time).getTime())) {
    throw wrong(expected('a time such as "2026-01-15T10:30:00Z", a Date, or milliseconds since 1970 (as text: seconds)', value));
  }
  return time;
}

function readMediation(value: unknown, wrong: Wrong): 'conditional' {
  if (value !== 'conditional') throw wrong(expected('"conditional", or nothing for any other', value));
  return value;
}

function readCount(value: unknown, wrong: Wrong): number {
  if (!isSignCount(value)) throw wrong(expected(`a whole number from 0 to ${MAX_SIGN_COUNT}`, value));
  return value;
}

function readBoolean(value: unknown, wrong: Wrong): boolean {
  if (typeof value !== 'boolean') throw wrong(expected('true or false', value));
  return value;
}

function readAlgorithms(value: unknown, wrong: Wrong): readonly number[] {
  const expects = 'names or numbers of COSE algorithms, such as ES256 or -7';
  if (!Array.isArray(value) || value.length === 0) throw wrong(expected(`an array of ${expects}`, value));
  return value.map((entry: unknown) => {
    const named = ALGORITHMS.find(({ name }) => typeof entry === 'string' && name.toLowerCase() === entry.toLowerCase())?.id;
    const id = named ?? (typeof entry === 'string' && /^-?\d{1,9}$/.test(entry) ? Number(entry) : entry);
    if (typeof id !== 'number' || !Number.isInteger(id)) throw wrong(expected(expects, entry));
    return id;
  });
}

function readOrigins(value: unknown, wrong: Wrong): readonly string[] {
  const expects = 'an origin such as "https://example.org", or an array of them';
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (texts.length === 0) throw wrong(`${expects}; got an empty array`);
  return texts.map((text) => readText(text, wrong, expects));
}

function readText(value: unknown, wrong: Wrong, expects: string): string {
  if (typeof value !== 'string' || value === '') throw wrong(expected(expects, value));
  return value;
}

function readBytes(value: unknown, wrong: Wrong): Uint8Array {
  if (value instanceof Uint8Array) return value;
  if (typeof value !== 'string') throw wrong(expected('bytes or text', value));
  return encodeUtf8(value);
}

function expected(what: string, value: unknown): string {
  return `${what}; got ${['function', 'symbol', 'bigint'].includes(typeof value) ? `a ${typeof value}` : describeValue(value)}`;
}

function readMessage(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function wrongMember(member: string, detail: string, cause?: unknown): PasskeyError {
  return new PasskeyError('configuration_invalid', `${member}: expected ${detail}${/[.!]$/.test(detail) ? '' : '.'}`, { cause });
}
