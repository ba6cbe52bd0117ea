import { decodeBase64url, encodeBase64url } from '../webauthn/base64url.js';
import { signingAlgorithm } from './algorithms.js';
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
 * @throws PasskeyError `validation_failed` for text that is not base64url.
 */
export function credentialSourceFromJson(json: CredentialSourceJSON): CredentialSource {
  const { type, id, user, privateKey, prf, largeBlob, ...plain } = json;
  if (type !== 'public-key') {
    throw new TypeError(`Expected a credential source with type "public-key"; got ${JSON.stringify(type)}.`);
  }
  return checkCredentialSource({
    ...plain,
    id: decodeBase64url(id),
    user: { ...user, id: decodeBase64url(user.id) },
    privateKey: decodeBase64url(privateKey),
    ...(prf && {
      prf: {
        withVerification: decodeBase64url(prf.withVerification),
        withoutVerification: decodeBase64url(prf.withoutVerification),
      },
    }),
    ...(largeBlob !== undefined && { largeBlob: decodeBase64url(largeBlob) }),
  });
}

/**
 * The source itself, if an authenticator can hold it.
 *
 * @throws TypeError naming the member that is wrong.
 */
export function checkCredentialSource(source: CredentialSource): CredentialSource {
  const fail = (member: string, expected: string, got: unknown): never => {
    throw new TypeError(`Expected ${member} of a credential source to be ${expected}; got ${String(got)}.`);
  };
  if (source.id.length < 1 || source.id.length > 1023) fail('id', '1 to 1023 bytes long', `${source.id.length} bytes`);
  if (typeof source.rpId !== 'string' || source.rpId === '') fail('rpId', 'a host name', JSON.stringify(source.rpId));
  if (source.user.id.length > 64 || (source.discoverable && source.user.id.length === 0)) {
    fail('user.id', '1 to 64 bytes long', `${source.user.id.length} bytes`);
  }
  if (!Number.isInteger(source.signCount) || source.signCount < 0 || source.signCount > 0xffffffff) {
    fail('signCount', 'an unsigned 32-bit integer', source.signCount);
  }
  if (source.backupState && !source.backupEligible) fail('backupState', 'false while backupEligible is false', true);
  readPrivateKey(signingAlgorithm(source.algorithm), source.privateKey);
  return source;
}
