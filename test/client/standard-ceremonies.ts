import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import { scriptedUser } from '../../src/authenticator/user-verifier.js';
import { type Client, createClient } from '../../src/client/client.js';
import { encodeBase64url } from '../../src/webauthn/base64url.js';
import { standardFormat } from '../authenticator/attestation/w3c-formats.js';
import { generateVector, ORIGIN, type PUBLISHED_HASHES, RP_ID } from '../webauthn/w3c-vectors.js';

type Recipe = (typeof PUBLISHED_HASHES)[number]['recipe'];

/** Makes both ceremonies of a vector (§16), client and authenticator together, from nothing but what the standard derives. */
export async function standardCeremonies(recipe: Recipe) {
  const vector = generateVector(recipe);
  const { algorithm, aaguid, credentialId, registration, authentication } = vector;
  const authenticator = createAuthenticator({
    // The signatures are those of RFC 6979, which every seed makes.
    seed: 'any',
    aaguid,
    algorithms: [algorithm],
    attestation: standardFormat(recipe.info, vector),
    backupEligible: registration.flags.be,
    backupState: registration.flags.bs,
    newCredentialId: () => credentialId,
    newPrivateKey: () => vector.privateKey,
    userVerifier: scriptedUser(...[registration, authentication].map(({ flags }) => (flags.uv ? 'verified' : 'present'))),
  });
  const page = ({ clientData }: { readonly clientData: Uint8Array }): Client => {
    const { extraData } = JSON.parse(new TextDecoder().decode(clientData)) as { extraData?: string };
    const { topOrigin, crossOrigin = topOrigin !== undefined } = recipe;
    return createClient({
      authenticator,
      origin: ORIGIN,
      crossOrigin,
      ...(topOrigin !== undefined && { topOrigin }),
      ...(extraData !== undefined && { extraData }),
    });
  };
  const made = await page(registration).create({
    publicKey: {
      challenge: encodeBase64url(registration.challenge),
      rp: { id: RP_ID, name: 'W3C' },
      user: { id: 'MQ', name: 'user', displayName: 'User' },
      pubKeyCredParams: [{ type: 'public-key', alg: algorithm }],
      authenticatorSelection: { residentKey: 'discouraged', userVerification: 'preferred' },
      attestation: 'direct',
    },
  });
  await authenticator.store.update(RP_ID, credentialId, (source) => ({ ...source, backupState: authentication.flags.bs }));
  const got = await page(authentication).get({
    publicKey: {
      challenge: encodeBase64url(authentication.challenge),
      rpId: RP_ID,
      userVerification: 'preferred',
      allowCredentials: [{ type: 'public-key', id: made.id }],
    },
  });
  return { registration: made, authentication: got, credential: vector };
}
