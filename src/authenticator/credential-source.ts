import { PasskeyError } from '../errors.js';
import { isObject } from '../kernel/json-value.js';
import { count } from '../kernel/wording.js';
import { decodeBase64url, encodeBase64url } from '../webauthn/base64url.js';
import type { CredentialProtectionLevel } from '../webauthn/extensions.js';
import { isSignCount, MAX_CRED_BLOB_BYTES, MAX_CREDENTIAL_ID_BYTES, MAX_USER_HANDLE_BYTES } from '../webauthn/limits.js';
import { signingAlgorithm } from './algorithms.js';
import { readPrivateKey } from './private-key.js';

/** A public key credential source (§4): the private side of a credential. Keep it secret. */
export interface CredentialSource {
  readonly id: Uint8Array;
  readonly rpId: string;
  readonly rpName: string;
  readonly user: { readonly id: Uint8Array; readonly name: string; readonly displayName: string };
  /** COSEAlgorithmIdentifier of the key, e.g. -7 for ES256. */
  readonly algorithm: number;
  /** Private key as PKCS#8 in DER. */
  readonly privateKey: Uint8Array;
  /** True if the credential can be found without its ID. False if it is server-side, so that a request must list its ID. */
  readonly discoverable: boolean;
  readonly signCount: number;
  readonly backupEligible: boolean;
  readonly backupState: boolean;
  /** credProtect level of the credential (CTAP 2.3 §12.1). */
  readonly protection?: CredentialProtectionLevel;
  /** Secrets of the PRF (CredRandom), 32 bytes each: one for ceremonies with user verification, one for those without. */
  readonly prf?: { readonly withVerification: Uint8Array; readonly withoutVerification: Uint8Array };
  /** Large blob of the credential; empty until one is written. Absent if the credential does not support large blobs. */
  readonly largeBlob?: Uint8Array;
  /** credBlob of the credential, at most 32 bytes (CTAP 2.3 §12.2). */
  readonly credBlob?: Uint8Array;
  /**
   * True if the relying party has signalled that it no longer accepts the credential (§5.1.10). Ceremonies do not find hidden credentials.
   */
  readonly hidden?: boolean;
}

/** Type `T` with all its bytes replaced by base64url strings, at any depth. */
type Encoded<T> = T extends Uint8Array ? string : T extends object ? { readonly [K in keyof T]: Encoded<T[K]> } : T;

/** A credential source in JSON, as stored on disk: bytes as base64url, the private key as PKCS#8 DER. */
export interface CredentialSourceJSON extends Encoded<CredentialSource> {
  readonly type: 'public-key';
}

/** Check of one member of a credential source. Needed because a source may come from disk, where TypeScript's types prove nothing. */
interface Member {
  /** Description of a valid value, which completes the message "Expected … to be". */
  readonly expected: string;
  holds(value: unknown): boolean;
  /** True if the JSON form contains the member as base64url. */
  readonly isBytes?: boolean;
  /** True if the value is secret, so that messages may show only its type. */
  readonly isSecret?: boolean;
  readonly isOptional?: boolean;
  readonly members?: Members;
}

type Members = Readonly<Record<string, Member>>;

const ofBytes = (expected: string, fits: (length: number) => boolean = () => true): Member => ({
  expected,
  holds: (value) => value instanceof Uint8Array && fits(value.length),
  isBytes: true,
});
const BYTES = ofBytes('a Uint8Array');
const TEXT: Member = { expected: 'a string', holds: (value) => typeof value === 'string' };
const FLAG: Member = { expected: 'true or false', holds: (value) => typeof value === 'boolean' };
const SECRET: Member = { ...ofBytes('32 bytes', (length) => length === 32), isSecret: true };
const objectOf = (members: Members): Member => ({ expected: 'an object', holds: isObject, members });
const optional = (member: Member): Member => ({ ...member, isOptional: true });

const MEMBERS = {
  id: BYTES,
  rpId: { expected: 'a host name', holds: (value) => typeof value === 'string' && value !== '' },
  rpName: TEXT,
  user: objectOf({ id: BYTES, name: TEXT, displayName: TEXT }),
  algorithm: { expected: 'a COSEAlgorithmIdentifier', holds: Number.isInteger },
  privateKey: { ...ofBytes('a Uint8Array of PKCS#8 DER'), isSecret: true },
  discoverable: FLAG,
  signCount: { expected: 'an unsigned 32-bit integer', holds: isSignCount },
  backupEligible: FLAG,
  backupState: FLAG,
  protection: optional({ expected: '1, 2 or 3', holds: (value) => value === 1 || value === 2 || value === 3 }),
  prf: optional(objectOf({ withVerification: SECRET, withoutVerification: SECRET })),
  largeBlob: optional(BYTES),
  credBlob: optional(ofBytes(`at most ${MAX_CRED_BLOB_BYTES} bytes`, (length) => length <= MAX_CRED_BLOB_BYTES)),
  hidden: optional(FLAG),
} satisfies Readonly<Record<keyof CredentialSource, Member>>;

const wrong = (member: string, expected: string, got: string): TypeError =>
  new TypeError(`Expected ${member === '' ? 'a credential source' : `${member} of a credential source`} to be ${expected}; got ${got}.`);

/** Writes a credential source, including its private key, as JSON. */
export function credentialSourceToJson(source: CredentialSource): CredentialSourceJSON {
  return { type: 'public-key', ...encodeBytes(source) };
}

function encodeBytes<T extends object>(value: T): Encoded<T>;
function encodeBytes(value: object): unknown {
  if (value instanceof Uint8Array) return encodeBase64url(value);
  const encoded = Object.entries(value).map(([name, each]: [string, unknown]) => [name, isObject(each) ? encodeBytes(each) : each]);
  return Object.fromEntries(encoded);
}

/**
 * Reads a credential source from the JSON that {@link credentialSourceToJson} writes.
 *
 * @throws TypeError naming the member that is missing or wrong.
 * @throws PasskeyError `validation_failed` naming the member that is not base64url.
 */
export function credentialSourceFromJson(json: CredentialSourceJSON): CredentialSource {
  if (!isObject(json)) throw wrong('', 'an object', showValue(json));
  const { type, ...members } = json;
  if (type !== 'public-key') {
    throw new TypeError(`Expected a credential source with type "public-key"; got ${showValue(type)}.`);
  }
  return checked(decodeBytes(members, MEMBERS));
}

function decodeBytes(object: object, members: Members, at = ''): unknown {
  const decoded: Record<string, unknown> = { ...object };
  for (const [name, { isBytes, isOptional, members: inner }] of Object.entries(members)) {
    const value = decoded[name];
    if (isOptional && value === undefined) continue;
    if (isBytes) decoded[name] = decodeMember(`${at}${name}`, value);
    else if (inner !== undefined) decoded[name] = decodeBytes(requireObject(`${at}${name}`, value), inner, `${at}${name}.`);
  }
  return decoded;
}

function requireObject(member: string, value: unknown): object {
  if (!isObject(value)) throw wrong(member, 'an object', showValue(value));
  return value;
}

function decodeMember(member: string, text: unknown): Uint8Array {
  if (typeof text !== 'string') {
    // Only the type: the value may be the key in another form.
    throw wrong(member, 'a base64url string', text === undefined ? 'nothing' : typeof text);
  }
  try {
    return decodeBase64url(text);
  } catch (cause) {
    if (!(cause instanceof PasskeyError)) throw cause;
    throw new PasskeyError(cause.code, `${member} of a credential source: ${cause.message}`, { cause });
  }
}

/**
 * Checks that an authenticator can use a credential source, and returns it unchanged.
 *
 * @throws TypeError naming the member that is missing or wrong.
 */
export function checkCredentialSource(source: CredentialSource): CredentialSource {
  return checked(source);
}

function checked(source: unknown): CredentialSource {
  requireMembers(source, MEMBERS);
  const { id, user, discoverable, backupState, backupEligible } = source;
  if (id.length < 1 || id.length > MAX_CREDENTIAL_ID_BYTES) throw wrong('id', `1 to ${MAX_CREDENTIAL_ID_BYTES} bytes long`, showValue(id));
  if (user.id.length > MAX_USER_HANDLE_BYTES || (discoverable && user.id.length === 0)) {
    throw wrong('user.id', `1 to ${MAX_USER_HANDLE_BYTES} bytes long`, showValue(user.id));
  }
  if (backupState && !backupEligible) throw wrong('backupState', 'false while backupEligible is false', 'true');
  readPrivateKey(signingAlgorithm(source.algorithm), source.privateKey);
  return source;
}

function requireMembers(value: unknown, members: Members, at?: string): asserts value is CredentialSource;
function requireMembers(value: unknown, members: Members, at = ''): void {
  if (!isObject(value)) throw wrong('', 'an object', showValue(value));
  for (const [name, { expected, holds, isSecret, isOptional, members: inner }] of Object.entries(members)) {
    const member = value[name];
    if (isOptional && member === undefined) continue;
    if (!holds(member)) throw wrong(`${at}${name}`, expected, isSecret ? typeof member : showValue(member));
    if (inner !== undefined) requireMembers(member, inner, `${at}${name}.`);
  }
}

/** Formats a value for a message. For bytes and objects, shows only the kind of value, because they may be secrets. */
function showValue(value: unknown): string {
  if (value instanceof Uint8Array) return count(value.length, 'byte');
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 60));
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
