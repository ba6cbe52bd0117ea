import { PasskeyError } from '../errors.js';
import { asObject, isObject, type JsonObject } from '../kernel/json-value.js';
import { publicKeyHint } from '../relying-party/diagnosis/public-key.js';
import { ALGORITHMS, CURVES, KEY_TYPES } from '../webauthn/algorithms.js';
import { type AuthenticatorData, decodeAuthenticatorData } from '../webauthn/authenticator-data.js';
import { decodeBase64, decodeBase64url } from '../webauthn/base64url.js';
import { type CoseKey, decodeCoseKey, encodeCoseKey } from '../webauthn/cose-key.js';
import { isSignCount } from '../webauthn/limits.js';
import { printableText } from '../webauthn/text-encoding.js';
import { KIND_NAMES } from './annotate/kinds.js';
import type { ReadCredential } from './annotate/read-credential.js';
import { type Recognised, recognise } from './annotate/recognise.js';

/** A public key, and what the input says of its credential record besides. */
export interface CredentialOfKey {
  /** COSE_Key. */
  readonly publicKey: Uint8Array;
  readonly signCount?: number;
  readonly backupEligible?: boolean;
}

/**
 * Reads the COSE_Key in some bytes: the key itself in any encoding, a JWK, or the registration, attestation object or fixture it came with.
 *
 * @throws PasskeyError `public_key_malformed` saying what the bytes are instead.
 */
export function readPublicKey(bytes: Uint8Array): CredentialOfKey {
  const jwk = readJwk(bytes);
  if (jwk !== undefined) return { publicKey: convertJwk(jwk) };
  let recognised: Recognised;
  try {
    recognised = recognise(bytes);
  } catch (cause) {
    const decoded = decodeBase64(printableText(bytes)?.trim() ?? '=')?.bytes ?? bytes;
    throw malformed(publicKeyHint(decoded, cause instanceof Error ? cause.message : String(cause)), cause);
  }
  const key = findKey(recognised);
  const name = KIND_NAMES[recognised.kind];
  if (key === undefined) throw malformed(`Got ${/^[aeioux]/i.test(name) ? 'an' : 'a'} ${name}, which holds no public key.`);
  return key;
}

function findKey(recognised: Recognised): CredentialOfKey | undefined {
  switch (recognised.kind) {
    case 'registration':
      return readAttested(recognised.credential);
    case 'fixture': {
      const { publicKey: text, signCount, backupEligible } = asObject(recognised.json['credential']);
      const publicKey = typeof text === 'string' ? decodeBase64(text)?.bytes : undefined;
      if (publicKey === undefined) return readAttested(recognised.credential);
      return { publicKey, ...(isSignCount(signCount) && { signCount }), ...(typeof backupEligible === 'boolean' && { backupEligible }) };
    }
    default:
  }
  const [item] = 'items' in recognised ? recognised.items : [];
  switch (item?.kind) {
    case 'cose-key':
      return { publicKey: item.bytes };
    case 'attestation-object':
      return readRecord(decodeAuthenticatorData(item.value.authData));
    case 'authenticator-data':
      return readRecord(item.value);
    default:
      return undefined;
  }
}

function readAttested({ attestedData }: ReadCredential): CredentialOfKey | undefined {
  return attestedData?.ok === true ? readRecord(attestedData.value) : undefined;
}

/** The record that a registration with this authenticator data makes. */
function readRecord({ attestedCredentialData, signCount, flags }: AuthenticatorData): CredentialOfKey | undefined {
  return attestedCredentialData && { publicKey: attestedCredentialData.credentialPublicKey, signCount, backupEligible: flags.be };
}

function readJwk(bytes: Uint8Array): JsonObject | undefined {
  const text = printableText(bytes);
  if (text?.trimStart().startsWith('{') !== true) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && typeof value['kty'] === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Algorithm of WebAuthn credentials whose RSA key names none. */
const RS256 = -257;

function convertJwk(jwk: JsonObject): Uint8Array {
  const bytes = (name: string): Uint8Array => {
    const text = jwk[name];
    if (typeof text !== 'string') throw malformed(`Expected the JWK to have "${name}" as base64url.`);
    return decodeBase64url(text);
  };
  const crv = CURVES.find(({ name }) => name === jwk['crv'])?.crv ?? 0;
  const named = ALGORITHMS.find(({ name }) => name === jwk['alg'])?.id;
  const alg = named ?? ALGORITHMS.find((algorithm) => algorithm.crv === crv)?.id ?? 0;
  switch (jwk['kty']) {
    case 'EC':
      return checked({ kty: KEY_TYPES.EC2, alg, crv, x: bytes('x'), y: bytes('y') });
    case 'OKP':
      return checked({ kty: KEY_TYPES.OKP, alg, crv, x: bytes('x') });
    case 'RSA':
      return checked({ kty: KEY_TYPES.RSA, alg: named ?? RS256, n: bytes('n'), e: bytes('e') });
    case 'AKP':
      return checked({ kty: KEY_TYPES.AKP, alg, pub: bytes('pub') });
    default:
      throw malformed(`Expected a JWK with "kty" EC, OKP, RSA or AKP; got ${JSON.stringify(jwk['kty'])}.`);
  }
}

function checked(key: CoseKey): Uint8Array {
  const bytes = encodeCoseKey(key);
  decodeCoseKey(bytes);
  return bytes;
}

function malformed(message: string, cause?: unknown): PasskeyError {
  return new PasskeyError('public_key_malformed', message, { cause });
}
