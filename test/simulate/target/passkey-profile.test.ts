import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../../src/authenticator/authenticator.js';
import { createClient } from '../../../src/client/client.js';
import { IN_PROCESS_ORIGIN, type InProcessServer, type ServerUnderTest, startInProcess } from '../../../src/simulate/engine/in-process.js';
import type { Answer, Driver, RegisteredPasskey, Session } from '../../../src/simulate/target/driver.js';
import { openDriver } from '../../../src/simulate/target/open-driver.js';
import { readProfile } from '../../../src/simulate/target/read-profile.js';

/** The built-in profile of our own API, against our own server. */

let server: InProcessServer;
beforeAll(() => {
  server = startInProcess();
});
afterAll(() => server.close());

interface Opened {
  readonly driver: Driver;
  readonly under: ServerUnderTest;
}

async function open(users: 0 | 1 | 2): Promise<Opened> {
  const under = await server.open();
  const tokens: string[] = [];
  for (let number = 1; number <= users; number += 1) {
    const owner = await under.accounts.addOwner({ email: `user${number}@example.org`, name: `User ${number}` });
    tokens.push((await under.accounts.createToken({ owner })).token);
  }
  const profile = await readProfile('passkey', '.');
  const url = under.target.url.href;
  return { under, driver: openDriver({ profile, url, tokens, origin: IN_PROCESS_ORIGIN, connections: under.target }) };
}

async function userOf(driver: Driver, position: 1 | 2 = 1): Promise<Session> {
  const opened = await driver.openUser(position);
  if (opened === undefined || 'outcome' in opened) throw new Error(`no user: ${opened?.said}`);
  return opened;
}

const newClient = () => createClient({ authenticator: createAuthenticator(), origin: IN_PROCESS_ORIGIN });

async function create(session: Session, client: ReturnType<typeof newClient>) {
  const { options, answer } = await session.beginRegistration();
  if (options === undefined) throw new Error(answer.said);
  return client.create({ publicKey: options });
}

async function register(session: Session, client: ReturnType<typeof newClient>): Promise<RegisteredPasskey> {
  const credential = await create(session, client);
  const answer = await session.finishRegistration({ ...credential });
  expect(answer).toMatchObject({ outcome: 'accepted', code: undefined, step: undefined, remarks: [] });
  return { credentialId: credential.id, taken: answer.taken };
}

async function logIn(
  visit: Session,
  login: 'named' | 'discoverable',
  { client, passkey, endpoint }: { client: ReturnType<typeof newClient>; passkey: RegisteredPasskey; endpoint?: string },
): Promise<Answer> {
  const { options, answer } = await visit.beginAuthentication(login, passkey, endpoint === undefined ? {} : { endpoint });
  if (options === undefined) throw new Error(answer.said);
  return visit.finishAuthentication({ ...(await client.get({ publicKey: options })) });
}

describe('the profile passkey', () => {
  test('registers, and logs in by name and discoverably, in a fresh jar that is signed in afterwards', async () => {
    const { driver } = await open(1);
    const [session, client] = [await userOf(driver), newClient()];
    const passkey = await register(session, client);
    expect(passkey.taken).toEqual({ id: 1 });
    for (const login of ['named', 'discoverable'] as const) {
      const visit = session.newVisit();
      expect((await visit.whoami())?.outcome).toBe('refused');
      expect(await logIn(visit, login, { client, passkey })).toMatchObject({ outcome: 'accepted', remarks: [] });
      expect((await visit.whoami())?.outcome).toBe('accepted');
    }
  });

  test('verifies without signing in, and asks no witness then', async () => {
    const { driver } = await open(1);
    const [session, client] = [await userOf(driver), newClient()];
    const passkey = await register(session, client);
    const visit = session.newVisit();
    const answer = await logIn(visit, 'named', { client, passkey, endpoint: 'verify' });
    expect(answer).toMatchObject({ outcome: 'accepted', json: { passkey: { id: 1 } } });
    expect(answer.exchanges.map(({ request }) => request)).toEqual(['POST /api/passkeys/verify']);
    expect(await visit.whoami()).toBeUndefined();
  });

  test('gives code and step of a refused registration and of a refused login', async () => {
    const { driver } = await open(1);
    const [session, client] = [await userOf(driver), newClient()];
    const credential = await create(session, client);
    await session.finishRegistration({ ...credential });
    const again = await session.finishRegistration({ ...credential });
    expect(again).toMatchObject({ outcome: 'refused', code: 'challenge_used', step: { section: '7.1', slug: 'challenge' } });
    expect(again.said).toMatch(/^422 challenge_used: /);
    const visit = session.newVisit();
    const { options } = await visit.beginAuthentication('discoverable');
    if (options === undefined) throw new Error('no options');
    const { response, ...assertion } = await client.get({ publicKey: options });
    const refused = await visit.finishAuthentication({ ...assertion, response: { ...response, signature: 'AAAA' } });
    expect(refused).toMatchObject({ outcome: 'refused', code: 'signature_invalid', step: { section: '7.2', slug: 'signature' } });
  });

  test('keeps two users apart, and has no more than there are tokens', async () => {
    const { driver } = await open(2);
    const [first, second] = [await userOf(driver), await userOf(driver, 2)];
    const handles = await Promise.all([first, second].map(async (session) => (await session.beginRegistration()).options?.user.id));
    expect(new Set(handles).size).toBe(2);
    expect(await (await open(1)).driver.openUser(2)).toBeUndefined();
    expect(await (await open(0)).driver.openUser(1)).toBeUndefined();
  });

  test('sends a label, and deletes what was registered, once', async () => {
    const { driver, under } = await open(1);
    const [session, client] = [await userOf(driver), newClient()];
    const credential = await create(session, client);
    const answer = await session.finishRegistration({ ...credential }, { label: 'Test key' });
    expect(answer.json).toMatchObject({ passkey: { label: 'Test key' } });
    expect(await driver.cleanUp()).toEqual([]);
    const [record] = await under.store.listPasskeys({ revoked: 'only' });
    expect(record?.label).toBe('Test key');
    expect(await driver.cleanUp()).toEqual([]);
  });

  test('shows exchanges without the token', async () => {
    const { driver } = await open(1);
    const session = await userOf(driver);
    const { answer } = await session.beginRegistration();
    expect(answer.exchanges).toMatchObject([{ request: 'POST /api/passkeys/register/options', status: 200 }]);
    expect(answer.exchanges[0]?.sent).toContain('"app_name":"passkey simulate"');
  });
});
