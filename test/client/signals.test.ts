import { describe, expect, test } from 'vitest';
import { createClient } from '../../src/client/client.js';
import { creation, ORIGIN, RP_ID, registered, request, setUp } from './ceremony.js';

const OTHER = 'AAAAAAAAAAAAAAAAAAAAAA';

describe('the Signal API (§5.1.10)', () => {
  test.each(['hide', 'remove'] as const)('an unknown credential is no longer offered (%s)', async (signalled) => {
    const { client, authenticator, id } = await registered({ signalled });
    await client.signalUnknownCredential({ rpId: RP_ID, credentialId: OTHER });
    await client.get({ publicKey: request() });
    await client.signalUnknownCredential({ rpId: RP_ID, credentialId: id });
    const refused = { name: 'NotAllowedError', message: expect.stringContaining('this authenticator has none') };
    await expect(client.get({ publicKey: request() })).rejects.toMatchObject(refused);
    await expect(client.get({ publicKey: request({ allowCredentials: [{ type: 'public-key', id }] }) })).rejects.toMatchObject(refused);
    await expect(client.get({ publicKey: request(), mediation: 'conditional' })).rejects.toMatchObject({ name: 'NotAllowedError' });
    expect((await authenticator.store.list()).length).toBe(signalled === 'hide' ? 1 : 0);
    // It excludes no more, either.
    await client.create({ publicKey: creation({ excludeCredentials: [{ type: 'public-key', id }] }) });
  });

  test('of one user, the accepted credentials stay, the others go, and come back when they are accepted again', async () => {
    const { client, authenticator, id } = await registered();
    const { id: others } = await client.create({ publicKey: creation({ user: { id: 'Mg', name: 'b', displayName: 'B' } }) });
    const accept = (allAcceptedCredentialIds: string[]) =>
      client.signalAllAcceptedCredentials({ rpId: RP_ID, userId: 'MQ', allAcceptedCredentialIds });
    const offered = async () => (await authenticator.discover(RP_ID)).map((credential) => Buffer.from(credential.id).toString('base64url'));
    await accept([OTHER]);
    expect(await offered()).toEqual([others]);
    await accept([id]);
    expect(await offered()).toEqual([others, id]);
    await accept([]);
    expect(await offered()).toEqual([others]);
  });

  test('the names of a user change, not those of another', async () => {
    const { client, authenticator } = await registered();
    await client.create({ publicKey: creation({ user: { id: 'Mg', name: 'b', displayName: 'B' } }) });
    await client.signalCurrentUserDetails({ rpId: RP_ID, userId: 'MQ', name: 'new', displayName: 'New' });
    expect((await authenticator.discover(RP_ID)).map(({ name, displayName }) => [name, displayName])).toEqual([
      ['b', 'B'],
      ['new', 'New'],
    ]);
  });

  test('every authenticator hears of it, and one that cannot is left alone', async () => {
    const [one, two] = [await registered(), await registered()];
    const { makeCredential, getAssertion } = setUp().authenticator;
    const client = createClient({
      authenticator: [one.authenticator, { makeCredential, getAssertion }, two.authenticator],
      origin: ORIGIN,
    });
    await client.signalAllAcceptedCredentials({ rpId: RP_ID, userId: 'MQ', allAcceptedCredentialIds: [one.id] });
    expect([await one.authenticator.discover(RP_ID), await two.authenticator.discover(RP_ID)].map(({ length }) => length)).toEqual([1, 0]);
  });

  const good = { rpId: RP_ID, credentialId: OTHER, userId: 'MQ', allAcceptedCredentialIds: [OTHER], name: 'n', displayName: 'd' };
  const methods = ['signalUnknownCredential', 'signalAllAcceptedCredentials', 'signalCurrentUserDetails'] as const;
  test.each(methods)('%s: as Chromium, bad base64url is a TypeError, a foreign RP ID a SecurityError', async (method) => {
    const { client } = setUp();
    await client[method](good);
    await expect(client[method]({ ...good, rpId: 'example.org' })).rejects.toMatchObject({ name: 'SecurityError' });
    const changes = { credentialId: '%', userId: '%', allAcceptedCredentialIds: ['%'] };
    const own = method === methods[0] ? ['credentialId'] : method === methods[1] ? ['userId', 'allAcceptedCredentialIds'] : ['userId'];
    for (const [name, value] of Object.entries(changes)) {
      const sent = client[method]({ ...good, [name]: value });
      if (own.includes(name)) await expect(sent).rejects.toThrow(new RegExp(`^options\\.${name}.*Expected base64url`));
      else await sent;
    }
    const missing: typeof good = JSON.parse('{}');
    await expect(client[method](missing)).rejects.toThrow(new TypeError('Expected options.rpId to be a string; the member is missing.'));
  });
});
