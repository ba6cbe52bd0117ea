import { createECDH, createHash, hkdfSync } from 'node:crypto';
import { encodeAttestationObject } from '../../src/webauthn/attestation-object.js';
import { encodeAuthenticatorData } from '../../src/webauthn/authenticator-data.js';
import { encodeBase64url } from '../../src/webauthn/base64url.js';
import { encodeUtf8 } from '../../src/webauthn/bytes.js';
import { encodeClientData } from '../../src/webauthn/client-data.js';
import { encodeCoseKey } from '../../src/webauthn/cose-key.js';

/** Generates what can be generated of the standard's test vectors (W3C WebAuthn L3 §16) from their published derivation. */

export const RP_ID = 'example.org';
const ORIGIN = 'https://example.org';
const EXTRA = 'clientDataJSON may be extended with additional fields in the future, such as this: ';

/** What makes one vector differ from the common scheme. */
export interface Recipe {
  readonly info: string;
  /** Derived values that follow those of the registration: an attestation key and a certificate serial number. */
  readonly attestationInputs: 0 | 1 | 2;
  readonly crossOrigin?: true;
  readonly topOrigin?: string;
  readonly credentialIdLength?: number;
  readonly challengeLength?: number;
  /** Bytes of the private key that are derived; 0 where the key is a constant. */
  readonly keyLength?: number;
  /** U2F authenticators have neither UV nor backup flags. */
  readonly u2f?: true;
}

export interface Vector {
  readonly registrationClientData: Uint8Array;
  readonly authenticationClientData: Uint8Array;
  readonly authenticatorData: Uint8Array;
  /** Of the vectors without attestation; the others need the certificates of the standard. */
  readonly attestationObject: Uint8Array | undefined;
}

function derive(info: string): (length: number) => Uint8Array {
  let salt = 0;
  return (length) => new Uint8Array(hkdfSync('sha256', 'WebAuthn test vectors', Uint8Array.of(salt++), info, length));
}

function clientData(type: string, next: (length: number) => Uint8Array, challenge: Uint8Array, recipe: Recipe): Uint8Array {
  const withExtra = ((next(1)[0] ?? 0) & 1) === 1;
  return encodeClientData({
    type,
    challenge: encodeBase64url(challenge),
    origin: ORIGIN,
    crossOrigin: recipe.crossOrigin === true || recipe.topOrigin !== undefined,
    ...(recipe.topOrigin === undefined ? {} : { topOrigin: recipe.topOrigin }),
    ...(withExtra ? { extra: { extraData: EXTRA + encodeBase64url(next(16)) } } : {}),
  });
}

function coordinates(privateKey: Uint8Array): { x: Uint8Array; y: Uint8Array } {
  const key = createECDH('prime256v1');
  key.setPrivateKey(privateKey);
  const point = new Uint8Array(key.getPublicKey());
  return { x: point.slice(1, 33), y: point.slice(33) };
}

export function generateVector(recipe: Recipe): Vector {
  const next = derive(recipe.info);
  const rpIdHash = new Uint8Array(createHash('sha256').update(encodeUtf8(RP_ID)).digest());
  const challenge = next(recipe.challengeLength ?? 32);
  const keyLength = recipe.keyLength ?? 32;
  const privateKey = keyLength > 0 ? next(keyLength) : new Uint8Array();
  const registrationClientData = clientData('webauthn.create', next, challenge, recipe);
  const aaguid = next(16);
  const credentialId = next(recipe.credentialIdLength ?? 32);
  const flagBits = recipe.u2f ? 0 : (next(1)[0] ?? 0);
  const be = (flagBits & 0x08) !== 0;
  const flags = { up: true, uv: (flagBits & 0x04) !== 0, be, bs: be && (flagBits & 0x10) !== 0 };
  for (let input = 0; input < recipe.attestationInputs; input++) next(input === recipe.attestationInputs - 1 ? 16 : 32);
  const attestationObject = recipe.info.startsWith('none.')
    ? encodeAttestationObject({
        fmt: 'none',
        attStmt: new Map(),
        authData: encodeAuthenticatorData({
          rpIdHash,
          flags,
          signCount: 0,
          attestedCredentialData: {
            aaguid,
            credentialId,
            credentialPublicKey: encodeCoseKey({ kty: 2, alg: -7, crv: 1, ...coordinates(privateKey) }),
          },
        }),
      })
    : undefined;

  const assertionChallenge = next(recipe.challengeLength ?? 32);
  const authenticationClientData = clientData('webauthn.get', next, assertionChallenge, recipe);
  const assertionBits = next(1)[0] ?? 0;
  const authenticatorData = encodeAuthenticatorData({
    rpIdHash,
    flags: { up: true, uv: (assertionBits & 0x04) !== 0, be, bs: be && (assertionBits & 0x10) !== 0 },
    signCount: 0,
  });
  return { registrationClientData, authenticationClientData, authenticatorData, attestationObject };
}
