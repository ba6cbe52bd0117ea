import { describe, expect, test } from 'vitest';
import type { DiscoverableCredential } from '../../src/authenticator/ports.js';
import { scriptedUser } from '../../src/authenticator/user-verifier.js';
import { decodeAuthenticatorData } from '../../src/webauthn/authenticator-data.js';
import { decodeBase64url, encodeBase64url } from '../../src/webauthn/base64url.js';
import { decodeClientData } from '../../src/webauthn/client-data.js';
import type { AuthenticationResponseJSON } from '../../src/webauthn/json.js';
import { CHALLENGE, creation, ORIGIN, registered, request, setUp } from './ceremony.js';

const flagsOf = ({ response }: AuthenticationResponseJSON) => decodeAuthenticatorData(decodeBase64url(response.authenticatorData)).flags;
const allow = (...ids: string[]) => ids.map((id) => ({ type: 'public-key', id }));

/** Accounts 1, 2 (discoverable) and 3 (server-side) in this order. */
async function threeAccounts() {
  const { client, authenticator, id: first } = await registered();
  const user = (id: string) => ({ id: Buffer.from(id).toString('base64url'), name: id, displayName: id });
  const second = await client.create({ publicKey: creation({ user: user('2') }) });
  const authenticatorSelection = { residentKey: 'discouraged' };
  const third = await client.create({ publicKey: creation({ user: user('3'), authenticatorSelection }) });
  return { client, authenticator, ids: [first, second.id, third.id] as const };
}

describe('get()', () => {
  test('answers with the JSON of a PublicKeyCredential', async () => {
    const { client, id } = await registered();
    const response = await client.get({ publicKey: request() });
    expect(response).toEqual({
      id,
      rawId: id,
      type: 'public-key',
      response: {
        clientDataJSON: expect.any(String),
        authenticatorData: expect.any(String),
        signature: expect.any(String),
        userHandle: 'MQ',
      },
      authenticatorAttachment: 'platform',
      clientExtensionResults: {},
    });
    expect(decodeClientData(decodeBase64url(response.response.clientDataJSON)).raw).toEqual({
      type: 'webauthn.get',
      challenge: CHALLENGE,
      origin: ORIGIN,
      crossOrigin: false,
    });
  });

  test('without rpId the RP ID is the host', async () => {
    const { client } = setUp({}, { origin: 'http://localhost:7277' });
    const { id } = await client.create({ publicKey: creation({ rp: { name: 'x' } }) });
    expect((await client.get({ publicKey: { challenge: CHALLENGE } })).id).toBe(id);
  });

  test.each([
    [undefined, true],
    ['required', true],
    ['preferred', true],
    ['discouraged', false],
    ['unheard-of', true],
  ])('userVerification %s: UV %s', async (userVerification, uv) => {
    const { client } = await registered();
    const publicKey = request(userVerification === undefined ? {} : { userVerification });
    expect(flagsOf(await client.get({ publicKey }))).toMatchObject({ up: true, uv });
  });

  test('preferred verification goes on without where it is impossible', async () => {
    const { client } = await registered({ userVerifier: scriptedUser('verified', 'present') });
    expect(flagsOf(await client.get({ publicKey: request({ userVerification: 'preferred' }) }))).toMatchObject({ up: true, uv: false });
  });

  test('the allow list decides; entries of unknown types do not count', async () => {
    const { client, ids } = await threeAccounts();
    const [first, second, third] = ids;
    const pick = async (allowCredentials: ReturnType<typeof allow>) => (await client.get({ publicKey: request({ allowCredentials }) })).id;
    expect(await pick(allow(third))).toBe(third);
    expect(await pick(allow('AAAA', first, second))).toBe(first);
    expect(await pick([{ type: 'tin-foil', id: first }, ...allow(second)])).toBe(second);
    expect(await pick([])).toBe(second);
  });

  describe('conditional mediation', () => {
    const seen: (readonly string[])[] = [];
    const pickCredential = (credentials: readonly DiscoverableCredential[]) => {
      seen.push(credentials.map(({ id }) => encodeBase64url(id)));
      return credentials.at(-1);
    };

    test('offers what is discoverable, filtered by the allow list', async () => {
      const { authenticator, ids } = await threeAccounts();
      const [first, second, third] = ids;
      const { client } = setUp({}, { authenticator, pickCredential });
      const pick = async (...list: string[]) =>
        (await client.get({ publicKey: request({ allowCredentials: allow(...list) }), mediation: 'conditional' })).id;
      expect([await pick(), await pick(third, second), await pick(third, first)]).toEqual([first, second, first]);
      expect(seen).toEqual([[second, first], [second], [first]]);
    });

    test('without a choice the newest answers', async () => {
      const { client, ids } = await threeAccounts();
      expect((await client.get({ publicKey: request(), mediation: 'conditional' })).id).toBe(ids[1]);
    });

    test('does without discovery', async () => {
      const { authenticator, ids } = await threeAccounts();
      const { makeCredential, getAssertion } = authenticator;
      const { client } = setUp({}, { authenticator: { makeCredential, getAssertion } });
      const response = await client.get({ publicKey: request({ allowCredentials: allow(ids[2]) }), mediation: 'conditional' });
      expect(response).toMatchObject({ id: ids[1], clientExtensionResults: {} });
      expect(response).not.toHaveProperty('authenticatorAttachment');
    });
  });
});
