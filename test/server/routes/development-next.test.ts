import { describe, expect } from 'vitest';
import { APP_ORIGIN, APP_URL, Service } from '../app.js';
import { test } from '../service-test.js';
import { list } from '../stream/read.js';

const local = { token: null };
const script = async (service: Service, body: object) => await service.post('/dev/next', body, local);

const LOGIN = '/api/passkeys/login';

describe('POST /dev/next', () => {
  test('scripts the answers of an operation in order, and then the server answers by itself again', async ({ service }) => {
    const html = '<h1>Bad gateway</h1>';
    expect((await script(service, { on: 'login', status: 502, headers: { 'Content-Type': 'text/html' }, body: html })).statusCode).toBe(
      204,
    );
    await script(service, { on: 'login', status: 429, headers: { 'retry-after': '7', 'set-cookie': ['a=1', 'b=2'] }, body: { wait: 7 } });
    await script(service, { on: 'login' });
    const first = await service.post(LOGIN, {}, local);
    expect([first.statusCode, first.headers['content-type'], first.body]).toEqual([502, 'text/html', html]);
    const second = await service.post(LOGIN, {}, local);
    expect([second.statusCode, second.headers['content-type'], second.json()]).toEqual([
      429,
      'application/json; charset=utf-8',
      { wait: 7 },
    ]);
    expect(second.headers).toMatchObject({ 'retry-after': '7', 'set-cookie': ['a=1', 'b=2'] });
    const third = await service.post(LOGIN, {}, local);
    expect([third.statusCode, third.body]).toEqual([200, '']);
    expect((await service.post(LOGIN, {}, local)).json()).toMatchObject({ status: 422, code: 'validation_failed' });
  });

  test('leaves the challenge and other operations as they are, and asks for no token', async ({ service }) => {
    await script(service, { on: 'register', status: 500, body: 'down' });
    const response = await service.attest();
    expect((await service.post('/api/passkeys/register', response, local)).body).toBe('down');
    expect((await service.post('/api/passkeys/register', response)).statusCode).toBe(200);
  });

  test.for([
    ['registerOptions', 'POST', '/api/passkeys/register/options'],
    ['loginOptions', 'POST', '/api/passkeys/login/options'],
    ['verifyOptions', 'POST', '/api/passkeys/verify/options'],
    ['verify', 'POST', '/api/passkeys/verify'],
    ['listPasskeys', 'GET', '/api/passkeys'],
    ['renamePasskey', 'PATCH', '/api/passkeys/3'],
    ['revokePasskey', 'DELETE', '/api/passkeys/3'],
    ['getSession', 'GET', '/api/session'],
    ['logOut', 'DELETE', '/api/session'],
    ['health', 'GET', '/healthz'],
  ] as const)('scripts %s', async ([on, method, url], { service }) => {
    await script(service, { on, status: 418, body: [on] });
    const answer = await service.inject({ method, url });
    expect([answer.statusCode, answer.json()]).toEqual([418, [on]]);
  });

  test('can be read by a page of another origin that the server is for', async () => {
    await using service = await Service.start({ settings: { origins: [APP_ORIGIN] } });
    await script(service, { on: 'loginOptions', status: 503 });
    const answer = await service.post('/api/passkeys/login/options', { app_url: APP_URL }, { ...local, headers: { origin: APP_ORIGIN } });
    expect([answer.statusCode, answer.headers['access-control-allow-origin']]).toEqual([503, APP_ORIGIN]);
  });

  test('has an entry of the stream for each use', async ({ service }) => {
    await script(service, { on: 'login', status: 503 });
    await script(service, { on: 'login', status: 200, body: { user: null } });
    expect(await list(service)).toEqual([]);
    await service.post(LOGIN, {}, { ...local, headers: { origin: 'https://elsewhere.example', 'user-agent': 'Shop/2' } });
    await service.post(LOGIN, {}, local);
    const message = 'POST /dev/next scripted this answer.';
    const [second, first, ...none] = await list(service);
    expect(none).toEqual([]);
    expect(first).toMatchObject({ kind: 'request', state: 'scripted', status: 503, via: `POST ${LOGIN}`, message, user_agent: 'Shop/2' });
    expect(second).toMatchObject({ kind: 'request', state: 'scripted', status: 200, via: `POST ${LOGIN}`, message });
  });

  test('lists and forgets what waits', async ({ service }) => {
    await script(service, { on: 'verify', status: 400, body: 'no' });
    await script(service, { on: 'logOut' });
    const waiting = async () => (await service.inject({ url: '/dev/next' })).json().answers;
    expect(await waiting()).toEqual([
      { on: 'verify', status: 400, headers: {}, body: 'no', delay: 0 },
      { on: 'logOut', status: 200, headers: {}, delay: 0 },
    ]);
    expect((await service.inject({ method: 'DELETE', url: '/dev/next' })).statusCode).toBe(204);
    expect(await waiting()).toEqual([]);
    expect((await service.inject({ method: 'DELETE', url: '/api/session' })).statusCode).toBe(401);
  });

  test.for([
    [{}, '/on', 'is missing'],
    [{ on: 'Login' }, '/on', 'must be one of'],
    [{ on: 'login', status: 199 }, '/status', '199'],
    [{ on: 'login', status: 600 }, '/status', '600'],
    [{ on: 'login', status: '503' }, '/status', 'must be an integer'],
    [{ on: 'login', delay: -1 }, '/delay', '-1'],
    [{ on: 'login', delay: 60_001 }, '/delay', '60'],
    [{ on: 'login', after: 5 }, '/after', ''],
    [{ on: 'login', headers: { 'x-count': 5 } }, '/headers/x-count', ''],
    [{ on: 'login', headers: { 'x count': '5' } }, '/headers/x count', 'must have the name of a header field'],
    [{ on: 'login', headers: { 'x/count': 'a\nb' } }, '/headers/x~1count', 'must have the name of a header field'],
    [{ on: 'login', headers: { 'x-count': 'a\r\nSet-Cookie: b=1' } }, '/headers/x-count', 'without line breaks'],
    [{ on: 'login', headers: { 'x-count': ['a', 'b\n'] } }, '/headers/x-count', 'without line breaks'],
    [{ on: 'login', headers: { 'Content-Length': '5' } }, '/headers/Content-Length', 'must be left out'],
    [{ on: 'login', headers: { trailer: 'x-end' } }, '/headers/trailer', 'must be left out'],
    [{ on: 'login', status: 204, body: '' }, '/body', 'a response with status 204 has none'],
    [{ on: 'login', status: 304, body: null }, '/body', 'a response with status 304 has none'],
  ] as const)('refuses %j', async ([body, pointer, detail], { service }) => {
    const refused = (await script(service, body)).json();
    expect(refused).toMatchObject({ status: 422, code: 'validation_failed', errors: [{ pointer }] });
    expect(refused.errors[0].detail).toContain(detail);
  });

  test('names the operations, and what to do where too many answers wait', async ({ service }) => {
    expect((await script(service, { on: 'signIn' })).json().errors[0].detail).toContain('loginOptions');
    for (let count = 0; count < 100; count += 1) expect((await script(service, { on: 'login' })).statusCode).toBe(204);
    const refused = (await script(service, { on: 'login' })).json();
    expect(refused).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '' }] });
    expect(refused.detail).toContain('DELETE /dev/next removes them');
  });

  test('waits before it answers, but not where the server closes', async () => {
    const service = await Service.start();
    await script(service, { on: 'health', status: 500, delay: 60_000 });
    await script(service, { on: 'health', status: 501, delay: 1 });
    const slow = service.inject({ url: '/healthz' });
    expect((await service.inject({ url: '/healthz' })).statusCode).toBe(501);
    await service.app.close();
    expect((await slow).statusCode).toBe(500);
  });

  test('is for a local program only, and not there in production', async ({ service }) => {
    const body = { on: 'login', status: 500 };
    const elsewhere = { method: 'POST', url: '/dev/next', remoteAddress: '192.0.2.7', payload: body } as const;
    const authorization = `Bearer ${service.token}`;
    expect((await service.inject({ ...elsewhere, headers: { authorization } })).json()).toMatchObject({ code: 'development_only' });
    const foreign = await service.post('/dev/next', body, { headers: { origin: 'https://elsewhere.example' } });
    expect(foreign.json()).toMatchObject({ code: 'origin_not_allowed' });
    await using production = await Service.start({ settings: { mode: 'production' } });
    for (const method of ['POST', 'GET', 'DELETE'] as const) {
      const missing = await production.inject({ method, url: '/dev/next', headers: { authorization: `Bearer ${production.token}` } });
      expect(missing.json()).toMatchObject({ status: 404, code: 'route_not_found' });
    }
  });
});
