import { describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import { createClient } from '../../src/client/client.js';
import type { ExtensionOutputs } from '../../src/client/dictionaries.js';
import { creation, ORIGIN, RP_ID, registered, request, setUp } from './ceremony.js';

/** The outputs with those that not every library types. */
const outputsOf = ({ clientExtensionResults }: { clientExtensionResults: ExtensionOutputs }) => clientExtensionResults;

describe('appid and appidExclude (§10.1.1, §10.1.2)', () => {
  const APP_ID = 'https://example.com/u2f.json';

  /** A key that was registered by U2F: its credential is bound to the AppID. */
  async function u2fKey() {
    const { authenticator, id } = await registered({ residentKey: false, signCount: { kind: 'global', start: 1 } });
    const [source] = await authenticator.store.list();
    if (source === undefined) throw new Error('Expected a credential.');
    await authenticator.store.remove(RP_ID, source.id);
    await authenticator.store.put({ ...source, rpId: APP_ID });
    return {
      authenticator,
      client: createClient({ authenticator, origin: ORIGIN }),
      allowCredentials: [{ type: 'public-key' as const, id }],
    };
  }

  test('the AppID finds what the RP ID does not, and the output says which it was', async () => {
    const { client, allowCredentials } = await u2fKey();
    await expect(client.get({ publicKey: request({ allowCredentials }) })).rejects.toMatchObject({ name: 'NotAllowedError' });
    const got = await client.get({ publicKey: request({ allowCredentials, extensions: { appid: APP_ID } }) });
    expect(outputsOf(got)).toEqual({ appid: true });
    const modern = await registered();
    expect(outputsOf(await modern.client.get({ publicKey: request({ extensions: { appid: APP_ID } }) }))).toEqual({ appid: false });
  });

  test('appidExclude refuses a second registration, with the consent of the user', async () => {
    const { authenticator, client, allowCredentials: excludeCredentials } = await u2fKey();
    const publicKey = creation({ excludeCredentials, extensions: { appidExclude: APP_ID } });
    await expect(client.create({ publicKey })).rejects.toMatchObject({ name: 'InvalidStateError' });
    const unwilling = createAuthenticator({ store: authenticator.store, userVerifier: { canVerify: true, verify: () => 'denied' } });
    await expect(createClient({ authenticator: unwilling, origin: ORIGIN }).create({ publicKey })).rejects.toMatchObject({
      name: 'NotAllowedError',
    });
    const fresh = setUp();
    expect(outputsOf(await fresh.client.create({ publicKey }))).toEqual({});
    expect(outputsOf(await setUp({}, { mode: 'strict' }).client.create({ publicKey }))).toEqual({ appidExclude: true });
  });

  test.each([
    ['nonsense', 'SyntaxError'],
    ['https://example.org/u2f.json', 'SecurityError'],
    ['http://example.com/u2f.json', 'SecurityError'],
    ['https://com/', 'SecurityError'],
  ])('%s is a %s', async (appId, name) => {
    const { client } = await registered();
    await expect(client.get({ publicKey: request({ extensions: { appid: appId } }) })).rejects.toMatchObject({ name });
    await expect(client.create({ publicKey: creation({ extensions: { appidExclude: appId } }) })).rejects.toMatchObject({ name });
  });

  test('an empty one stands for the origin; localhost has no registrable domain', async () => {
    await (await registered()).client.get({ publicKey: request({ extensions: { appid: '' } }) });
    const { client } = setUp({}, { origin: 'http://localhost:7277' });
    const publicKey = creation({ rp: { name: 'x' }, extensions: { appidExclude: '' } });
    await expect(client.create({ publicKey })).rejects.toMatchObject({ name: 'SecurityError' });
  });
});
