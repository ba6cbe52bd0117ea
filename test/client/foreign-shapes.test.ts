import { describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import type { AuthenticatorOptions } from '../../src/authenticator/settings.js';
import { createClient } from '../../src/client/client.js';
import { withNullUserHandle, withPublicKey } from '../../src/client/shapes.js';
import { explain } from '../../src/explain/library.js';
import { DEFAULT_POLICY } from '../../src/relying-party/policy.js';
import { createRelyingParty } from '../../src/relying-party/relying-party.js';
import { createMemoryStore } from '../../src/store/memory.js';
import type {
  GitHubAssertion,
  GitHubAttestation,
  GitHubCreationOptions,
  GitHubRequestOptions,
  PasswordlessAuthentication,
  PasswordlessRegistration,
} from './foreign-shapes.js';

/*
 * What these tests are about is checked by the compiler: every value goes from one library's type to another's as it is. That the values
 * are right is checked when they run.
 */

const ORIGIN = 'https://example.org';
const CHALLENGE = 'AAECAwQFBgcICQoLDA0ODw';
const user = { id: 'AQ', name: 'ada@example.org', displayName: 'Ada' };
const creation: GitHubCreationOptions = {
  rp: { id: 'example.org', name: 'Example' },
  user,
  challenge: CHALLENGE,
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
  authenticatorSelection: { residentKey: 'discouraged' },
  extensions: { credProps: true },
};

async function ceremonies(traits: AuthenticatorOptions = {}) {
  const client = createClient({ authenticator: createAuthenticator(traits), origin: ORIGIN });
  const created = await client.create({ publicKey: creation });
  const request: GitHubRequestOptions = {
    challenge: CHALLENGE,
    rpId: 'example.org',
    allowCredentials: [{ type: 'public-key', id: created.id }],
  };
  return { created, asserted: await client.get({ publicKey: request }) };
}

describe('what the client returns fits', () => {
  test('@github/webauthn-json, whose user handle is null where there is none', async () => {
    const { created, asserted } = await ceremonies();
    const attestation: GitHubAttestation = created;
    const assertion: GitHubAssertion = withNullUserHandle(asserted);
    expect(attestation.response.transports).toEqual(['internal']);
    expect([asserted.response.userHandle, assertion.response.userHandle]).toEqual([undefined, null]);
    const discoverable = await ceremonies({ alwaysDiscoverable: true });
    expect(withNullUserHandle(discoverable.asserted)).toEqual(discoverable.asserted);
  });

  test('@passwordless-id/webauthn, which requires the public key', async () => {
    const { created, asserted } = await ceremonies();
    const registration: PasswordlessRegistration = { ...withPublicKey(created), user };
    const authentication: PasswordlessAuthentication = asserted;
    expect(registration.response.publicKey).toBe(created.response.publicKey);
    expect(authentication.id).toBe(registration.id);
  });

  test('a transport that some types leave out is there all the same', async () => {
    const { created } = await ceremonies({ transports: ['smart-card', 'usb'] });
    const transports: readonly string[] = created.response.transports;
    expect(transports).toEqual(['smart-card', 'usb']);
  });

  test('a key that browsers do not export is no key to require', async () => {
    const client = createClient({ authenticator: createAuthenticator({ algorithms: [-47] }), origin: ORIGIN });
    const created = await client.create({ publicKey: { ...creation, pubKeyCredParams: [{ type: 'public-key', alg: -47 }] } });
    expect(() => withPublicKey(created)).toThrow(/got one of algorithm -47\. Register with ES256/);
  });
});

describe('what other libraries send fits', () => {
  /** A relying party with one user, and the options of a registration. */
  async function begun() {
    const store = createMemoryStore();
    const relyingParty = createRelyingParty({
      store,
      policy: DEFAULT_POLICY,
      origins: [],
      now: () => 0,
      newChallenge: () => new Uint8Array(32).fill(7),
    });
    const owner = await store.insertOwner({ type: 'User', email: user.name, name: user.displayName, createdAt: 0 });
    const options = await relyingParty.beginRegistration({
      user: { owner, id: Uint8Array.of(1), name: user.name, displayName: user.displayName },
      rpId: 'example.org',
      rpName: 'Example',
      origins: [ORIGIN],
      client: 'test',
    });
    return { relyingParty, owner, options, client: createClient({ authenticator: createAuthenticator(), origin: ORIGIN }) };
  }

  test('the relying party and explain, from @github/webauthn-json', async () => {
    const { relyingParty, owner, options, client } = await begun();
    const attestation: GitHubAttestation = await client.create({ publicKey: options });
    const passkey = await relyingParty.register({ owner, response: attestation });
    const request = await relyingParty.beginAuthentication({ credentialId: passkey.credential.id, client: 'test' });
    const assertion: GitHubAssertion = withNullUserHandle(await client.get({ publicKey: request }));
    expect(await relyingParty.authenticate({ response: assertion })).toMatchObject({ passkey: { id: passkey.id } });
    const document = await explain(attestation, { origin: ORIGIN, rpId: 'example.org', challenge: options.challenge, algorithms: [-7] });
    expect(document.verdict).toBe('accepted');
    expect((await explain(assertion, { publicKey: attestation })).ceremony).toBe('authentication');
  });

  test('the relying party and explain, from @passwordless-id/webauthn', async () => {
    const { relyingParty, owner, options, client } = await begun();
    const registration: PasswordlessRegistration = { ...withPublicKey(await client.create({ publicKey: options })), user };
    const passkey = await relyingParty.register({ owner, response: registration });
    const request = await relyingParty.beginAuthentication({ credentialId: passkey.credential.id, client: 'test' });
    const authentication: PasswordlessAuthentication = await client.get({ publicKey: request });
    await relyingParty.authenticate({ response: authentication });
    const document = await explain(registration, { origin: ORIGIN, rpId: 'example.org', challenge: options.challenge, algorithms: [-7] });
    expect(document.verdict).toBe('accepted');
    expect((await explain(authentication, { publicKey: registration })).ceremony).toBe('authentication');
  });
});
