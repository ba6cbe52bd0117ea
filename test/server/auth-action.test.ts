import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { loadAuthAction } from '../../src/cli/serve/auth-action.js';
import { runAuthAction, runningAuthAction } from '../../src/server/auth-action.js';
import { anyInput, writeAction } from './action-module.js';
import { collectLog, Service } from './app.js';

async function loginWith(source: string, log = collectLog()) {
  const authAction = await loadAuthAction(await writeAction(source), '/');
  const service = await Service.start({ settings: { authAction }, logger: log.logger });
  const { credentialId } = await service.register({ label: 'Phone' });
  return { service, log, reply: await service.login(credentialId) };
}

describe('a module as auth action', () => {
  test('an object is a 200 JSON body', async () => {
    const { service, reply } = await loginWith(`export default ({ passkey, owner }) => ({ passkey, owner, nested: [1, null] });`);
    await using _service = service;
    expect(reply.statusCode).toBe(200);
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(reply.json()).toEqual({
      passkey: { id: 1, label: 'Phone', credential_id: expect.any(String), created_at: '2026-01-15T10:30:00.000000Z' },
      owner: { id: 1, type: 'User', name: 'Ada Lovelace', email: 'ada@example.com' },
      nested: [1, null],
    });
    expect(reply.headers).not.toHaveProperty('set-cookie');
    expect(await service.store.listAccess({ kind: 'session' })).toEqual([]);
  });

  test('request is the Web type, with the body', async () => {
    const { service, reply } = await loginWith(`export default async ({ request }) => ({
      is: request instanceof Request, method: request.method, url: request.url, host: request.headers.get('host'), body: Object.keys(await request.json()),
    });`);
    await using _service = service;
    expect(reply.json()).toMatchObject({
      is: true,
      method: 'POST',
      url: 'http://localhost:7277/api/passkeys/login',
      body: expect.arrayContaining(['id', 'rawId', 'response', 'type']),
    });
  });

  test('a Response sets status, headers and cookies', async () => {
    const { service, reply } = await loginWith(`export default () => {
      const response = new Response('<p>Hello</p>', { status: 201, headers: { 'content-type': 'text/html', 'x-mine': 'yes' } });
      response.headers.append('set-cookie', 'a=1; Path=/; HttpOnly');
      response.headers.append('set-cookie', 'b=2; Expires=Wed, 21 Oct 2026 07:28:00 GMT');
      return response;
    };`);
    await using _service = service;
    expect([reply.statusCode, reply.body]).toEqual([201, '<p>Hello</p>']);
    expect(reply.headers).toMatchObject({
      'content-type': 'text/html',
      'x-mine': 'yes',
      'set-cookie': ['a=1; Path=/; HttpOnly', 'b=2; Expires=Wed, 21 Oct 2026 07:28:00 GMT'],
    });
    expect(reply.headers['x-request-id']).toBeDefined();
  });

  test.each([
    ['a redirect', `export default () => new Response(null, { status: 302, headers: { location: '/home' } })`, 302, ''],
    ['one without a body', `export default () => new Response(null, { status: 204 })`, 204, ''],
    ['Response.json', `export default async () => Response.json({ ok: true }, { status: 202 })`, 202, '{"ok":true}'],
    ['a refusal of its own', `export default () => new Response('locked', { status: 403 })`, 403, 'locked'],
    ['an array', `export default () => [1]`, 200, '[1]'],
  ])('%s', async (_what, source, status, body) => {
    const { service, reply } = await loginWith(source);
    await using _service = service;
    expect([reply.statusCode, reply.body]).toEqual([status, body]);
  });

  test.each([
    ['says how to authenticate', `export default () => new Response('', { status: 401 })`, 'Bearer realm="passkey"'],
    [
      'may say so itself',
      `export default () => new Response('', { status: 401, headers: { 'www-authenticate': 'Basic realm="mine"' } })`,
      'Basic realm="mine"',
    ],
  ])('a 401 of its own %s', async (_what, source, header) => {
    const { service, reply } = await loginWith(source);
    await using _service = service;
    expect([reply.statusCode, reply.headers['www-authenticate']]).toEqual([401, header]);
  });

  test.each([
    ['a throw', `export default () => { throw new Error('secret of the database'); }`, 'threw'],
    ['a rejection', `export default async () => { throw new Error('secret of the database'); }`, 'threw'],
    ['a throw of something else', `export default () => { throw 'secret of the database'; }`, 'threw'],
    ['nothing', `export default () => {}`, 'it returned undefined'],
    ['null', `export default () => null`, 'it returned null'],
    ['a string', `export default () => 'secret of the database'`, 'it returned string'],
    ['an Error', `export default () => new Error('secret of the database')`, 'it returned an Error'],
    ['an object that is not JSON', `export default () => { const o = {}; o.o = o; return o; }`, 'not JSON'],
    ['a header that cannot be sent', `export default () => new Response('', { headers: { 'x-a': 'secret\\u0001' } })`, 'x-a'],
    [
      'an answer that only looks like a Response',
      `export default () => ({ get [Symbol.toStringTag]() { return 'Response'; } })`,
      'returned a response that cannot be read: TypeError',
    ],
    [
      'an answer that throws when it is looked at',
      `export default () => ({ get [Symbol.toStringTag]() { throw new RangeError('secret'); } })`,
      'returned a response that cannot be read: RangeError',
    ],
    ['a throw of undefined', `export default () => { throw undefined; }`, 'threw: undefined'],
    ['a throw that cannot be written', `export default () => { throw Object.create(null); }`, 'threw: something of type object'],
    [
      'a body that fails',
      `export default () => new Response(new ReadableStream({ start(c) { c.error(new Error('secret of the database')); } }))`,
      'body',
    ],
    ['an object of more than 1 MiB', `export default () => ({ text: 'x'.repeat(2 ** 20) })`, 'returned a response of more than 1 MiB'],
    [
      'a stream without end',
      `export default () => new Response(new ReadableStream({ pull(c) { c.enqueue(new Uint8Array(2 ** 16)); } }))`,
      'returned a response of more than 1 MiB',
    ],
  ])('%s is a 500 that leaks nothing, and a log line', async (_what, source, message) => {
    const { service, log, reply } = await loginWith(source);
    await using _service = service;
    expect([reply.statusCode, reply.json().code]).toEqual([500, 'internal_error']);
    expect(reply.body).not.toContain('secret');
    expect(reply.body).not.toContain('action.mjs');
    const [line, ...more] = log.lines.filter(({ level }) => level === 50);
    expect(more).toEqual([]);
    expect(line).not.toHaveProperty('err');
    expect(line?.msg).toMatch(/^request failed: the auth action \S*action\.mjs /);
    expect(line?.msg).toContain(message);
  });

  test.each([
    ['never answers', () => new Promise(() => {})],
    ['never ends its answer', () => new Response(new ReadableStream())],
  ])('one that %s fails after 30 seconds', async (_what, run) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const answer = runAuthAction({ name: './mine.mjs', run }, anyInput());
    vi.advanceTimersByTime(30_000);
    await expect(answer).rejects.toMatchObject({
      code: 'internal_error',
      cause: { message: 'the auth action ./mine.mjs did not respond within 30 seconds' },
    });
  });

  test('what it throws is one line that names it; at debug the stack leads into the module', async () => {
    const { service, log } = await loginWith(`export default function act() { throw new TypeError('boom'); }`);
    await using _service = service;
    const lines = log.lines.filter(({ level, msg }) => level === 50 || msg === 'stack of the failure');
    const requestId = expect.any(String);
    expect(lines).toMatchObject([
      { level: 50, requestId, msg: expect.stringMatching(/^request failed: the auth action \S*action\.mjs threw: TypeError: boom$/) },
      { level: 20, requestId, err: { stack: expect.stringMatching(/TypeError: boom\n +at .*act .*action\.mjs:1/) } },
    ]);
  });

  test('what it starts is known to be its own, later on too', async () => {
    const path = await writeAction(`export default ({ passkey }) => {
      setTimeout(() => passkey.seen(), 1);
      return {};
    };`);
    const action = await loadAuthAction(path, '/');
    if (typeof action === 'string') throw new Error('expected a module');
    const seen = new Promise((resolve) => {
      const { passkey, ...input } = anyInput();
      void runAuthAction(action, { ...input, passkey: Object.assign(passkey, { seen: () => resolve(runningAuthAction()) }) });
    });
    expect(runningAuthAction()).toBeUndefined();
    expect(await seen).toBe(path);
  });

  const SEEN: unknown[] = [];
  const see = () => {
    SEEN.push(runningAuthAction());
  };
  const THEN = ['then'];
  const pull = (controller: ReadableStreamDefaultController) => {
    see();
    controller.close();
  };

  test.each([
    ['then', () => Object.fromEntries(THEN.map((name) => [name, (resolve: (answer: object) => void) => [see(), resolve({})]]))],
    [
      'toJSON',
      () => ({
        toJSON: () => {
          see();
          return {};
        },
      }),
    ],
    [
      'a getter',
      () => ({
        get token() {
          see();
          return '';
        },
      }),
    ],
    ['a stream', () => new Response(new ReadableStream({ pull }, { highWaterMark: 0 }))],
    [
      'an iterator',
      () =>
        new Response(
          ReadableStream.from(
            (async function* () {
              yield new Uint8Array(1);
              see();
            })(),
          ),
        ),
    ],
  ])('so is what %s of its answer starts', async (_what, run) => {
    SEEN.length = 0;
    await using service = await Service.start({ settings: { authAction: { name: 'mine', run } } });
    const { credentialId } = await service.register();
    expect((await service.login(credentialId)).statusCode).toBe(200);
    expect(SEEN).toEqual(['mine']);
  });
});
