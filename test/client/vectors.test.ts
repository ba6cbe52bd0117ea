import { expect, test } from 'vitest';
import { toHex } from '../../src/kernel/bytes.js';
import { decodeBase64url } from '../../src/webauthn/base64url.js';
import { STANDARD_ROOT } from '../authenticator/attestation/w3c-formats.js';
import { PUBLISHED_HASHES, PUBLISHED_ROOT_HASH, sha256 } from '../webauthn/w3c-vectors.js';
import { standardCeremonies } from './standard-ceremonies.js';

/** The SHA-256 of these members of a response. */
const hashesOf = (members: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(members).map(([name, text]) => [name, toHex(sha256(decodeBase64url(text)))]));

test.each(PUBLISHED_HASHES)(
  'of the standard’s test vector $recipe.info (§16) client and authenticator make client data, authenticator data, attestation object and signature',
  async ({ recipe, registration, authentication }) => {
    const { registration: made, authentication: got } = await standardCeremonies(recipe);
    const { clientDataJSON, authenticatorData, attestationObject } = made.response;
    expect(hashesOf({ clientData: clientDataJSON, authenticatorData, attestationObject })).toEqual(registration);
    const assertion = got.response;
    expect(
      hashesOf({
        clientData: assertion.clientDataJSON,
        authenticatorData: assertion.authenticatorData,
        signature: assertion.signature,
      }),
    ).toEqual(authentication);
  },
);

test('their attestation CA has the root of the standard', () => {
  expect(toHex(sha256(STANDARD_ROOT))).toBe(PUBLISHED_ROOT_HASH);
});
