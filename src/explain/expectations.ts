import { PasskeyError } from '../errors.js';
import { describeValue } from '../fixture/schema-errors.js';
import { encodeUtf8 } from '../kernel/bytes.js';
import { isObject } from '../kernel/json-value.js';
import { type MetadataBlob, readMetadataBlob } from '../relying-party/attestation/metadata-blob.js';
import { readAttestationRoots } from '../relying-party/attestation/trust.js';
import { formatAaguid, parseAaguid, providerName } from '../webauthn/aaguid.js';
import { SELF_ATTESTATION_RULES, type SelfAttestationRule } from '../webauthn/enumerations.js';
import { isSignCount, MAX_SIGN_COUNT } from '../webauthn/limits.js';
import { isEncoded, readBase64, readHex } from '../webauthn/text-encoding.js';
import { readPublicKey } from './public-key.js';

/** What is known of a ceremony beside its credential; undefined for what is not. It overrides what a recording says. */
export interface Expectations {
  readonly rpId: string | undefined;
  readonly origins: readonly string[] | undefined;
  readonly topOrigins: readonly string[] | undefined;
  /** Readings of one text: hexadecimal is base64url as well. */
  readonly challenges: readonly Uint8Array[] | undefined;
  /** COSE_Key. */
  readonly publicKey: Uint8Array | undefined;
  readonly signCount: number | undefined;
  readonly requireUv: boolean;
  /** Of a registration: `conditional` where the page called `create()` with it. */
  readonly mediation: 'conditional' | undefined;
  readonly selfAttestation: SelfAttestationRule | undefined;
  /** PEM or DER. */
  readonly roots: readonly Uint8Array[] | undefined;
  /** Its signature has been verified. */
  readonly metadata: MetadataBlob | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number | undefined;
  readonly aaguidName: ((aaguid: string) => string | undefined) | undefined;
}

/** Whether they say anything about the ceremony that a credential by itself does not. */
export function saysOfCeremony(expectations: Expectations): boolean {
  const { rpId, origins, topOrigins, challenges, publicKey, signCount, requireUv, mediation } = expectations;
  return requireUv || [rpId, origins, topOrigins, challenges, publicKey, signCount, mediation].some((value) => value !== undefined);
}

/** What a caller expects of a ceremony. What is left out comes from a recording; otherwise the steps that need it are skipped. */
export interface ExplainExpectations {
  readonly rpId?: string | undefined;
  /** One or several, such as `https://example.org`. */
  readonly origin?: string | readonly string[] | undefined;
  /** Pages that may embed the one that asks. */
  readonly topOrigin?: string | readonly string[] | undefined;
  /** The challenge that was issued: bytes, or base64url, base64 or hexadecimal. */
  readonly challenge?: string | Uint8Array | undefined;
  /** For an authentication: a COSE_Key as bytes or text, a JWK, or the registration or fixture the key came with. */
  readonly publicKey?: string | Uint8Array | object | undefined;
  /** For an authentication: the stored signature counter. */
  readonly signCount?: number | undefined;
  readonly requireUserVerification?: boolean | undefined;
  /** For a registration: `conditional` where the page called `create()` with it; then the user need not have been present (§7.1 step 15). */
  readonly mediation?: 'conditional' | undefined;
  /** Attestation roots as PEM or DER. */
  readonly roots?: readonly (string | Uint8Array)[] | undefined;
  /** Whether a registration may attest itself (§7.1 step 24). Default: that of the recording, else `accept`. */
  readonly selfAttestation?: SelfAttestationRule | undefined;
  /** A FIDO metadata BLOB, and the root certificates that its signature must lead to. */
  readonly metadata?: { readonly blob: string | Uint8Array; readonly roots: readonly (string | Uint8Array)[] } | undefined;
  /** Names by AAGUID, or objects with a `name`, in place of the package's table. */
  readonly aaguidNames?: Readonly<Record<string, string | { readonly name: string }>> | undefined;
  /** Time of verification, for certificates: a Date, milliseconds since the epoch or an ISO 8601 text. Default: that of the recording, else now. */
  readonly at?: Date | number | string | undefined;
}

const MEMBERS: Readonly<Record<keyof ExplainExpectations, true>> = {
  rpId: true,
  origin: true,
  topOrigin: true,
  challenge: true,
  publicKey: true,
  signCount: true,
  requireUserVerification: true,
  mediation: true,
  roots: true,
  selfAttestation: true,
  metadata: true,
  aaguidNames: true,
  at: true,
};

/**
 * @param now milliseconds since the epoch.
 * @throws PasskeyError `configuration_invalid` naming the member that is wrong.
 */
export function readExpectations(given: ExplainExpectations, now: number): Expectations {
  const whole: unknown = given;
  if (!isObject(whole)) throw wrong('expectations', expected('an object', whole));
  const { requireUserVerification = false } = given;
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(MEMBERS, name)) {
      throw wrong('expectations', `only ${Object.keys(MEMBERS).join(', ')}; got ${JSON.stringify(name)}`);
    }
  }
  if (typeof requireUserVerification !== 'boolean') {
    throw wrong('requireUserVerification', expected('true or false', requireUserVerification));
  }
  const at = optional(given.at, readTime);
  const metadata = optional(given.metadata, (value) => readMetadata(value, at === undefined ? [now] : [now, at]));
  const names = optional(given.aaguidNames, (value) => readAaguidNames(value, (detail, cause) => wrong('aaguidNames', detail, cause)));
  return {
    rpId: optional(given.rpId, (value) => readText('rpId', value, 'an RP ID, such as "example.org"')),
    origins: optional(given.origin, (value) => readTexts('origin', value)),
    topOrigins: optional(given.topOrigin, (value) => readTexts('topOrigin', value)),
    challenges: optional(given.challenge, (value) => readChallenge(value, (detail) => wrong('challenge', detail))),
    publicKey: optional(given.publicKey, readKey),
    signCount: optional(given.signCount, readCount),
    requireUv: requireUserVerification,
    mediation: optional(given.mediation, readMediation),
    roots: optional(given.roots, (value) => readRootList('roots', value)),
    selfAttestation: optional(given.selfAttestation, readSelfAttestation),
    metadata,
    at,
    aaguidName: aaguidNameOf(names, metadata),
  };
}

/** For a recording that says itself what was expected. */
export const NOTHING_EXPECTED: Expectations = readExpectations({}, 0);

/** The given names come first; the package's own are used only where no others are given. */
export function aaguidNameOf(
  names: ReadonlyMap<string, string> | undefined,
  metadata: MetadataBlob | undefined,
): Expectations['aaguidName'] {
  if (names === undefined && metadata === undefined) return undefined;
  return (aaguid) => names?.get(aaguid) ?? metadata?.nameOf(aaguid) ?? (names === undefined ? providerName(aaguid) : undefined);
}

type Wrong = (detail: string, cause?: unknown) => PasskeyError;

/** Every reading of a challenge, the likeliest first. `wrong` makes the error from what was expected and what came. */
export function readChallenge(value: string | Uint8Array, wrong: Wrong): readonly Uint8Array[] {
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
    throw wrong(`${kinds}; got ${text === '' ? 'nothing' : 'a single character, which stands for no byte'}`);
  }
  return readings;
}

/** `{ "<aaguid>": "name" }`, or with an object that has a `name`, as the community list is written; members such as `$schema` are skipped. */
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

/** The certificates of a BLOB are those of today, whatever the time of the ceremony; an old BLOB may be from that time. */
export function readMetadataAsOf(times: readonly number[], blob: Uint8Array, roots: readonly (string | Uint8Array)[]): MetadataBlob {
  const anchors = readAttestationRoots(roots);
  const [at = 0, ...others] = times;
  try {
    return readMetadataBlob(blob, { roots: anchors, at });
  } catch (error) {
    if (!(error instanceof PasskeyError) || others.length === 0) throw error;
    return readMetadataAsOf(others, blob, roots);
  }
}

function readMetadata(value: unknown, times: readonly number[]): MetadataBlob {
  if (!isObject(value)) throw wrong('metadata', expected('{ blob, roots }', value));
  const blob = readBytes('metadata.blob', value['blob']);
  const roots = readRootList('metadata.roots', value['roots']);
  try {
    return readMetadataAsOf(times, blob, roots);
  } catch (cause) {
    throw wrong('metadata', `a FIDO metadata BLOB that its roots vouch for. ${messageOf(cause)}`, cause);
  }
}

function readRootList(name: string, value: unknown): Uint8Array[] {
  if (!Array.isArray(value)) throw wrong(name, expected('an array of certificates in PEM or DER', value));
  return value.map((entry: unknown, index) => {
    const bytes = readBytes(`${name}[${index}]`, entry);
    try {
      readAttestationRoots([bytes]);
    } catch (cause) {
      throw wrong(`${name}[${index}]`, `certificates in PEM or DER. ${messageOf(cause)}`, cause);
    }
    return bytes;
  });
}

function readKey(value: unknown): Uint8Array {
  const isJson = isObject(value) && !(value instanceof Uint8Array);
  const given = isJson ? undefined : readBytes('publicKey', value);
  try {
    return readPublicKey(given ?? encodeUtf8(JSON.stringify(value)));
  } catch (cause) {
    throw wrong('publicKey', `a COSE key, a JWK, or a registration or fixture that holds one. ${messageOf(cause)}`, cause);
  }
}

function readSelfAttestation(value: unknown): SelfAttestationRule {
  const rule = SELF_ATTESTATION_RULES.find((known) => known === value);
  if (rule === undefined) throw wrong('selfAttestation', expected(SELF_ATTESTATION_RULES.map((known) => `"${known}"`).join(' or '), value));
  return rule;
}

function readTime(value: unknown): number {
  const time = typeof value === 'string' ? Date.parse(value) : value instanceof Date ? value.getTime() : value;
  if (typeof time !== 'number' || Number.isNaN(new Date(time).getTime())) {
    throw wrong('at', expected('a Date, milliseconds since 1970 or a text such as "2026-01-15T10:30:00Z"', value));
  }
  return time;
}

function readMediation(value: unknown): 'conditional' {
  if (value !== 'conditional') throw wrong('mediation', expected('"conditional", or nothing for any other', value));
  return value;
}

function readCount(value: unknown): number {
  if (!isSignCount(value)) {
    throw wrong('signCount', expected(`a whole number from 0 to ${MAX_SIGN_COUNT}`, value));
  }
  return value;
}

function readTexts(name: string, value: unknown): readonly string[] {
  const expects = 'an origin such as "https://example.org", or an array of them';
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (texts.length === 0) throw wrong(name, `${expects}; got an empty array`);
  return texts.map((text) => readText(name, text, expects));
}

function readText(name: string, value: unknown, expects: string): string {
  if (typeof value !== 'string' || value === '') throw wrong(name, expected(expects, value));
  return value;
}

function readBytes(name: string, value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  if (typeof value !== 'string') throw wrong(name, expected('bytes or text', value));
  return encodeUtf8(value);
}

function optional<T, R>(value: T | undefined, read: (value: T) => R): R | undefined {
  return value === undefined ? undefined : read(value);
}

function expected(what: string, value: unknown): string {
  return `${what}; got ${['function', 'symbol', 'bigint'].includes(typeof value) ? `a ${typeof value}` : describeValue(value)}`;
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function wrong(member: string, detail: string, cause?: unknown): PasskeyError {
  return new PasskeyError('configuration_invalid', `${member}: expected ${detail}${/[.!]$/.test(detail) ? '' : '.'}`, { cause });
}
