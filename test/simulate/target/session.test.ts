import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/kernel/json-value.js';
import { nameRequest } from '../../../src/simulate/engine/ceremony.js';
import { describeOutcome } from '../../../src/simulate/engine/outcome.js';
import { driverOf, type SmallAnswer, type SmallRequest, smallServer, userOf } from './small-server.js';

const requestOptions = { challenge: 'AAAAAAAAAAAAAAAAAAAAAA', rpId: 'localhost' };
const creationOptions = {
  challenge: 'AAAAAAAAAAAAAAAAAAAAAA',
  rp: { id: 'localhost', name: 'x' },
  user: { id: 'dXNlcg', name: 'u', displayName: 'U' },
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
};
const registration = { id: 'Y3JlZA', response: {} };

interface Opening {
  readonly profile?: JsonObject;
  readonly answer: (request: SmallRequest) => SmallAnswer | undefined;
  readonly options?: object;
}

/** A driver of a small server that gives options, and for the rest what `answer` says. */
async function open({ profile = {}, answer, options }: Opening) {
  const opened = await smallServer((request) => {
    const given = answer(request);
    if (given !== undefined) return given;
    if (request.path === '/registration/options') return { body: creationOptions };
    return { body: request.path === '/login/options' ? requestOptions : {} };
  });
  const driver = await driverOf(profile, { url: opened.url, ...options });
  return { driver, requests: opened.requests, paths: () => opened.requests.map(({ method, path }) => `${method} ${path}`) };
}

describe('users', () => {
  const account = [
    { request: 'POST /sign-up', json: { email: '{user.email}', password: '{user.password}' }, take: { token: 'json token' } },
  ];
  const answer = ({ path }: SmallRequest): SmallAnswer | undefined =>
    path === '/sign-up' ? { headers: { 'set-cookie': 'sid=of-sign-up' }, body: { token: 't' } } : undefined;

  test('are fresh ones where the target has as many as one likes', async () => {
    const { driver, requests } = await open({ profile: { account }, answer });
    const sessions = [await userOf(driver), await userOf(driver), await userOf(driver, 2)];
    expect(sessions.map(({ user }) => user)).toEqual([1, 2, 3]);
    const users = requests.map(({ body }): unknown => JSON.parse(body));
    expect(new Set(users.map((user) => JSON.stringify(user))).size).toBe(3);
    expect(users[0]).toEqual({
      email: expect.stringMatching(/^passkey-simulate-[a-z0-9]{8}-1@example\.com$/),
      password: expect.stringMatching(/^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])(?=.*!).{27}$/),
    });
  });

  test('are made once where it has a few, and no more than those', async () => {
    const { driver, requests } = await open({ profile: { account, has: { users: 1 } }, answer });
    const [first, again] = await Promise.all([userOf(driver), userOf(driver)]);
    expect([first.user, again.user]).toEqual([1, 1]);
    expect(requests).toHaveLength(1);
    expect(await driver.openUser(2)).toBeUndefined();
    await again.beginRegistration();
    expect(requests[1]?.headers.cookie).toBe('sid=of-sign-up');
  });

  test('have accounts anew, with other names, when the old ones are forgotten', async () => {
    const { driver, requests } = await open({ profile: { account, has: { users: 1 } }, answer });
    expect((await userOf(driver)).user).toBe(1);
    driver.forgetAccounts();
    expect((await userOf(driver)).user).toBe(1);
    const [first, second, ...more] = requests.map(({ body }) => body);
    expect(more).toEqual([]);
    expect(second).not.toBe(first);
  });

  test('whose account is refused are asked for anew', async () => {
    let refuse = true;
    const { driver } = await open({
      profile: { account, has: { users: 1 } },
      answer: (request) => (refuse ? { status: 503 } : answer(request)),
    });
    expect(await driver.openUser(1)).toMatchObject({ outcome: 'failed', said: '503 {}' });
    refuse = false;
    expect((await userOf(driver)).user).toBe(1);
  });

  test('have a fresh jar in a visit, and what the account took', async () => {
    const profile = { account, authenticate: [{ request: 'POST /login?{token}', json: { $: 'credential' } }] };
    const { driver, requests } = await open({ profile, answer });
    const session = await userOf(driver);
    const visit = session.newVisit();
    await visit.beginAuthentication('discoverable');
    await visit.finishAuthentication(registration);
    expect(requests.at(-1)).toMatchObject({ path: '/login?t' });
    expect(requests.at(-1)?.headers.cookie).toBeUndefined();
    expect(visit.user).toBe(session.user);
  });

  test('that fork keep cookies and variables as they were', async () => {
    let counter = 0;
    const { driver, requests } = await open({
      profile: {
        authenticationOptions: [{ request: 'POST /login/options', take: { flow: 'header x-flow' } }],
        authenticate: [{ request: 'POST /login?{flow}' }],
      },
      answer: ({ path }) => {
        counter += 1;
        const headers = { 'set-cookie': `n=${counter}`, 'x-flow': `f${counter}` };
        return { headers, body: path === '/login/options' ? requestOptions : {} };
      },
    });
    const session = (await userOf(driver)).newVisit();
    await session.beginAuthentication('discoverable');
    const fork = session.fork();
    await session.beginAuthentication('discoverable');
    await fork.finishAuthentication(registration);
    await session.finishAuthentication(registration);
    expect(requests.slice(-2).map(({ path, headers }) => [path, headers.cookie])).toEqual([
      ['/login?f1', 'n=1'],
      ['/login?f2', 'n=2'],
    ]);
  });

  test('that the profile reads from the environment must be there', async () => {
    const profile = { account: [{ request: 'POST /in', json: { user: '{env.SHOP_USER}', other: '{env.SHOP_OTHER?}' } }] };
    await expect(open({ profile, answer: () => undefined })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('Set the environment variable SHOP_USER'),
    });
    const { driver, requests } = await open({ profile, answer: () => undefined, options: { env: { SHOP_USER: 'me' } } });
    await userOf(driver);
    expect(requests[0]?.body).toBe('{"user":"me"}');
  });

  test('set only variables that the profile has', async () => {
    await expect(
      open({ profile: { variables: { realm: 'a' } }, answer: () => undefined, options: { variables: { relm: 'b' } } }),
    ).rejects.toMatchObject({
      code: 'usage',
      message: 'Expected a variable of the profile small (realm); got --set relm.',
    });
  });
});

describe('a ceremony', () => {
  test('is a login by its phase, whatever its options have of a registration', async () => {
    const body = { ...requestOptions, rp: creationOptions.rp };
    const { driver } = await open({ answer: ({ path }) => (path === '/login/options' ? { body } : undefined) });
    const { answer, options } = await (await userOf(driver)).beginAuthentication('named');
    expect([answer.outcome, options?.challenge]).toEqual(['accepted', requestOptions.challenge]);
  });

  test('passes on only the wishes that the profile says it passes on', async () => {
    const json = { uv: { $: 'ask.userVerification?' }, attestation: '{ask.attestation?}' };
    const { driver, requests } = await open({
      profile: { has: { asks: ['userVerification'] }, registrationOptions: [{ request: 'POST /registration/options', json }] },
      answer: () => undefined,
    });
    const session = await userOf(driver);
    await session.beginRegistration({ userVerification: 'required', attestation: 'direct' });
    await session.beginRegistration();
    expect(requests.map(({ body }): unknown => JSON.parse(body))).toEqual([{ uv: 'required' }, {}]);
  });

  test('knows the options, the user handle, the RP ID and the kind of login', async () => {
    const { driver, paths } = await open({
      profile: {
        register: [{ request: 'POST /r?{rpId}&{user.handle}&{options.challenge}', take: { label: 'json label' } }],
        authenticationOptions: [
          { request: 'POST /login/options', if: 'named', json: { id: '{registered.credentialId}' } },
          { request: 'POST /login/options?any', if: 'discoverable' },
        ],
        authenticate: [{ request: 'POST /a?{registered.label?}' }],
      },
      answer: ({ path }) => (path === '/login/options?any' ? { body: requestOptions } : undefined),
    });
    const session = await userOf(driver);
    await session.beginRegistration();
    await session.finishRegistration(registration);
    for (const login of ['named', 'discoverable'] as const) {
      await session.beginAuthentication(login, { credentialId: 'abc', taken: { label: login } });
      await session.finishAuthentication(registration);
    }
    expect(paths()).toEqual([
      'POST /registration/options',
      `POST /r?localhost&dXNlcg&${creationOptions.challenge}`,
      'POST /login/options',
      'POST /a?named',
      'POST /login/options?any',
      'POST /a?discoverable',
    ]);
  });

  test('whose options cannot be read has failed, at a place of the profile', async () => {
    const { driver } = await open({
      profile: { registrationOptions: [{ request: 'POST /registration/options', take: { options: 'json data.options' } }] },
      answer: () => undefined,
    });
    const { answer, options } = await (await userOf(driver)).beginRegistration();
    expect(options).toBeUndefined();
    expect(answer).toMatchObject({
      outcome: 'failed',
      said: expect.stringMatching(
        /^small\.json:\d+:\d+ \(registrationOptions, POST \/registration\/options\): .+ Expected the options of a ceremony, a JSON object; got nothing\.$/,
      ),
    });
  });
});

describe('the second witness', () => {
  /** A server that says one thing about a login, and does another. */
  async function logIn({ login, session, before = 0 }: { login: SmallAnswer; session?: boolean | 'broken'; before?: number }) {
    const whoami = session === undefined ? [] : [{ request: 'GET /me' }];
    const { driver, paths } = await open({
      profile: { whoami },
      answer: ({ path }) => {
        if (path === '/login') return login;
        if (path !== '/me') return undefined;
        return session === 'broken' ? { status: 500 } : { status: session === true ? 200 : 401 };
      },
    });
    const visit = (await userOf(driver)).newVisit();
    for (let count = 0; count <= before; count += 1) await visit.beginAuthentication('discoverable');
    return { answer: await visit.finishAuthentication(registration), paths: paths() };
  }

  test.each([
    [{ login: { status: 200 }, session: true }, 'accepted', 0],
    [{ login: { status: 200 } }, 'accepted', 0],
    [{ login: { status: 401 }, session: false }, 'refused', 0],
    [{ login: { status: 200 }, session: false }, 'refused', 1],
    [{ login: { status: 401 }, session: true }, 'accepted', 1],
    [{ login: { status: 500 }, session: true }, 'failed', 0],
    [{ login: { status: 200 }, session: 'broken' }, 'accepted', 1],
  ] as const)('%j: %s', async (given, outcome, remarks) => {
    const { answer } = await logIn(given);
    expect(answer.outcome).toBe(outcome);
    expect(answer.remarks).toHaveLength(remarks);
  });

  test('says what it has seen', async () => {
    const { answer } = await logIn({ login: { status: 200, body: { verified: true } }, session: false });
    expect(answer.said).toBe('The login was accepted (200 {"verified":true}), but no user is signed in afterwards (whoami: 401 {}).');
    expect(answer.exchanges.map(({ request }) => request)).toEqual(['POST /login', 'GET /me']);
  });

  test.each<[string, Readonly<Record<string, SmallAnswer>>, outcome: string, request: string, described: string]>([
    [
      'the last one, where all accept',
      { '/login': { status: 201 }, '/account': { status: 203 }, '/me': { body: { id: 'ada' } } },
      'accepted',
      'GET /account',
      'accepted (203), for the owner of the passkey',
    ],
    [
      'the one that refuses',
      { '/login': { status: 201 }, '/account': { status: 403 }, '/me': { status: 401 } },
      'refused',
      'GET /account',
      'refused: 403 {}',
    ],
    ['the first, where it refuses', { '/login': { status: 422 }, '/me': { status: 401 } }, 'refused', 'POST /login', 'refused: 422 {}'],
    [
      'whoami, where it contradicts',
      { '/login': { status: 201 }, '/account': { status: 203 }, '/me': { status: 401 } },
      'refused',
      'GET /me',
      'refused: The login was accepted (203 {}), but no user is signed in afterwards (whoami: 401 {}).',
    ],
  ])('leaves a report the name of the request that decided: %s', async (_, answers, outcome, request, described) => {
    let isOpen = false;
    const { driver } = await open({
      profile: {
        account: [{ request: 'POST /sign-up' }],
        authenticate: [{ request: 'POST /login', json: { $: 'credential' } }, { request: 'GET /account' }],
        whoami: [{ request: 'GET /me', take: { user: 'json id' } }],
      },
      // Until the login, whoami names the user of the account.
      answer: ({ path }) => (path === '/me' && !isOpen ? { body: { id: 'ada' } } : answers[path]),
    });
    const session = await userOf(driver);
    isOpen = true;
    await session.beginRegistration();
    await session.finishRegistration(registration);
    const visit = session.newVisit();
    await visit.beginAuthentication('discoverable');
    const answer = await visit.finishAuthentication(registration);
    expect([answer.outcome, nameRequest(answer, 'none'), describeOutcome(answer)]).toEqual([outcome, request, described]);
    expect(nameRequest({ ...answer, decisive: undefined }, 'none')).toBe('none');
  });

  test('is silent after a refusal when somebody was signed in before', async () => {
    let status = 200;
    const { driver, paths } = await open({
      profile: { whoami: [{ request: 'GET /me' }] },
      answer: ({ path }) => (path === '/login' ? { status } : undefined),
    });
    const visit = (await userOf(driver)).newVisit();
    await visit.beginAuthentication('discoverable');
    expect((await visit.finishAuthentication(registration)).outcome).toBe('accepted');
    status = 401;
    expect(await visit.finishAuthentication(registration)).toMatchObject({ outcome: 'refused', remarks: [] });
    expect(paths().slice(-2)).toEqual(['GET /me', 'POST /login']);
  });

  test('is silent about the losers of a race that another login of the session has won', async () => {
    let won = false;
    const { driver } = await open({
      profile: { whoami: [{ request: 'GET /me' }] },
      answer({ path }) {
        if (path === '/me') return { status: won ? 200 : 401 };
        if (path !== '/login') return undefined;
        const status = won ? 401 : 200;
        won = true;
        return { status };
      },
    });
    const visit = (await userOf(driver)).newVisit();
    await visit.beginAuthentication('discoverable');
    const race = await Promise.all([visit.fork(), visit.fork(), visit.fork()].map((racer) => racer.finishAuthentication(registration)));
    expect(race.map(({ outcome }) => outcome).toSorted()).toEqual(['accepted', 'refused', 'refused']);
    expect(await visit.finishAuthentication(registration)).toMatchObject({ outcome: 'refused', remarks: [] });
  });

  test('is asked about the last of several racing logins that are all refused', async () => {
    const { driver, paths } = await open({
      profile: { whoami: [{ request: 'GET /me' }] },
      answer: ({ path }) => (path === '/login' ? { status: 401 } : undefined),
    });
    const visit = (await userOf(driver)).newVisit();
    await visit.beginAuthentication('discoverable');
    const race = await Promise.all([visit.fork(), visit.fork()].map((racer) => racer.finishAuthentication(registration)));
    expect(race.map(({ outcome }) => outcome).toSorted()).toEqual(['accepted', 'refused']);
    expect(paths().filter((path) => path === 'GET /me')).toHaveLength(1);
  });

  test('knows the user of the account, and finds another one', async () => {
    let signedIn = 'user-1';
    const { driver } = await open({
      profile: {
        account: [{ request: 'POST /sign-up' }],
        whoami: [{ request: 'GET /me', take: { user: 'json id' } }],
      },
      answer: ({ path }) => (path === '/me' ? { body: { id: signedIn } } : undefined),
    });
    const session = await userOf(driver);
    const logIn = async () => {
      const visit = session.newVisit();
      await visit.beginAuthentication('discoverable');
      return visit.finishAuthentication(registration);
    };
    expect((await logIn()).outcome).toBe('accepted');
    signedIn = 'user-2';
    expect(await logIn()).toMatchObject({
      outcome: 'failed',
      said: expect.stringContaining('whoami says "user-2", but "user-1" registered'),
    });
    // Unless it was that user who registered the passkey.
    const other = await userOf(driver);
    await other.beginRegistration();
    await other.finishRegistration(registration);
    expect((await logIn()).outcome).toBe('accepted');
  });
});

describe('cleanup', () => {
  const register = [{ request: 'POST /registration', json: { $: 'credential' }, take: { id: 'json id' } }];

  test('deletes every passkey that was accepted, in its own session, and says what is left', async () => {
    let id = 0;
    const { driver, paths } = await open({
      profile: { register, cleanup: [{ request: 'DELETE /passkeys/{registered.id}' }] },
      answer: ({ path, body }) => {
        if (path === '/registration') {
          id += 1;
          return body.includes('wrong') ? { status: 400 } : { body: { id } };
        }
        return path === '/passkeys/2'
          ? { status: 403, body: { message: 'not yours' } }
          : path === '/passkeys/3'
            ? { status: 404 }
            : undefined;
      },
    });
    const session = await userOf(driver);
    await session.beginRegistration();
    for (const name of ['a', 'b', 'c', 'wrong']) await session.finishRegistration({ id: name });
    expect(await driver.cleanUp()).toEqual([expect.stringMatching(/^A passkey of passkey-simulate-.{8}-1: 403 not yours$/)]);
    expect(paths().filter((path) => path.startsWith('DELETE'))).toEqual(['DELETE /passkeys/1', 'DELETE /passkeys/2', 'DELETE /passkeys/3']);
    expect(await driver.cleanUp()).toEqual([]);
  });

  test('deletes every account once where it names no passkey, which is then made anew', async () => {
    const { driver, paths } = await open({
      profile: {
        has: { users: 2 },
        account: [{ request: 'POST /sign-up' }],
        register,
        cleanup: [{ request: 'DELETE /account?{user.number}' }],
      },
      answer: () => undefined,
    });
    await userOf(driver);
    await userOf(driver);
    await userOf(driver, 2);
    expect(await driver.cleanUp()).toEqual([]);
    await userOf(driver);
    expect(paths()).toEqual(['POST /sign-up', 'POST /sign-up', 'DELETE /account?1', 'DELETE /account?2', 'POST /sign-up']);
  });

  test('goes on after an interruption', async () => {
    const interruption = new AbortController();
    const { driver, paths } = await open({
      profile: { register, cleanup: [{ request: 'DELETE /passkeys/{registered.credentialId}' }] },
      answer: () => undefined,
      options: { signal: interruption.signal },
    });
    const session = await userOf(driver);
    await session.finishRegistration(registration);
    interruption.abort();
    expect(await driver.cleanUp()).toEqual([]);
    expect(paths()).toEqual(['POST /registration', 'DELETE /passkeys/Y3JlZA']);
  });
});

test.each<[account: readonly JsonObject[], opens: boolean]>([
  [[{ request: 'POST /sign-up', json: { email: '{user.email}' } }], true],
  [[{ request: 'POST /sign-up', json: { name: '{user.name}' } }, { request: 'GET /welcome' }], true],
  // Strangers cannot read the letter to another user.
  [[{ request: 'POST /sign-up', json: { email: '{user.email}' } }, { request: 'GET /letters/{user.email}' }], false],
  [[{ request: 'GET /letters/{user.email}' }, { request: 'POST /sign-up', json: { email: '{user.email}' } }], false],
  [[{ request: 'POST /sign-up', json: { email: '{user.email}', code: '{env.CODE}' } }], false],
  [[{ request: 'POST /sign-up', json: { name: 'always the same' } }], false],
])('strangers open accounts by %j: %j', async (account, opens) => {
  const driver = await driverOf({ account }, { url: 'http://localhost:1', env: { CODE: '1' } });
  expect(driver.opensAccounts).toBe(opens);
});
