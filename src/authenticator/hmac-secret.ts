import { createHmac } from 'node:crypto';
import { concatBytes } from '../kernel/bytes.js';
import type { CredentialSource } from './credential-source.js';
import type { RandomSource } from './key-pair.js';
import { authenticate, decrypt, encrypt, isAuthentic, type KeyAgreement } from './pin-uv-auth-protocol.js';
import type { AuthenticatorFailure, HmacSecretInput, KeyAgreementKey, PinUvAuthProtocolId, PrfSalts } from './ports.js';

const SALT_BYTES = 32;

/** The platform's side of hmac-secret (CTAP 2.3 §12.7): the encrypted salts of one request, and a decryptor for the output. */
interface HmacSecretExchange {
  readonly input: HmacSecretInput;
  /** Decrypts the authenticator's output; undefined if the result is not one or two PRF outputs. */
  read(output: Uint8Array): PrfSalts | undefined;
}

/** Encrypts one or two salts for the authenticator whose public key is `peer`. */
export function encryptSalts(
  protocol: PinUvAuthProtocolId,
  { agreement, peer, random }: { readonly agreement: KeyAgreement; readonly peer: KeyAgreementKey; readonly random: RandomSource },
  { first, second }: PrfSalts,
): HmacSecretExchange {
  const secret = agreement.sharedSecret(protocol, peer);
  const saltEnc = encrypt(protocol, secret, second ? concatBytes(first, second) : first, random);
  return {
    input: {
      pinUvAuthProtocol: protocol,
      keyAgreement: agreement.publicKey,
      saltEnc,
      saltAuth: authenticate(protocol, secret, saltEnc),
    },
    read: (output) => split(decrypt(protocol, secret, output)),
  };
}

function split(bytes: Uint8Array | undefined): PrfSalts | undefined {
  if (bytes?.length === SALT_BYTES) return { first: bytes };
  return bytes?.length === 2 * SALT_BYTES ? { first: bytes.slice(0, SALT_BYTES), second: bytes.slice(SALT_BYTES) } : undefined;
}

/** A decrypted hmac-secret input. */
export interface OpenedSalts {
  readonly ok: true;
  readonly salts: PrfSalts;
  /** Encrypts PRF outputs for the platform. */
  seal(outputs: PrfSalts): Uint8Array;
}

/** Checks `saltAuth`, then decrypts the salts. This is the authenticator's side of hmac-secret. */
export function openSalts(
  agreement: KeyAgreement,
  { pinUvAuthProtocol: protocol, keyAgreement, saltEnc, saltAuth }: HmacSecretInput,
  random: RandomSource,
): OpenedSalts | AuthenticatorFailure {
  const secret = agreement.sharedSecret(protocol, keyAgreement);
  if (!isAuthentic(protocol, secret, saltEnc, saltAuth)) {
    return { ok: false, status: 'CTAP2_ERR_PIN_AUTH_INVALID', message: 'Expected saltAuth of hmac-secret to match saltEnc; it does not.' };
  }
  const salts = split(decrypt(protocol, secret, saltEnc));
  if (salts === undefined) {
    const message = `Expected saltEnc of hmac-secret to hold one or two salts of ${SALT_BYTES} bytes; got ${saltEnc.length} bytes.`;
    return { ok: false, status: 'CTAP1_ERR_INVALID_LENGTH', message };
  }
  const seal = ({ first, second }: PrfSalts) => encrypt(protocol, secret, second ? concatBytes(first, second) : first, random);
  return { ok: true, salts, seal };
}

/**
 * Computes the HMAC-SHA-256 of each salt. The key is the credential's CredRandom for ceremonies with or without user verification;
 * undefined for a credential without CredRandom.
 */
export function evaluatePrf({ prf }: CredentialSource, salts: PrfSalts, userVerified: boolean): PrfSalts | undefined {
  if (prf === undefined) return undefined;
  const secret = userVerified ? prf.withVerification : prf.withoutVerification;
  const evaluate = (salt: Uint8Array) => new Uint8Array(createHmac('sha256', secret).update(salt).digest());
  return { first: evaluate(salts.first), ...(salts.second && { second: evaluate(salts.second) }) };
}
