import { describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import type { AuthenticatorOptions } from '../../src/authenticator/settings.js';
import { type ClientOptions, createClient } from '../../src/client/client.js';
import { decodeBase64url, encodeBase64url } from '../../src/webauthn/base64url.js';
import { fido2Lib } from './fido2-lib.js';
import { type CeremonySession, createRelyingParty, Refused } from './relying-party.js';
import { simpleWebAuthn } from './verifier.js';

const ORIGIN = 'http://localhost:7277';
const LIFETIME = 60_000;

describe.each([
  ['@simplewebauthn/server', simpleWebAuthn],
  ['fido2-lib', fido2Lib],
])('the relying party of the test targets, over %s', (_name, verifier) => {
  /** A relying party with a user and a browser of that user. */
  function setUp(traits: AuthenticatorOptions = {}, options: Partial<ClientOptions> = {}) {
    const clock = { now: 0 };
    const policy = { algorithms: [-7], lifetime: LIFETIME };
    const party = createRelyingParty({ rpId: 'localhost', rpName: 'Test', origins: [ORIGIN], policy, verifier, now: () => clock.now });
    const client = createClient({ authenticator: createAuthenticator(traits), origin: ORIGIN, ...options });
    const ada = party.addUser('ada');
    const bob = party.addUser('bob');
    return { clock, party, client, ada, bob, session: {} satisfies CeremonySession };
  }

  /** The same, where the user has a passkey. */
  async function registered(traits: AuthenticatorOptions = {}, options: Partial<ClientOptions> = {}) {
    const all = setUp(traits, options);
    const { party, client, ada, session } = all;
    const response = await client.create({ publicKey: await party.creationOptions(session, ada) });
    await party.register(session, response);
    return { ...all, response };
  }

  test('accepts a registration, a named and a discoverable authentication', async () => {
    const { party, client, ada, session } = await registered({ signCount: { kind: 'per-credential' } });
    for (const asked of [{ user: ada }, {}]) {
      const assertion = await client.get({ publicKey: await party.requestOptions(session, asked) });
      expect((await party.authenticate(session, assertion)).user).toBe(ada);
    }
    expect(party.passkeysOf(ada).map(({ credential }) => credential.counter)).toEqual([2]);
  });

  test('accepts the user verification that was asked for', async () => {
    const { party, client, ada, session } = await registered();
    const userVerification = 'required';
    const publicKey = await party.creationOptions(session, ada, { authenticatorSelection: { userVerification } });
    const other = createClient({ authenticator: createAuthenticator(), origin: ORIGIN });
    await party.register(session, await other.create({ publicKey }));
    const assertion = await client.get({ publicKey: await party.requestOptions(session, { user: ada, userVerification }) });
    expect((await party.authenticate(session, assertion)).user).toBe(ada);
  });

  test('refuses the registration of another origin', async () => {
    const { party, client, ada, session } = setUp({}, { origin: 'http://localhost:7278' });
    const response = await client.create({ publicKey: await party.creationOptions(session, ada) });
    await expect(party.register(session, response)).rejects.toThrow(Refused);
  });

  test('takes a challenge once, in its session, in its ceremony and in time', async () => {
    const { clock, party, client, ada, session, response } = await registered();
    await expect(party.register(session, response)).rejects.toThrow('No registration was begun');

    const publicKey = await party.requestOptions(session, { user: ada });
    const assertion = await client.get({ publicKey });
    await expect(party.authenticate({}, assertion)).rejects.toThrow('No authentication was begun');
    await expect(party.register(session, assertion)).rejects.toThrow('No registration was begun');
    clock.now += LIFETIME;
    await expect(party.authenticate(session, assertion)).rejects.toThrow('The challenge has expired.');
    await expect(party.authenticate(session, assertion)).rejects.toThrow('No authentication was begun');
    expect(party.passkeysOf(ada)).toHaveLength(1);
  });

  test('refuses a registration without the user verification that was asked for', async () => {
    const { party, client, ada, session } = setUp({ flags: (flags) => ({ ...flags, uv: false }) });
    const publicKey = await party.creationOptions(session, ada, { authenticatorSelection: { userVerification: 'required' } });
    await expect(party.register(session, await client.create({ publicKey }))).rejects.toThrow(Refused);
  });

  test('refuses an algorithm that was not offered', async () => {
    const { party, client, ada, session } = setUp({ algorithms: [-257] });
    const publicKey = await party.creationOptions(session, ada);
    const response = await client.create({ publicKey: { ...publicKey, pubKeyCredParams: [{ type: 'public-key', alg: -257 }] } });
    await expect(party.register(session, response)).rejects.toThrow(Refused);
  });

  test('refuses a credential that is registered, whoever it is', async () => {
    const { party, ada, bob, session, response } = await registered();
    for (const user of [ada, bob]) {
      const { challenge } = await party.creationOptions(session, user);
      const clientDataJSON = encodeBase64url(
        new TextEncoder().encode(JSON.stringify({ type: 'webauthn.create', challenge, origin: ORIGIN })),
      );
      await expect(party.register(session, { ...response, response: { ...response.response, clientDataJSON } })).rejects.toThrow(
        'The credential is registered already.',
      );
    }
  });

  test('refuses a signature that does not verify', async () => {
    const { party, client, session } = await registered();
    const assertion = await client.get({ publicKey: await party.requestOptions(session) });
    const { party: other, client: theirs, session: theirSession } = await registered();
    const { signature } = (await theirs.get({ publicKey: await other.requestOptions(theirSession) })).response;
    await expect(party.authenticate(session, { ...assertion, response: { ...assertion.response, signature } })).rejects.toThrow(Refused);
  });

  test('refuses a sign count that does not grow', async () => {
    const { party, client, session } = await registered({ signCount: { kind: 'per-credential', start: 5, step: 0 } });
    const assertion = await client.get({ publicKey: await party.requestOptions(session) });
    await expect(party.authenticate(session, assertion)).rejects.toThrow(Refused);
  });

  test('refuses an authentication without the user verification that was asked for', async () => {
    const { party, client, session } = await registered({ flags: (flags) => ({ ...flags, uv: false }) });
    const assertion = await client.get({ publicKey: await party.requestOptions(session, { userVerification: 'required' }) });
    await expect(party.authenticate(session, assertion)).rejects.toThrow(Refused);
  });

  test('refuses the passkey of another user, a foreign user handle, and none where nobody was named', async () => {
    const { party, client, ada, bob, session } = await registered();
    const begin = async (user = bob) =>
      client.get({ publicKey: { ...(await party.requestOptions(session, { user })), allowCredentials: [] } });
    await expect(party.authenticate(session, await begin())).rejects.toThrow('The passkey belongs to another user.');

    const change = async (userHandle: string | undefined, user?: typeof ada) => {
      const assertion = user ? await begin(user) : await client.get({ publicKey: await party.requestOptions(session) });
      const { userHandle: _given, ...response } = assertion.response;
      return party.authenticate(session, { ...assertion, response: { ...response, ...(userHandle !== undefined && { userHandle }) } });
    };
    await expect(change(bob.id, ada)).rejects.toThrow('That is not the user of the passkey.');
    await expect(change(undefined)).rejects.toThrow('That is not the user of the passkey.');
    expect((await change(undefined, ada)).user).toBe(ada);
  });

  test('refuses a passkey that it removed, and a user who is gone', async () => {
    const { party, client, ada, session } = await registered();
    const [passkey] = party.passkeysOf(ada);
    if (passkey === undefined) throw new Error('Expected a passkey.');
    const assertion = await client.get({ publicKey: await party.requestOptions(session) });
    party.removePasskey(passkey);
    await expect(party.authenticate(session, assertion)).rejects.toThrow('The passkey is unknown.');
    const publicKey = await party.creationOptions(session, ada);
    party.removeUser(ada);
    await expect(party.register(session, await client.create({ publicKey }))).rejects.toThrow('The user is gone.');
  });

  test.each([undefined, null, 7, 'text', [], {}, { id: 7 }, { id: 'AAAA', response: null }, { id: 'AAAA', response: {} }])(
    'refuses %j as a response',
    async (response) => {
      const { party, ada, session } = await registered();
      await party.creationOptions(session, ada);
      await expect(party.register(session, response)).rejects.toThrow(Refused);
      await party.requestOptions(session);
      await expect(party.authenticate(session, response)).rejects.toThrow(Refused);
    },
  );

  test('refuses half an attestation object', async () => {
    const { party, client, ada, session } = setUp();
    const response = await client.create({ publicKey: await party.creationOptions(session, ada) });
    const bytes = decodeBase64url(response.response.attestationObject);
    const attestationObject = encodeBase64url(bytes.subarray(0, bytes.length / 2));
    await expect(party.register(session, { ...response, response: { ...response.response, attestationObject } })).rejects.toThrow(Refused);
  });
});
