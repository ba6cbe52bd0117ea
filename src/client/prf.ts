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

/** Salts of the PRF from its inputs (§10.1.4). */
export function readSalts(members: Members): PrfSalts {
  const hash = (input: Uint8Array) => new Uint8Array(createHash('sha256').update('WebAuthn PRF\0').update(input).digest());
  const second = members.optionalBytes('second');
  return { first: hash(members.bytes('first')), ...(second && { second: hash(second) }) };
}

/** The salts by the base64url of each ID, which must be among the allowed ones. */
export function readSaltsByCredential(records: readonly (readonly [string, Members])[]): Readonly<Record<string, PrfSalts>> {
  return Object.fromEntries(
    records.map(([key, salts]) => [encodeBase64url(decodeBase64(key)?.bytes ?? new Uint8Array()), readSalts(salts)]),
  );
}

/** How one request carries the PRF to one authenticator, and how its answer comes back. */
export interface PrfChannel {
  readonly inputs: AuthenticatorExtensionInputs;
  /** Adds the PRF outputs of the signed authenticator data, if there are any. */
  outputs(unsigned: UnsignedExtensionOutputs | undefined, signed: CborMap | undefined): UnsignedExtensionOutputs;
}

type Random = (length: number) => Uint8Array;

/** For an authenticator with its own PRF, which takes the salts as they are. */
export function plainChannel(inputs: AuthenticatorExtensionInputs): PrfChannel {
  return { inputs, outputs: (unsigned = {}) => unsigned };
}

/** Whether the PRF inputs must be encrypted for this authenticator: a security key has only hmac-secret. */
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

/** §10.1.4 at registration: hmac-secret, and hmac-secret-mc for the results. */
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
 * §10.1.4 at authentication.
 *
 * @param find which of the allowed credentials the authenticator holds: it takes the salts of one credential only.
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
