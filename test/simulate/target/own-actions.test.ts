import { describe, expect, test } from 'vitest';
import { driverOf, type SmallAnswer, type SmallRequest, smallServer, userOf } from './small-server.js';

const requestOptions = { challenge: 'AAAAAAAAAAAAAAAAAAAAAA', rpId: 'localhost' };
const PASSKEY = { credentialId: 'Y3JlZA', taken: { id: 7 } };
const PROFILE = {
  list: [{ request: 'GET /passkeys', take: { credentialIds: 'json keys | each at id' } }],
  remove: [{ request: 'DELETE /passkeys/{registered.id}' }],
  signOut: [{ request: 'POST /logout' }],
};

async function open(profile: object, answer: (request: SmallRequest) => SmallAnswer = () => ({ body: requestOptions })) {
  const server = await smallServer(answer);
  return { driver: await driverOf({ ...profile }, { url: server.url }), requests: server.requests };
}

describe('what users do with their own passkeys', () => {
  test('is offered where the profile says how', async () => {
    const { driver } = await open({ list: PROFILE.list });
    expect((['list', 'remove', 'signOut'] as const).map((action) => driver.offers(action))).toEqual([true, false, false]);
  });

  test('lists credential IDs, whatever base64 they come in', async () => {
    const { driver } = await open(PROFILE, () => ({ body: { keys: [{ id: '+/8=' }, { id: 'Y3JlZA' }] } }));
    const { answer, credentialIds } = await (await userOf(driver)).list();
    expect(answer.outcome).toBe('accepted');
    expect(credentialIds).toEqual(['-_8', 'Y3JlZA']);
  });

  test('lists none where the answer names none', async () => {
    const { driver } = await open(PROFILE, () => ({ body: {} }));
    expect(await (await userOf(driver)).list()).toMatchObject({ answer: { outcome: 'accepted' }, credentialIds: undefined });
  });

  test('are made by a copy of the session without one of its cookies', async () => {
    const headers = { 'set-cookie': ['sid=1; HttpOnly; Path=/', 'csrf=2; SameSite=Strict; Path=/'] };
    const { driver, requests } = await open(PROFILE, () => ({ headers, body: { keys: [] } }));
    const session = await userOf(driver);
    await session.list();
    expect(session.cookies()).toEqual({
      list: [
        { name: 'sid', httpOnly: true, secure: false, sameSite: undefined },
        { name: 'csrf', httpOnly: false, secure: false, sameSite: 'strict' },
      ],
      isHttps: false,
    });
    await session.withoutCookie('sid').list();
    await session.list();
    expect(requests.map(({ headers: { cookie } }) => cookie)).toEqual([undefined, 'csrf=2', 'sid=1; csrf=2']);
  });

  test('tell whether the target is reached by https', async () => {
    const url = 'https://shop.example.com';
    const connections = {
      url: new URL(url),
      send: async () => ({ status: 200, headers: { 'set-cookie': ['sid=1; Secure'] }, text: '{"keys":[]}', json: { keys: [] } }),
      close() {},
    };
    const session = await userOf(await driverOf({ ...PROFILE }, { url, connections, allowHosts: ['shop.example.com'] }));
    await session.list();
    expect(session.cookies()).toMatchObject({ isHttps: true, list: [{ name: 'sid', secure: true }] });
  });

  test('removes a passkey and signs out in the session', async () => {
    const { driver, requests } = await open(PROFILE, ({ path }) => ({ status: path === '/logout' ? 204 : 403 }));
    const session = await userOf(driver);
    expect([(await session.remove(PASSKEY)).outcome, (await session.signOut()).outcome]).toEqual(['refused', 'accepted']);
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['DELETE /passkeys/7', 'POST /logout']);
  });
});

describe('ways into an account', () => {
  const recover = [
    { request: 'POST /recover', json: { email: '{user.email}' } },
    { request: 'GET /letter', take: { recoveryToken: 'json code' } },
    { request: 'POST /recover/end', json: { code: '{recoveryToken}' } },
    { request: 'POST /password' },
  ];

  test('a recovery is asked for up to the request that takes the token; those after it use it, and reports hide it', async () => {
    const { driver, requests } = await open({ recover }, ({ path }) => ({ body: path === '/letter' ? { code: 'c0de-of-letter' } : {} }));
    const session = await userOf(driver);
    const { token = '' } = await session.beginRecovery();
    const { exchanges } = await session.newVisit().enter('recover', { recoveryToken: token });
    expect(requests.map(({ path, body }) => [path, body]).slice(1)).toEqual([
      ['/letter', ''],
      ['/recover/end', '{"code":"c0de-of-letter"}'],
      ['/password', ''],
    ]);
    expect(JSON.stringify(exchanges)).not.toContain('c0de-of-letter');
  });

  test('a step-up with a passkey begins up to the request that takes the options; those after it send the response', async () => {
    const stepUp = [
      { request: 'POST /step-up/options', json: { for: '{registered.credentialId}' }, take: { options: 'json publicKey' } },
      { request: 'POST /step-up', json: { $: 'credential' } },
    ];
    const publicKey = { challenge: 'c3RlcC11cCBjaGFsbGVuZ2U', userVerification: 'required' };
    const { driver, requests } = await open({ stepUp }, () => ({ body: { publicKey } }));
    const session = await userOf(driver);
    const { options } = await session.beginStepUp(PASSKEY);
    const answer = await session.enter('stepUp', { credential: { id: 'bmV3' } });
    expect([options, answer.outcome]).toEqual([expect.objectContaining(publicKey), 'accepted']);
    expect(requests.map(({ path, body }) => [path, JSON.parse(body)])).toEqual([
      ['/step-up/options', { for: PASSKEY.credentialId }],
      ['/step-up', { id: 'bmV3' }],
    ]);
    expect(driver.challenges).toEqual([expect.objectContaining({ phase: 'authenticationOptions', challenge: publicKey.challenge })]);
  });

  test('a password is that of the user, unless a case enters another; a passkey is renamed to a label', async () => {
    const password = [{ request: 'POST /password', json: { password: '{user.password}' } }];
    const rename = [{ request: 'PATCH /passkeys/{registered.id}', json: { label: '{registered.newLabel}' } }];
    const { driver, requests } = await open({ password, rename }, () => ({ body: {} }));
    const session = await userOf(driver);
    await session.enter('password');
    await session.enter('password', { password: 'other' });
    await session.rename(PASSKEY, 'Phone');
    const bodies = [{ password: session.password }, { password: 'other' }, { label: 'Phone' }];
    expect(requests.map(({ body }) => JSON.parse(body))).toEqual(bodies);
  });

  test('a stranger has a name like that of a user, and no cookies', async () => {
    const { driver, requests } = await open({ whoami: [{ request: 'GET /me/{user.name}' }] });
    const session = await userOf(driver);
    await session.newStranger().whoami();
    await session.newVisit().whoami();
    const [stranger = '', user = ''] = requests.map(({ path }) => path);
    expect(stranger).not.toBe(user);
    expect(stranger).toHaveLength(user.length);
  });
});

describe('a forged request', () => {
  test('finishes a ceremony, and nothing else is forged', async () => {
    const { driver, requests } = await open({ whoami: [{ request: 'GET /me' }] });
    const visit = (await userOf(driver)).newVisit();
    const forged = visit.forging((request) => ({
      ...request,
      headers: { ...request.headers, origin: 'https://other.example' },
      body: '{',
    }));
    await forged.beginAuthentication('discoverable');
    await forged.finishAuthentication({ id: 'Y3JlZA' });
    expect(requests.map(({ path, headers: { origin }, body }) => [path, origin, body])).toEqual([
      ['/login/options', undefined, ''],
      ['/login', 'https://other.example', '{'],
      ['/me', undefined, ''],
    ]);
  });
});

describe('one of several applications', () => {
  const authenticationOptions = [{ request: 'POST /login/options', json: { app: '{ask.origin}' } }];

  test.each([
    ['its own, where a case asks for none', {}, undefined],
    ['another, where a case asks for that', { origin: 'https://other.example' }, 'https://other.example'],
  ])('is %s', async (_, asks, expected) => {
    const { driver, requests } = await open({ has: { asks: ['origin'] }, authenticationOptions });
    await (await userOf(driver)).beginAuthentication('discoverable', undefined, asks);
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ app: expected ?? driver.origin });
  });
});
