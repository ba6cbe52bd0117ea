import { describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import { createClient } from '../../src/client/client.js';
import { creation, ORIGIN, registered, request, setUp } from './ceremony.js';

const key = () => createAuthenticator({ attachment: 'cross-platform', transports: ['usb'], residentKey: false });
const phone = () => createAuthenticator({ attachment: 'cross-platform', transports: ['hybrid', 'internal'] });
const device = () => createAuthenticator({ attachment: 'platform' });

/** A browser with all three, and which of them has made or used something. */
function browser() {
  const authenticators = [device(), key(), phone()] as const;
  const client = createClient({ authenticator: authenticators, origin: ORIGIN });
  const holders = async () => (await Promise.all(authenticators.map(({ store }) => store.list()))).map(({ length }) => length);
  return { client, authenticators, holders };
}

describe('hints (§5.8.7) choose among several authenticators', () => {
  test.each([
    [[], [1, 0, 0]],
    [['crystal-ball'], [1, 0, 0]],
    [['client-device'], [1, 0, 0]],
    [['security-key'], [0, 1, 0]],
    [
      ['hybrid', 'security-key'],
      [0, 0, 1],
    ],
  ])('%j at registration', async (hints, expected) => {
    const { client, holders } = browser();
    await client.create({ publicKey: creation({ hints }) });
    expect(await holders()).toEqual(expected);
  });

  test('one that does not fit is passed over, and hints take precedence over the attachment', async () => {
    const { client, holders } = browser();
    const hints = ['security-key'];
    await client.create({ publicKey: creation({ hints, authenticatorSelection: { residentKey: 'required' } }) });
    expect(await holders()).toEqual([1, 0, 0]);
    await client.create({ publicKey: creation({ hints, authenticatorSelection: { authenticatorAttachment: 'platform' } }) });
    expect(await holders()).toEqual([1, 1, 0]);
  });

  test('without hints, the attachment chooses', async () => {
    const { client, holders } = browser();
    await client.create({ publicKey: creation({ authenticatorSelection: { authenticatorAttachment: 'cross-platform' } }) });
    expect(await holders()).toEqual([0, 1, 0]);
  });

  test('if none fits, the error is about the first', async () => {
    const client = createClient({ authenticator: [key(), key()], origin: ORIGIN });
    await expect(client.create({ publicKey: creation({ authenticatorSelection: { residentKey: 'required' } }) })).rejects.toMatchObject({
      name: 'ConstraintError',
    });
  });

  test('at authentication, the one that has the credential answers', async () => {
    const { client } = browser();
    const { id } = await client.create({ publicKey: creation({ hints: ['security-key'] }) });
    const allowCredentials = [{ type: 'public-key' as const, id }];
    for (const hints of [[], ['hybrid'], ['security-key']]) {
      expect(await client.get({ publicKey: request({ allowCredentials, hints }) })).toMatchObject({
        id,
        authenticatorAttachment: 'cross-platform',
      });
    }
  });

  test('autofill offers what all of them hold', async () => {
    const { authenticators } = browser();
    const [one, , three] = authenticators;
    for (const [authenticator, name] of [
      [one, 'a'],
      [three, 'b'],
    ] as const) {
      const client = createClient({ authenticator, origin: ORIGIN });
      const user = { id: Buffer.from(name).toString('base64url'), name, displayName: name };
      await client.create({ publicKey: creation({ user, authenticatorSelection: { residentKey: 'required' } }) });
    }
    const offered: string[] = [];
    const client = createClient({
      authenticator: authenticators,
      origin: ORIGIN,
      pickCredential: (credentials) => {
        offered.push(...credentials.map(({ name }) => name));
        return credentials.find(({ name }) => name === 'b');
      },
    });
    const { response } = await client.get({ publicKey: request(), mediation: 'conditional' });
    expect([offered, response.userHandle]).toEqual([['a', 'b'], Buffer.from('b').toString('base64url')]);
  });
});

describe('immediate mode (uiMode, once a mediation)', () => {
  test.each([{ uiMode: 'immediate' }, { mediation: 'immediate' }, { uiMode: 'immediate', mediation: 'required' }] as const)(
    '%o',
    async (mode) => {
      const { client, authenticator } = await registered();
      await client.get({ publicKey: request(), ...mode });
      const prompts: unknown[] = [];
      const userVerifier = {
        canVerify: true,
        verify: () => {
          prompts.push(1);
          return 'verified' as const;
        },
      };
      const refused = { name: 'NotAllowedError', message: expect.stringContaining('on this device; there is none') };
      await expect(setUp({ userVerifier }).client.get({ publicKey: request(), ...mode })).rejects.toMatchObject(refused);
      // A security key is not at hand before it is plugged in.
      const far = createClient({
        authenticator: createAuthenticator({ attachment: 'cross-platform', store: authenticator.store }),
        origin: ORIGIN,
      });
      await expect(far.get({ publicKey: request(), ...mode })).rejects.toMatchObject(refused);
      expect(prompts).toEqual([]);
    },
  );

  test('refuses what Chromium refuses', async () => {
    const { client, id } = await registered();
    const allowCredentials = [{ type: 'public-key' as const, id }];
    await expect(client.get({ publicKey: request({ allowCredentials }), uiMode: 'immediate' })).rejects.toMatchObject({
      name: 'NotAllowedError',
    });
    await expect(client.get({ publicKey: request(), uiMode: 'immediate', mediation: 'conditional' })).rejects.toMatchObject({
      name: 'NotSupportedError',
    });
    const uiMode: 'active' = JSON.parse('"bogus"');
    await expect(client.get({ publicKey: request(), uiMode })).rejects.toThrow(
      new TypeError('Expected uiMode to be one of active, immediate, passive; got string "bogus".'),
    );
    await client.get({ publicKey: request({ allowCredentials }), uiMode: 'active' });
    await client.get({ publicKey: request({ allowCredentials }), uiMode: 'passive' });
  });
});
