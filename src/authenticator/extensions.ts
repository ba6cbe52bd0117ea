import { encodeBase64url } from '../webauthn/base64url.js';
import type { CborMap, CborValue } from '../webauthn/cbor.js';
import { MAX_CRED_BLOB_BYTES } from '../webauthn/limits.js';
import type { CredentialSource } from './credential-source.js';
import { evaluatePrf, type OpenedSalts, openSalts } from './hmac-secret.js';
import type { RandomSource } from './key-pair.js';
import type { KeyAgreement } from './pin-uv-auth-protocol.js';
import type { AuthenticatorExtensionInputs, AuthenticatorFailure, UnsignedExtensionOutputs } from './ports.js';

/**
 * Authenticator extensions that can be enabled. `prf` is the PRF of platform authenticators, whose outputs are outside the signed data.
 * `hmac-secret` and `hmac-secret-mc` are the PRF of security keys, whose outputs are encrypted by a PIN/UV auth protocol.
 */
export const EXTENSIONS = ['credProtect', 'prf', 'largeBlob', 'credBlob', 'minPinLength', 'hmac-secret', 'hmac-secret-mc'] as const;
export type ExtensionId = (typeof EXTENSIONS)[number];

const CRED_RANDOM_LENGTH = 32;

/** State of the authenticator that its extensions need. */
export interface ExtensionSettings {
  readonly extensions: readonly ExtensionId[];
  readonly prfAtCreation: boolean;
  /** Returns the authenticator's key for key agreements. The key never changes. */
  readonly keyAgreement: () => KeyAgreement;
  /** Minimum PIN length in code points. */
  readonly minPinLength: number;
  /** RP IDs that may learn the minimum PIN length (extension `minPinLength`). */
  readonly minPinLengthRpIds: readonly string[];
}

/** Extension inputs that the authenticator supports, decrypted before the user is asked. */
export interface OpenedInputs {
  readonly ok: true;
  readonly inputs: AuthenticatorExtensionInputs;
  readonly hmacSecret?: OpenedSalts;
}

/**
 * Opens the extension inputs: drops extensions that the authenticator does not have, and decrypts the salts of hmac-secret.
 *
 * @param operation the ceremony. Salts at `create` are for hmac-secret-mc.
 */
export function openInputs(
  { extensions, keyAgreement }: ExtensionSettings,
  inputs: AuthenticatorExtensionInputs,
  { operation, random }: { readonly operation: 'create' | 'get'; readonly random: RandomSource },
): OpenedInputs | AuthenticatorFailure {
  const { hmacSecret, ...others } = inputs;
  if (hmacSecret === undefined || !extensions.includes('hmac-secret')) return { ok: true, inputs: others };
  if (hmacSecret === true) return { ok: true, inputs: operation === 'create' ? inputs : others };
  if (operation === 'create' && !extensions.includes('hmac-secret-mc')) return { ok: true, inputs: { ...others, hmacSecret: true } };
  const opened = openSalts(keyAgreement(), hmacSecret, random);
  return opened.ok ? { ok: true, inputs, hmacSecret: opened } : opened;
}

/** Builds the members of a new credential source that the extensions require. */
export function newCredentialMembers(
  { extensions, prfAtCreation }: ExtensionSettings,
  inputs: AuthenticatorExtensionInputs,
  discoverable: boolean,
  random: RandomSource,
): Pick<CredentialSource, 'protection' | 'prf' | 'largeBlob' | 'credBlob'> {
  const { credProtect, prf, largeBlob, credBlob, hmacSecret } = inputs;
  const getsPrf = extensions.includes('prf') && (prf !== undefined || !prfAtCreation);
  return {
    ...(credProtect !== undefined && extensions.includes('credProtect') && { protection: credProtect }),
    ...((getsPrf || hmacSecret !== undefined) && {
      prf: { withVerification: random(CRED_RANDOM_LENGTH), withoutVerification: random(CRED_RANDOM_LENGTH) },
    }),
    // Large blobs are for discoverable credentials only (CTAP 2.3 §12.3), and so are blobs of a credential (§12.2).
    ...(largeBlob?.support !== undefined && extensions.includes('largeBlob') && discoverable && { largeBlob: new Uint8Array() }),
    ...(isBlob(credBlob) && extensions.includes('credBlob') && discoverable && { credBlob }),
  };
}

function isBlob(credBlob: AuthenticatorExtensionInputs['credBlob']): credBlob is Uint8Array {
  return credBlob instanceof Uint8Array && credBlob.length <= MAX_CRED_BLOB_BYTES;
}

/** Builds the extension outputs for the signed authenticator data of a registration. */
export function signedRegistrationOutputs(
  settings: ExtensionSettings,
  { inputs, hmacSecret }: OpenedInputs,
  source: CredentialSource,
  userVerified: boolean,
): CborMap | undefined {
  const { extensions, minPinLength, minPinLengthRpIds } = settings;
  const has = (id: ExtensionId) => extensions.includes(id);
  return makeMap([
    ['credBlob', inputs.credBlob !== undefined && has('credBlob') ? source.credBlob !== undefined : undefined],
    ['credProtect', source.protection],
    ['hmac-secret', inputs.hmacSecret === undefined ? undefined : true],
    ['hmac-secret-mc', sealed(hmacSecret, source, userVerified)],
    ['minPinLength', inputs.minPinLength && has('minPinLength') && minPinLengthRpIds.includes(source.rpId) ? minPinLength : undefined],
  ]);
}

/** Builds the extension outputs for the signed authenticator data of an authentication. */
export function signedAssertionOutputs(
  { extensions }: ExtensionSettings,
  { inputs, hmacSecret }: OpenedInputs,
  source: CredentialSource,
  userVerified: boolean,
): CborMap | undefined {
  const asksForBlob = inputs.credBlob === true && extensions.includes('credBlob');
  return makeMap([
    ['credBlob', asksForBlob ? (source.credBlob ?? new Uint8Array()) : undefined],
    ['hmac-secret', sealed(hmacSecret, source, userVerified)],
  ]);
}

function sealed(hmacSecret: OpenedSalts | undefined, source: CredentialSource, userVerified: boolean): Uint8Array | undefined {
  const results = hmacSecret && evaluatePrf(source, hmacSecret.salts, userVerified);
  return results && hmacSecret.seal(results);
}

/** Builds a map of the members that have a value. Undefined if no member has one, so that the authenticator data contain no extensions. */
function makeMap(members: readonly (readonly [string, CborValue])[]): CborMap | undefined {
  const present = members.filter(([, value]) => value !== undefined);
  return present.length === 0 ? undefined : new Map(present);
}

export function registrationOutputs(
  { prfAtCreation }: ExtensionSettings,
  { inputs }: OpenedInputs,
  source: CredentialSource,
  userVerified: boolean,
): UnsignedExtensionOutputs {
  const enabled = source.prf !== undefined && prfAtCreation;
  const results = enabled && inputs.prf?.eval && evaluatePrf(source, inputs.prf.eval, userVerified);
  return {
    ...(inputs.prf && { prf: { enabled, ...(results && { results }) } }),
    ...(inputs.largeBlob?.support && { largeBlob: { supported: source.largeBlob !== undefined } }),
  };
}

export function assertionOutputs({ inputs }: OpenedInputs, source: CredentialSource, userVerified: boolean): UnsignedExtensionOutputs {
  const salts = inputs.prf?.evalByCredential?.[encodeBase64url(source.id)] ?? inputs.prf?.eval;
  const results = salts && evaluatePrf(source, salts, userVerified);
  return {
    ...(inputs.prf && { prf: { ...(results && { results }) } }),
    ...(inputs.largeBlob?.read && { largeBlob: { ...(source.largeBlob?.length && { blob: source.largeBlob }) } }),
    ...(inputs.largeBlob?.write && { largeBlob: { written: source.largeBlob !== undefined } }),
  };
}
