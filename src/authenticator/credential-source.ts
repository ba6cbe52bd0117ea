import { PasskeyError } from '../errors.js';
import { isObject } from '../kernel/json-value.js';
import { count } from '../kernel/wording.js';
import { decodeBase64url, encodeBase64url } from '../webauthn/base64url.js';
import type { CredentialProtectionLevel } from '../webauthn/extensions.js';
import { isSignCount, MAX_CRED_BLOB_BYTES, MAX_CREDENTIAL_ID_BYTES, MAX_USER_HANDLE_BYTES } from '../webauthn/limits.js';
import { signingAlgorithm } from './algorithms.js';
import { readPrivateKey } from './private-key.js';

/** A public key credential source (§4): the private side of a credential. Treat it as a secret. */
export interface CredentialSource {
  readonly id: Uint8Array;
  readonly rpId: string;
  readonly rpName: string;
  readonly user: { readonly id: Uint8Array; readonly name: string; readonly displayName: string };
  /** COSEAlgorithmIdentifier. */
  readonly algorithm: number;
  /** PKCS#8 DER. */
  readonly privateKey: Uint8Array;
  /** Whether it is found without its ID; otherwise it is server-side. */
  readonly discoverable: boolean;
  readonly signCount: number;
  readonly backupEligible: boolean;
  readonly backupState: boolean;
  /** credProtect level, CTAP 2.3 §12.1. */
  readonly protection?: CredentialProtectionLevel;
  /** The PRF's CredRandom, 32 bytes each: one for ceremonies with user verification, one for those without. */
  readonly prf?: { readonly withVerification: Uint8Array; readonly withoutVerification: Uint8Array };
  /** Present when large blobs are supported; empty until one is written. */
  readonly largeBlob?: Uint8Array;
  /** At most 32 bytes, CTAP 2.3 §12.2. */
  readonly credBlob?: Uint8Array;
  /** The relying party no longer knows it (§5.1.10): no ceremony finds it. */
  readonly hidden?: boolean;
}

/** A credential source on disk: binary as base64url, the private key as PKCS#8 DER. */
export interface CredentialSourceJSON extends Omit<CredentialSource, 'id' | 'user' | 'privateKey' | 'prf' | 'largeBlob' | 'credBlob'> {
  readonly type: 'public-key';
  readonly id: string;
  readonly user: { readonly id: string; readonly name: string; readonly displayName: string };
  readonly privateKey: string;
  readonly prf?: { readonly withVerification: string; readonly withoutVerification: string };
  readonly largeBlob?: string;
  readonly credBlob?: string;
}

/** Writes a credential with its private key as JSON. */
export function credentialSourceToJson(source: CredentialSource): CredentialSourceJSON {
  const { id, user, privateKey, prf, largeBlob, credBlob, ...plain } = source;
  return {
    type: 'public-key',
    id: encodeBase64url(id),
    ...plain,
    user: { ...user, id: encodeBase64url(user.id) },
    privateKey: encodeBase64url(privateKey),
    ...(prf && {
      prf: {
        withVerification: encodeBase64url(prf.withVerification),
        withoutVerification: encodeBase64url(prf.withoutVerification),
      },
    }),
    ...(largeBlob && { largeBlob: encodeBase64url(largeBlob) }),
    ...(credBlob && { credBlob: encodeBase64url(credBlob) }),
  };
}

/**
 * Reads what {@link credentialSourceToJson} wrote.
 *
 * @throws TypeError naming the member that is missing or wrong.
 * @throws PasskeyError `validation_failed` naming the member whose text is not base64url.
 */
export function credentialSourceFromJson(json: CredentialSourceJSON): CredentialSource {
  if (!isObject(json)) throw wrong(`Expected a credential source to be an object; got ${showValue(json)}.`);
  const { type, id, user, privateKey, prf, largeBlob, credBlob, ...plain } = json;
  if (type !== 'public-key') {
    throw new TypeError(`Expected a credential source with type "public-key"; got ${showValue(type)}.`);
  }
  if (!isObject(user)) throw wrong(`Expected user of a credential source to be an object; got ${showValue(user)}.`);
  return checkCredentialSource({
    ...plain,
    id: decodeMember('id', id),
    user: { ...user, id: decodeMember('user.id', user.id) },
    privateKey: decodeMember('privateKey', privateKey),
    ...(prf && {
      prf: {
        withVerification: decodeMember('prf.withVerification', prf.withVerification),
        withoutVerification: decodeMember('prf.withoutVerification', prf.withoutVerification),
      },
    }),
    ...(largeBlob !== undefined && { largeBlob: decodeMember('largeBlob', largeBlob) }),
    ...(credBlob !== undefined && { credBlob: decodeMember('credBlob', credBlob) }),
  });
}

function decodeMember(member: string, text: unknown): Uint8Array {
  if (typeof text !== 'string') {
    // Only the type: the value may be the key in another form.
    throw wrong(`Expected ${member} of a credential source to be a base64url text; got ${text === undefined ? 'nothing' : typeof text}.`);
  }
  try {
    return decodeBase64url(text);
  } catch (cause) {
    if (!(cause instanceof PasskeyError)) throw cause;
    throw new PasskeyError(cause.code, `${member} of a credential source: ${cause.message}`, { cause });
  }
}

const wrong = (message: string): TypeError => new TypeError(message);

/** Checks one member. A file comes from disk, so the types of TypeScript prove nothing here. */
interface Expectation {
  /** Completes "Expected … to be". */
  readonly expected: string;
  holds(value: unknown): boolean;
  /** Messages say only its type. */
  readonly secret?: boolean;
}

const BYTES: Expectation = { expected: 'a Uint8Array', holds: (value) => value instanceof Uint8Array };
const TEXT: Expectation = { expected: 'a string', holds: (value) => typeof value === 'string' };
const FLAG: Expectation = { expected: 'true or false', holds: (value) => typeof value === 'boolean' };
const OBJECT: Expectation = { expected: 'an object', holds: isObject };
const SECRET: Expectation = { expected: '32 bytes', holds: (value) => value instanceof Uint8Array && value.length === 32, secret: true };
const optional = ({ holds, ...expectation }: Expectation): Expectation => ({
  ...expectation,
  holds: (value) => value === undefined || holds(value),
});

type Expectations = readonly (readonly [name: string, expectation: Expectation])[];

const MEMBER_EXPECTATIONS: Readonly<Record<keyof CredentialSource, Expectation>> = {
  id: BYTES,
  rpId: { expected: 'a host name', holds: (value) => typeof value === 'string' && value !== '' },
  rpName: TEXT,
  user: OBJECT,
  algorithm: { expected: 'a COSEAlgorithmIdentifier', holds: Number.isInteger },
  privateKey: { expected: 'a Uint8Array of PKCS#8 DER', holds: BYTES.holds, secret: true },
  discoverable: FLAG,
  signCount: { expected: 'an unsigned 32-bit integer', holds: isSignCount },
  backupEligible: FLAG,
  backupState: FLAG,
  protection: optional({ expected: '1, 2 or 3', holds: (value) => value === 1 || value === 2 || value === 3 }),
  prf: optional(OBJECT),
  largeBlob: optional(BYTES),
  credBlob: optional({
    expected: `at most ${MAX_CRED_BLOB_BYTES} bytes`,
    holds: (value) => value instanceof Uint8Array && value.length <= MAX_CRED_BLOB_BYTES,
  }),
  hidden: optional(FLAG),
};
const MEMBERS: Expectations = Object.entries(MEMBER_EXPECTATIONS);
const USER_MEMBERS: Expectations = Object.entries({ id: BYTES, name: TEXT, displayName: TEXT });
const PRF_MEMBERS: Expectations = Object.entries({ withVerification: SECRET, withoutVerification: SECRET });

/**
 * The source itself, if an authenticator can hold it.
 *
 * @throws TypeError naming the member that is missing or wrong.
 */
export function checkCredentialSource(source: CredentialSource): CredentialSource {
  if (!isObject(source)) throw wrong(`Expected a credential source to be an object; got ${showValue(source)}.`);
  checkMembers(source, '', MEMBERS);
  checkMembers(source.user, 'user.', USER_MEMBERS);
  if (source.prf) checkMembers(source.prf, 'prf.', PRF_MEMBERS);
  const fail = (member: string, expected: string, got: string): never => {
    throw wrong(`Expected ${member} of a credential source to be ${expected}; got ${got}.`);
  };
  if (source.id.length < 1 || source.id.length > MAX_CREDENTIAL_ID_BYTES) {
    fail('id', `1 to ${MAX_CREDENTIAL_ID_BYTES} bytes long`, showValue(source.id));
  }
  if (source.user.id.length > MAX_USER_HANDLE_BYTES || (source.discoverable && source.user.id.length === 0)) {
    fail('user.id', `1 to ${MAX_USER_HANDLE_BYTES} bytes long`, showValue(source.user.id));
  }
  if (source.backupState && !source.backupEligible) fail('backupState', 'false while backupEligible is false', 'true');
  readPrivateKey(signingAlgorithm(source.algorithm), source.privateKey);
  return source;
}

function checkMembers(object: object, prefix: string, expectations: Expectations): void {
  for (const [name, { expected, holds, secret = false }] of expectations) {
    const value: unknown = Reflect.get(object, name);
    if (!holds(value)) {
      throw wrong(`Expected ${prefix}${name} of a credential source to be ${expected}; got ${secret ? typeof value : showValue(value)}.`);
    }
  }
}

/** A value in a message. Bytes and objects may be secrets, so only their kind is shown. */
function showValue(value: unknown): string {
  if (value instanceof Uint8Array) return count(value.length, 'byte');
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 60));
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
