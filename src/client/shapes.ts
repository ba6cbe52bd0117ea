import type { Assertion, CreatedCredential } from './dictionaries.js';

/**
 * Conversions for WebAuthn libraries whose types exclude each other: some require `null` for a missing user handle, and some require a
 * public key. Each function changes only that member of the client's result.
 */

/** An assertion in the form of `@github/webauthn-json`. */
export type AssertionWithNull = Omit<Assertion, 'response'> & {
  readonly response: Omit<Assertion['response'], 'userHandle'> & { readonly userHandle: string | null };
};

/** Sets `userHandle: null` if it is absent, as `@github/webauthn-json` and other serializers before `toJSON()` do. */
export function withNullUserHandle(assertion: Assertion): AssertionWithNull {
  const { response } = assertion;
  return { ...assertion, response: { ...response, userHandle: response.userHandle ?? null } };
}

/** A registration in the form of `@passwordless-id/webauthn`, without its member `user`. */
export type CredentialWithKey = CreatedCredential & { readonly response: { readonly publicKey: string } };

/**
 * Converts a registration to one in which `response.publicKey` is always present.
 *
 * @throws TypeError for a secp256k1 or ML-DSA key, because browsers do not export these (WebAuthn L3 §5.2.1, getPublicKey()).
 */
export function withPublicKey(credential: CreatedCredential): CredentialWithKey {
  const { response } = credential;
  const { publicKey, publicKeyAlgorithm } = response;
  if (publicKey === undefined) {
    throw new TypeError(
      `Expected a public key that browsers export; got one of algorithm ${publicKeyAlgorithm}. Register with ES256 (-7), EdDSA (-8) or RS256 (-257).`,
    );
  }
  return { ...credential, response: { ...response, publicKey } };
}
