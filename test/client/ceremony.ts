import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import { keyPairsFrom, reusingRsaKey } from '../../src/authenticator/key-pair.js';
import type { AuthenticatorOptions } from '../../src/authenticator/settings.js';
import { type ClientOptions, createClient } from '../../src/client/client.js';
import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '../../src/webauthn/json.js';
import { systemRandom } from '../authenticator/requests.js';

export const ORIGIN = 'https://login.example.com';
export const RP_ID = 'example.com';
export const CHALLENGE = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8';

/** One RSA key for the whole file: generating them would be most of its time. */
const newPrivateKey = reusingRsaKey(keyPairsFrom(systemRandom));

export function creation(change: Partial<PublicKeyCredentialCreationOptionsJSON> = {}): PublicKeyCredentialCreationOptionsJSON {
  return {
    rp: { id: RP_ID, name: 'Example' },
    user: { id: 'MQ', name: 'ada@example.com', displayName: 'Ada' },
    challenge: CHALLENGE,
    pubKeyCredParams: [-7, -257].map((alg) => ({ type: 'public-key', alg })),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    ...change,
  };
}

export function request(change: Partial<PublicKeyCredentialRequestOptionsJSON> = {}): PublicKeyCredentialRequestOptionsJSON {
  return { challenge: CHALLENGE, rpId: RP_ID, ...change };
}

export function setUp(authenticator: AuthenticatorOptions = {}, client: Partial<ClientOptions> = {}) {
  const software = createAuthenticator({ newPrivateKey, ...authenticator });
  return { authenticator: software, client: createClient({ authenticator: software, origin: ORIGIN, ...client }) };
}

/** A client whose authenticator holds one credential of the user `MQ`. */
export async function registered(authenticator: AuthenticatorOptions = {}, change: Partial<PublicKeyCredentialCreationOptionsJSON> = {}) {
  const { client, authenticator: software } = setUp(authenticator);
  const response = await client.create({ publicKey: creation(change) });
  return { client, authenticator: software, id: response.id, response };
}
