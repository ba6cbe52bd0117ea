import { createHmac } from 'node:crypto';
import { encodeBase64url } from '../webauthn/base64url.js';
import type { CborMap } from '../webauthn/cbor.js';
import type { CredentialSource } from './credential-source.js';
import type { RandomSource } from './key-pair.js';
import type { AuthenticatorExtensionInputs, PrfSalts, UnsignedExtensionOutputs } from './ports.js';

/** The authenticator extensions that can be switched on. */
export const EXTENSIONS = ['credProtect', 'prf', 'largeBlob'] as const;
export type ExtensionId = (typeof EXTENSIONS)[number];

const CRED_RANDOM_LENGTH = 32;

/** What the extensions add to a new credential source. */
export function newCredentialMembers(
  supported: readonly ExtensionId[],
  inputs: AuthenticatorExtensionInputs,
  discoverable: boolean,
  random: RandomSource,
): Pick<CredentialSource, 'protection' | 'prf' | 'largeBlob'> {
  const { credProtect, prf, largeBlob } = inputs;
  return {
    ...(credProtect !== undefined && supported.includes('credProtect') && { protection: credProtect }),
    ...(prf !== undefined &&
      supported.includes('prf') && {
        prf: { withVerification: random(CRED_RANDOM_LENGTH), withoutVerification: random(CRED_RANDOM_LENGTH) },
      }),
    // Large blobs are for discoverable credentials only (CTAP 2.1 §12.3).
    ...(largeBlob?.support !== undefined && supported.includes('largeBlob') && discoverable && { largeBlob: new Uint8Array() }),
  };
}

/** Extension outputs in the signed authenticator data of a registration. */
export function signedOutputs(source: CredentialSource): CborMap | undefined {
  return source.protection === undefined ? undefined : new Map([['credProtect', source.protection]]);
}

export function registrationOutputs(
  inputs: AuthenticatorExtensionInputs,
  source: CredentialSource,
  userVerified: boolean,
): UnsignedExtensionOutputs {
  const results = inputs.prf?.eval && evaluatePrf(source, inputs.prf.eval, userVerified);
  return {
    ...(inputs.prf && { prf: { enabled: source.prf !== undefined, ...(results && { results }) } }),
    ...(inputs.largeBlob?.support && { largeBlob: { supported: source.largeBlob !== undefined } }),
  };
}

export function assertionOutputs(
  inputs: AuthenticatorExtensionInputs,
  source: CredentialSource,
  userVerified: boolean,
): UnsignedExtensionOutputs {
  const salts = inputs.prf?.evalByCredential?.[encodeBase64url(source.id)] ?? inputs.prf?.eval;
  const results = salts && evaluatePrf(source, salts, userVerified);
  return {
    ...(inputs.prf && { prf: { ...(results && { results }) } }),
    ...(inputs.largeBlob?.read && { largeBlob: { ...(source.largeBlob?.length && { blob: source.largeBlob }) } }),
    ...(inputs.largeBlob?.write && { largeBlob: { written: source.largeBlob !== undefined } }),
  };
}

/** hmac-secret (CTAP 2.1 §12.5): HMAC-SHA-256 of the salt under CredRandom, 32 bytes. */
function evaluatePrf({ prf }: CredentialSource, salts: PrfSalts, userVerified: boolean): PrfSalts | undefined {
  if (prf === undefined) return undefined;
  const secret = userVerified ? prf.withVerification : prf.withoutVerification;
  const evaluate = (salt: Uint8Array) => new Uint8Array(createHmac('sha256', secret).update(salt).digest());
  return { first: evaluate(salts.first), ...(salts.second && { second: evaluate(salts.second) }) };
}
