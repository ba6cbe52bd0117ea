import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { probe } from '../../../src/simulate/probe.js';
import { openDriver } from '../../../src/simulate/target/open-driver.js';
import type { TargetProfile } from '../../../src/simulate/target/profile-schema.js';
import type { Target } from '../../targets/http.js';
import { startPlainServer } from './plain-server.js';
import { startChallengeServer } from './recording/recorded-servers.js';

const headers = { origin: '{origin}' };
const verified = { status: '2xx', 'json verified': true };

const GOOD: TargetProfile = {
  format: 'passkey-target-profile',
  version: 1,
  name: 'plain',
  registrationOptions: [
    { request: 'POST /register/options', headers, json: { username: '{user.name}' }, take: { options: 'json data.options' } },
  ],
  register: [{ request: 'POST /register', json: { credential: { $: 'credential' } }, accept: verified, take: { id: 'json passkey.id' } }],
  authenticationOptions: [
    { request: 'POST /login/options', if: 'named', json: { username: '{user.name}' } },
    { request: 'POST /login/options', if: 'discoverable', json: {} },
  ],
  authenticate: [{ request: 'POST /login', json: { credential: { $: 'credential' } }, accept: verified }],
  whoami: [{ request: 'GET /me', take: { user: 'json name' } }],
  cleanup: [{ request: 'DELETE /passkeys/{registered.id}' }],
};

let target: Target;
beforeAll(async () => {
  target = await startPlainServer();
});
afterAll(() => target.close());

async function probed(profile: TargetProfile, { url = target.url, origin = target.url } = {}) {
  const read = { profile, where: (pointer: string) => `plain.json (${pointer})` };
  const driver = openDriver({ profile: read, url, origin });
  try {
    return await probe({ driver, ...read, url });
  } finally {
    driver.close();
  }
}

/** A report without the values that differ from run to run. */
const written = (report: object): string =>
  `${JSON.stringify(report, null, 2)
    .replaceAll(target.url, 'URL')
    .replaceAll(/passkey-simulate-\w{8}/g, 'passkey-simulate-RUN')
    .replaceAll(/[\w+/=-]{20,}…?/g, '…')}\n`;

type List = 'registrationOptions' | 'register' | 'authenticationOptions' | 'authenticate' | 'whoami' | 'cleanup';

/** The good profile with the first request of a list changed. */
function withFirst(list: List, change: object): TargetProfile {
  const [first, ...others] = GOOD[list] ?? [];
  return { ...GOOD, [list]: [{ ...first, ...change }, ...others] };
}

describe('a probe', () => {
  test('walks a profile that fits, and says what the target has', async () => {
    const report = await probed(GOOD);
    expect(report.steps.map(({ name, status }) => [name, status])).toEqual([
      ['account', 'skipped'],
      ['registration options', 'passed'],
      ['registration', 'passed'],
      ['named login: options', 'passed'],
      ['named login', 'passed'],
      ['discoverable login: options', 'passed'],
      ['discoverable login', 'passed'],
      ['named login of a user without a passkey: options', 'passed'],
      ['named login: options', 'passed'],
      ['login with a changed signature', 'passed'],
      ['cleanup', 'passed'],
      ['another registration: options', 'passed'],
      ['registration with a changed challenge', 'passed'],
    ]);
    expect(report).toMatchObject({ passed: true, answered: true, url: target.url, origin: target.url });
    await expect(written(report)).toMatchFileSnapshot('probe/good.txt');
    expect(report.found).toEqual({
      rp_id: 'localhost',
      algorithms: [-7, -257],
      attestation: 'none',
      formats: ['none'],
      user_verification: 'preferred',
      resident_key: 'preferred',
      logins: ['named', 'discoverable'],
      witness: true,
      unknown_user: 'options',
      library: null,
      measured: [{ member: 'logins', value: ['named', 'discoverable'], evidence: 'accepted by the probe' }],
      has: { logins: ['named', 'discoverable'] },
    });
  });

  test('shows all wrong lines that can be walked, in one go', async () => {
    const failed = async (profile: TargetProfile) =>
      (await probed(profile)).steps.flatMap(({ name, misfit }) => (misfit ? [[name, misfit.pointer]] : []));
    const authenticationOptions = [
      { request: 'POST /login/start', if: 'named', json: { username: '{user.name}' } },
      { request: 'POST /login/begin', if: 'discoverable', json: {} },
    ];
    const logins = [
      ['named login: options', '/authenticationOptions/0/request'],
      ['discoverable login: options', '/authenticationOptions/1/request'],
    ];
    expect(await failed({ ...GOOD, authenticationOptions, cleanup: [{ request: 'DELETE /passkey/{registered.id}' }] })).toEqual([
      ...logins,
      ['cleanup', '/cleanup/0'],
    ]);
    expect(await failed({ ...withFirst('register', { request: 'POST /registrations' }), authenticationOptions })).toEqual([
      ['registration', '/register/0/request'],
      logins[1],
    ]);
  });

  const misfits: [what: string, profile: TargetProfile, pointer: string, says: object][] = [
    [
      'a path that is not there',
      withFirst('registrationOptions', { request: 'POST /register/begin' }),
      '/registrationOptions/0/request',
      {
        line: '"POST /register/begin"',
        received: expect.stringContaining('404'),
        change: expect.stringContaining('the method and the path'),
      },
    ],
    [
      'a header that the server wants',
      withFirst('registrationOptions', { headers: { origin: 'null' } }),
      '/registrationOptions/0/headers',
      { received: '403 Requests of other pages are not answered.', change: expect.stringContaining('"origin": "{origin}"') },
    ],
    [
      'a body that the server does not take',
      withFirst('registrationOptions', { json: { user: '{user.name}' } }),
      '/registrationOptions/0/json',
      {
        received: '400 The member username is missing.',
        line: '{"user":"{user.name}"}',
        change: 'Compare the request with what the page sends: its body, and its CSRF token if it has one.',
      },
    ],
    [
      'options that are elsewhere',
      withFirst('registrationOptions', { take: { options: 'json publicKey' } }),
      '/registrationOptions/0/take/options',
      { change: 'Take them from the object that contains the challenge: "take": { "options": "json data.options" }.' },
    ],
    [
      'a value that the answer does not have',
      withFirst('register', { take: { id: 'json passkey.key' } }),
      '/register/0/take/id',
      { received: expect.stringContaining('registered.id') },
    ],
    [
      'an acceptance that no answer fits',
      withFirst('register', { accept: { 'json success': true } }),
      '/register/0/accept',
      { expected: 'a response that "accept" describes ({"json success":true})' },
    ],
    [
      'an acceptance that every answer fits',
      { ...withFirst('authenticate', { accept: { status: 200 } }), whoami: [] },
      '/authenticate/0/accept',
      { expected: expect.stringContaining('the signature was changed'), change: expect.stringContaining('add "whoami"') },
    ],
    [
      'an acceptance that every registration fits',
      withFirst('register', { accept: { status: 200 } }),
      '/register/0/accept',
      {
        expected: 'a refusal, because the challenge was changed',
        change: expect.stringContaining('Compare this response with that of the registration before it'),
      },
    ],
    [
      'a witness that sees somebody everywhere',
      withFirst('whoami', { accept: { status: [200, 401] } }),
      '/whoami/0/accept',
      { change: expect.stringContaining('then describe in "accept" of whoami a response that only signed-in users get') },
    ],
    [
      'a server that fails where it must refuse',
      withFirst('register', { accept: { 'json verified': true }, refuse: { 'json message': '*' } }),
      '/register/0/accept',
      {
        expected: 'a refusal, because the challenge was changed',
        change: expect.stringContaining('describe the response in "refuse"'),
      },
    ],
    [
      'a user in a discoverable login',
      { ...GOOD, authenticationOptions: [{ request: 'POST /login/options', json: { username: '{user.name}' } }] },
      '/authenticationOptions/0/json',
      { expected: expect.stringContaining('options without allowCredentials'), change: expect.stringContaining('"unless": "named"') },
    ],
    [
      'a cleanup that finds nothing',
      { ...GOOD, cleanup: [{ request: 'DELETE /passkey/{registered.id}' }] },
      '/cleanup/0',
      { received: expect.stringContaining('404'), change: 'Correct this line: the test passkey is still on the server.' },
    ],
    [
      'a witness that never sees anybody',
      withFirst('whoami', { accept: { 'json user': '*' } }),
      '/whoami/0/accept',
      { received: expect.stringContaining('no user is signed in afterwards') },
    ],
    [
      'a variable that an earlier answer should have given',
      {
        ...withFirst('register', { json: { credential: { $: 'credential' }, state: '{state}' } }),
        registrationOptions: withFirst('registrationOptions', { take: { options: 'json data.options', state: 'json state' } })
          .registrationOptions,
      },
      '/registrationOptions/0/take/state',
      { expected: 'a value for {state}, which "register, POST /register" needs' },
    ],
  ];
  test.each(misfits)('names the line with %s', async (what, profile, pointer, says) => {
    const report = await probed(profile);
    const failed = report.steps.filter(({ status }) => status === 'failed');
    expect(failed.map(({ misfit }) => misfit?.pointer)).toEqual([pointer]);
    expect(failed[0]?.misfit).toMatchObject({ place: `plain.json (${pointer})`, ...says });
    expect(report).toMatchObject({ passed: false, answered: true });
    await expect(written({ ...report, steps: failed })).toMatchFileSnapshot(`probe/${what.replaceAll(' ', '-')}.txt`);
  });

  test('says how to build the options, where the server sends only a challenge', async () => {
    const server = await startChallengeServer();
    const registrationOptions = [{ request: 'POST /register/challenge', json: { email: '{user.email}' } }];
    const authenticationOptions = [{ request: 'GET /login/challenge' }];
    const report = await probed({ ...GOOD, registrationOptions, authenticationOptions }, { url: server.url, origin: server.url });
    await server.close();
    const misfits = report.steps.flatMap(({ misfit }) => (misfit ? [[misfit.pointer, misfit.change]] : []));
    expect(misfits).toEqual([
      [
        '/registrationOptions/0',
        expect.stringMatching(
          /"take": \{ "challenge": "json challenge" \}.*navigator\.credentials\.create: \{"value":\{"rp":\{"id":"\{rpId\}"/,
        ),
      ],
      ['/authenticationOptions/0', expect.stringMatching(/"text \| trim".*credentials\.get: \{"value":\{"challenge":"\{challenge\}"/)],
    ]);
  });

  test('remarks on what was not found, where nothing needs it', async () => {
    const report = await probed(withFirst('register', { take: { id: 'json passkey.id', state: 'json state' } }));
    expect(report.passed).toBe(true);
    expect(report.steps.flatMap(({ remarks }) => remarks)).toEqual([
      'The response contains no value for plain.json (/register/0/take/state).',
    ]);
  });

  test('remarks that whoami does not name the user', async () => {
    const report = await probed(withFirst('whoami', { take: { user: 'json user.name' } }));
    expect(report.passed).toBe(true);
    const remark = expect.stringContaining('The response to whoami contains no value for "user"');
    expect(report.steps.flatMap(({ remarks }) => remarks)).toEqual([remark, remark]);
  });

  test('names the origin where a browser refuses the options', async () => {
    const report = await probed(GOOD, { origin: 'http://shop.example.com' });
    expect(report.steps.find(({ misfit }) => misfit)).toMatchObject({
      status: 'failed',
      misfit: { pointer: '/registrationOptions/0/headers' },
    });
    const elsewhere = await probed(withFirst('registrationOptions', { headers: { origin: target.url } }), {
      origin: 'http://shop.example.com',
    });
    expect(elsewhere.steps.find(({ misfit }) => misfit)).toMatchObject({
      name: 'create the passkey',
      misfit: { pointer: '/origin', received: expect.stringContaining('SecurityError') },
    });
  });

  test('says that nobody answered', async () => {
    const gone = await startPlainServer();
    await gone.close();
    const report = await probed(GOOD, { url: gone.url, origin: gone.url });
    expect(report).toMatchObject({ passed: false, answered: false });
    expect(report.steps.at(-1)).toMatchObject({ misfit: { change: 'Check --url, and that the server is running.' } });
  });

  test('keeps passwords and tokens out of its report', async () => {
    const signUp = { request: 'POST /register/options', headers, json: { username: '{user.name}', password: '{user.password}' } };
    const report = await probed({ ...GOOD, account: [{ ...signUp, accept: { status: 201 } }] });
    const [exchange] = report.steps.flatMap(({ exchanges }) => exchanges);
    expect(exchange?.sent).toMatch(/"password":"…"/);
  });
});
