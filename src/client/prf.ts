import { createHash } from 'node:crypto';
import { encryptSalts } from '../authenticator/hmac-secret.js';
import { agreeOnKey } from '../authenticator/pin-uv-auth-protocol.js';
import type {
  Authenticator,
  AuthenticatorExtensionInputs,
  CredentialDescriptor,
  PrfSalts,
  UnsignedExtensionOutputs,
} from '../authenticator/ports.js';
import { decodeBase64, encodeBase64url } from '../webauthn/base64url.js';
import type { CborMap } from '../webauthn/cbor.js';
import type { Members } from './members.js';

/** Computes the salts from the inputs of the prf extension (§10.1.4). */
export function readSalts(members: Members): PrfSalts {
  const hash = (input: Uint8Array) => new Uint8Array(createHash('sha256').update('WebAuthn PRF\0').update(input).digest());
  const second = members.optionalBytes('second');
  return { first: hash(members.bytes('first')), ...(second && { second: hash(second) }) };
}

/** Computes the salts for each credential. The result's keys are credential IDs as base64url, which must be in the allow list. */
export function readSaltsByCredential(records: readonly (readonly [string, Members])[]): Readonly<Record<string, PrfSalts>> {
  return Object.fromEntries(
    records.map(([key, salts]) => [encodeBase64url(decodeBase64(key)?.bytes ?? new Uint8Array()), readSalts(salts)]),
  );
}

/** Transport of PRF values between the client and one authenticator for one request: the inputs sent, and the outputs in the response. */
export interface PrfChannel {
  readonly inputs: AuthenticatorExtensionInputs;
  /** Adds the PRF outputs from the signed authenticator data, if there are any. */
  outputs(unsigned: UnsignedExtensionOutputs | undefined, signed: CborMap | undefined): UnsignedExtensionOutputs;
}

type Random = (length: number) => Uint8Array;

/** Creates the channel for an authenticator that implements the PRF itself and accepts the salts unencrypted. */
export function plainChannel(inputs: AuthenticatorExtensionInputs): PrfChannel {
  return { inputs, outputs: (unsigned = {}) => unsigned };
}

/**
 * Tests whether the client must encrypt the PRF inputs for this authenticator, because it supports only hmac-secret, like a security key.
 */
export function usesHmacSecret(authenticator: Authenticator, { prf }: AuthenticatorExtensionInputs): boolean {
  return prf !== undefined && findHmacSecret(authenticator) !== undefined;
}

function findHmacSecret(authenticator: Authenticator) {
  const { extensions = [], pinUvAuthProtocols: [protocol] = [] } = authenticator.info ?? {};
  if (protocol === undefined || !extensions.includes('hmac-secret') || extensions.includes('prf')) return undefined;
  return {
    withCreation: extensions.includes('hmac-secret-mc'),
    async encrypt(salts: PrfSalts, random: Random) {
      const peer = await authenticator.getKeyAgreement?.(protocol);
      return peer && encryptSalts(protocol, { agreement: agreeOnKey(random), peer, random }, salts);
    },
  };
}

/** Creates the channel for a registration (§10.1.4), which uses hmac-secret, and hmac-secret-mc to get results. */
export async function creationChannel(
  authenticator: Authenticator,
  inputs: AuthenticatorExtensionInputs,
  random: Random,
): Promise<PrfChannel> {
  const { prf, ...others } = inputs;
  const hmacSecret = prf && findHmacSecret(authenticator);
  if (hmacSecret === undefined) return plainChannel(inputs);
  const exchange = prf?.eval && hmacSecret.withCreation ? await hmacSecret.encrypt(prf.eval, random) : undefined;
  return {
    inputs: { ...others, hmacSecret: exchange?.input ?? true },
    outputs(unsigned, signed) {
      const sealed = signed?.get('hmac-secret-mc');
      const results = sealed instanceof Uint8Array ? exchange?.read(sealed) : undefined;
      return { ...unsigned, prf: { enabled: signed?.get('hmac-secret') === true, ...(results && { results }) } };
    },
  };
}

/**
 * Creates the channel for an authentication (§10.1.4).
 *
 * @param find finds the allowed credential that the authenticator has. It is needed because hmac-secret accepts the salts of only one
 * credential.
 */
export async function requestChannel(
  authenticator: Authenticator,
  inputs: AuthenticatorExtensionInputs,
  random: Random,
  find: () => Promise<CredentialDescriptor['id'] | undefined>,
): Promise<PrfChannel> {
  const { prf, ...others } = inputs;
  const hmacSecret = prf && findHmacSecret(authenticator);
  if (hmacSecret === undefined) return plainChannel(inputs);
  const held = prf?.evalByCredential && (await find());
  const salts = (held && prf?.evalByCredential?.[encodeBase64url(held)]) ?? prf?.eval;
  const exchange = salts && (await hmacSecret.encrypt(salts, random));
  return {
    inputs: { ...others, ...(exchange && { hmacSecret: exchange.input }) },
    outputs(unsigned, signed) {
      const sealed = signed?.get('hmac-secret');
      const results = sealed instanceof Uint8Array ? exchange?.read(sealed) : undefined;
      return { ...unsigned, prf: { ...(results && { results }) } };
    },
  };
}
