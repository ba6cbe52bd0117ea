import { describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import { scriptedUser } from '../../src/authenticator/user-verifier.js';
import { concatBytes, fromHex, toHex } from '../../src/webauthn/bytes.js';
import { verifyRaw } from '../client/independent.js';
import { generateVector, PUBLISHED_HASHES, publishedVectors, RP_ID, sha256 } from '../webauthn/w3c-vectors.js';
import { getRequest, granted, makeRequest, takeApart } from './requests.js';

const hashOf = (bytes: Uint8Array) => toHex(sha256(bytes));

describe.each(PUBLISHED_HASHES)('the test vector of the standard $recipe.info', (published) => {
  const vector = generateVector(published.recipe);
  const { algorithm, aaguid, credentialId, registration, authentication } = vector;

  test('the authenticator repeats it', async () => {
    const outcomes = [registration, authentication].map(({ flags }) => (flags.uv ? 'verified' : 'present'));
    const authenticator = createAuthenticator({
      aaguid,
      algorithms: [algorithm],
      attestation: published.recipe.info.startsWith('packed-self.') ? 'packed' : 'none',
      backupEligible: registration.flags.be,
      backupState: registration.flags.bs,
      credentialIdLength: credentialId.length,
      random: () => credentialId,
      newPrivateKey: () => vector.privateKey,
      userVerifier: scriptedUser(...outcomes),
    });
    const answer = granted(
      await authenticator.makeCredential(
        makeRequest({
          rp: { id: RP_ID, name: 'W3C' },
          clientDataHash: sha256(registration.clientData),
          pubKeyCredParams: [{ type: 'public-key', alg: algorithm }],
          requireUserVerification: false,
        }),
      ),
    );
    const { authData, attested } = takeApart(answer);
    expect(hashOf(authData)).toBe(published.registration.authenticatorData);
    if (published.recipe.info.startsWith('none.')) expect(hashOf(answer.attestationObject)).toBe(published.registration.attestationObject);

    await authenticator.store.update(RP_ID, credentialId, (source) => ({ ...source, backupState: authentication.flags.bs }));
    const clientDataHash = sha256(authentication.clientData);
    const assertion = granted(
      await authenticator.getAssertion(getRequest({ rpId: RP_ID, clientDataHash, requireUserVerification: false })),
    );
    expect(hashOf(assertion.authenticatorData)).toBe(published.authentication.authenticatorData);
    const signed = concatBytes(assertion.authenticatorData, clientDataHash);
    expect(await verifyRaw(attested.credentialPublicKey, assertion.signature, signed)).toBe(true);
    // Those of ECDSA are not deterministic: Node draws its nonces at random.
    const { signature } = published.authentication;
    if (signature !== undefined) expect(hashOf(assertion.signature)).toBe(signature);
  });
});

const published = publishedVectors();

describe.skipIf(published.length === 0)('the published test vectors (PASSKEY_W3C_VECTORS)', () => {
  test.each(published)('$title: the signature is by the key that is derived', async ({ registration, authentication }) => {
    const recipe = PUBLISHED_HASHES.find((entry) => entry.recipe.info === registration.challenge.derivation.info)?.recipe;
    if (recipe === undefined) throw new Error('Expected a recipe for every published vector.');
    const vector = generateVector(recipe);
    const signed = concatBytes(vector.authentication.authenticatorData, sha256(vector.authentication.clientData));
    expect(await verifyRaw(vector.credentialPublicKey, fromHex(authentication.signature.hex), signed)).toBe(true);
  });
});
