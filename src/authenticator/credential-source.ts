import { PasskeyError } from '../errors.js';
import { decodeBase64url, encodeBase64url } from '../webauthn/base64url.js';
import { signingAlgorithm } from './algorithms.js';
import { BYTES, describe, type Expectation, FLAG, firstWrong, isObject, OBJECT, optional, TEXT } from './input/expect.js';
import { readPrivateKey } from './key-pair.js';

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
  /** Found without its ID (resident), or server-side. */
  readonly discoverable: boolean;
  readonly signCount: number;
  readonly backupEligible: boolean;
  readonly backupState: boolean;
  /** credProtect level, CTAP 2.1 §12.1. */
  readonly protection?: 1 | 2 | 3;
  /** CredRandom of the PRF, 32 bytes each, one for ceremonies with user verification and one for those without. */
  readonly prf?: { readonly withVerification: Uint8Array; readonly withoutVerification: Uint8Array };
  /** Present when large blobs are supported; empty until one is written. */
  readonly largeBlob?: Uint8Array;
}

/** A credential source on disk: binary as base64url, the private key as PKCS#8 DER. */
export interface CredentialSourceJSON {
  readonly type: 'public-key';
  readonly id: string;
  readonly rpId: string;
  readonly rpName: string;
  readonly user: { readonly id: string; readonly name: string; readonly displayName: string };
  readonly algorithm: number;
  readonly privateKey: string;
  readonly discoverable: boolean;
  readonly signCount: number;
  readonly backupEligible: boolean;
  readonly backupState: boolean;
  readonly protection?: 1 | 2 | 3;
  readonly prf?: { readonly withVerification: string; readonly withoutVerification: string };
  readonly largeBlob?: string;
}

export function credentialSourceToJson(source: CredentialSource): CredentialSourceJSON {
  const { id, user, privateKey, prf, largeBlob, ...plain } = source;
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
  };
}

/**
 * Reads what {@link credentialSourceToJson} wrote.
 *
 * @throws TypeError naming the member that is missing or wrong.
 * @throws PasskeyError `validation_failed` naming the member whose text is not base64url.
 */
export function credentialSourceFromJson(json: CredentialSourceJSON): CredentialSource {
  if (!isObject(json)) throw wrong(`Expected a credential source to be an object; got ${describe(json)}.`);
  const { type, id, user, privateKey, prf, largeBlob, ...plain } = json;
  if (type !== 'public-key') {
    throw new TypeError(`Expected a credential source with type "public-key"; got ${describe(type)}.`);
  }
  if (!isObject(user)) throw wrong(`Expected user of a credential source to be an object; got ${describe(user)}.`);
  return checkCredentialSource({
    ...plain,
    id: bytesOf('id', id),
    user: { ...user, id: bytesOf('user.id', user.id) },
    privateKey: bytesOf('privateKey', privateKey),
    ...(prf && {
      prf: {
        withVerification: bytesOf('prf.withVerification', prf.withVerification),
        withoutVerification: bytesOf('prf.withoutVerification', prf.withoutVerification),
      },
    }),
    ...(largeBlob !== undefined && { largeBlob: bytesOf('largeBlob', largeBlob) }),
  });
}

function bytesOf(member: string, text: unknown): Uint8Array {
  if (typeof text !== 'string') {
    // What stands there instead of a text may be the key in another form.
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

const SECRET: Expectation = { expected: '32 bytes', holds: (value) => value instanceof Uint8Array && value.length === 32, secret: true };
const MEMBERS: Readonly<Record<Exclude<keyof CredentialSource, 'signCount'>, Expectation>> = {
  id: BYTES,
  rpId: { expected: 'a host name', holds: (value) => typeof value === 'string' && value !== '' },
  rpName: TEXT,
  user: OBJECT,
  algorithm: { expected: 'a COSEAlgorithmIdentifier', holds: Number.isInteger },
  privateKey: { expected: 'a Uint8Array of PKCS#8 DER', holds: BYTES.holds, secret: true },
  discoverable: FLAG,
  backupEligible: FLAG,
  backupState: FLAG,
  protection: optional({ expected: '1, 2 or 3', holds: (value) => value === 1 || value === 2 || value === 3 }),
  prf: optional(OBJECT),
  largeBlob: optional(BYTES),
};

/**
 * The source itself, if an authenticator can hold it.
 *
 * @throws TypeError naming the member that is missing or wrong.
 */
export function checkCredentialSource(source: CredentialSource): CredentialSource {
  const fail = (member: string, expected: string, got: string): never => {
    throw new TypeError(`Expected ${member} of a credential source to be ${expected}; got ${got}.`);
  };
  if (!isObject(source)) throw wrong(`Expected a credential source to be an object; got ${describe(source)}.`);
  const message =
    firstWrong(source, '* of a credential source', MEMBERS) ??
    firstWrong(source.user, 'user.* of a credential source', { id: BYTES, name: TEXT, displayName: TEXT }) ??
    (source.prf && firstWrong(source.prf, 'prf.* of a credential source', { withVerification: SECRET, withoutVerification: SECRET }));
  if (message !== undefined) throw wrong(message);
  if (source.id.length < 1 || source.id.length > 1023) fail('id', '1 to 1023 bytes long', `${source.id.length} bytes`);
  if (source.user.id.length > 64 || (source.discoverable && source.user.id.length === 0)) {
    fail('user.id', '1 to 64 bytes long', `${source.user.id.length} bytes`);
  }
  if (!Number.isInteger(source.signCount) || source.signCount < 0 || source.signCount > 0xffffffff) {
    fail('signCount', 'an unsigned 32-bit integer', describe(source.signCount));
  }
  if (source.backupState && !source.backupEligible) fail('backupState', 'false while backupEligible is false', 'true');
  readPrivateKey(signingAlgorithm(source.algorithm), source.privateKey);
  return source;
}
