import { Readable } from 'node:stream';
import { fastify } from 'fastify';
import { describe, expect } from 'vitest';
import { boundBodies } from '../../src/server/body.js';
import { encodeBase64url } from '../../src/webauthn/base64url.js';
import { APP_URL, Service } from './app.js';
import { test } from './service-test.js';

const OPTIONS = '/api/passkeys/register/options';
const GOOD = JSON.stringify({ app_name: 'A', app_url: APP_URL });

/** A POST with the token of the user. */
const send = (service: Service, type: string | undefined, payload: string | Buffer | Readable, headers: Record<string, string> = {}) =>
  service.inject({
    method: 'POST',
    url: OPTIONS,
    headers: { authorization: `Bearer ${service.token}`, ...(type !== undefined && { 'content-type': type }), ...headers },
    payload,
  });

describe('content type', () => {
  test.for(['application/json', 'application/json; charset=utf-8', 'Application/JSON', 'application/json;charset=UTF-8'])(
    '%s is taken',
    async (type, { service }) => {
      expect((await send(service, type, GOOD)).statusCode).toBe(200);
    },
  );

  test.for([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/problem+json',
    'text/json',
    'nonsense',
    '',
    undefined,
  ])('%s is a 415', async (type, { service }) => {
    const reply = await send(service, type, Readable.from([GOOD]), { 'transfer-encoding': 'chunked' });
    expect([reply.statusCode, reply.json().code]).toEqual([415, 'unsupported_media_type']);
  });

  test.each(['gzip', 'br', 'GZIP', 'identity, gzip', 'nonsense'])(
    'a body with Content-Encoding: %s is a 415 that says what is taken',
    async (coding) => {
      await using service = await Service.start();
      const reply = await service.post(OPTIONS, JSON.parse(GOOD), { headers: { 'content-encoding': coding } });
      expect(reply.json()).toMatchObject({
        status: 415,
        code: 'unsupported_media_type',
        detail: `Expected a body without content coding; got Content-Encoding: ${coding}. Send it uncompressed.`,
      });
      expect(reply.headers['accept-encoding']).toBe('identity');
      const none = await service.post('/api/passkeys/login/options', undefined, { token: null, headers: { 'content-encoding': coding } });
      expect(none.statusCode).toBe(200);
    },
  );

  test.for(['identity', 'Identity', ''])('Content-Encoding: %s is none', async (coding, { service }) => {
    const reply = await service.post(OPTIONS, JSON.parse(GOOD), { headers: { 'content-encoding': coding } });
    expect(reply.statusCode).toBe(200);
  });

  test.each(['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'nonsense', undefined])(
    'an empty body of type %s counts as none',
    async (type) => {
      await using service = await Service.start();
      const headers = type === undefined ? {} : { 'content-type': type };
      for (const payload of [undefined, '', Readable.from([])]) {
        const none = await service.inject({
          method: 'POST',
          url: '/api/passkeys/login/options',
          headers,
          ...(payload === undefined ? {} : { payload }),
        });
        expect(none.statusCode).toBe(200);
      }
      const needed = await service.inject({ method: 'POST', url: '/api/passkeys/verify/options', headers });
      expect(needed.statusCode).toBe(422);
      expect(needed.json().errors).toEqual([{ pointer: '/credential_id', detail: 'is missing' }]);
      const gone = await service.inject({
        method: 'DELETE',
        url: '/api/passkeys/5',
        headers: { ...headers, authorization: `Bearer ${service.token}` },
      });
      expect(gone.statusCode).toBe(404);
    },
  );
});

describe('malformed JSON is a 400', () => {
  test.for<[string, string | Buffer, string]>([
    ['a lone brace', '{', 'line 1, column 2'],
    ['text', 'hello', 'line 1, column 1'],
    ['single quotes', "{\n'a':1}", 'line 2, column 1'],
    ['white space', '  ', 'line 1, column 3'],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'not valid UTF-8'],
    ['a trailing comma', '{"app_name":"A",}', 'line 1, column 17'],
    ['a byte order mark and nothing behind it', '\uFEFF', 'line 1, column'],
  ])('%s', async ([, payload, place], { service }) => {
    const reply = await send(service, 'application/json', payload);
    expect([reply.statusCode, reply.json().code]).toEqual([400, 'malformed_json']);
    expect(reply.json().detail).toContain(place);
  });

  test.for(['"__proto__":{"x":1}', '"constructor":{"prototype":{"x":1}}', '"a":{"__proto__":null}'])(
    '%s is a further member like any other',
    async (member, { service }) => {
      expect((await send(service, 'application/json', `{${member},${GOOD.slice(1)}`)).statusCode).toBe(200);
    },
  );

  test('a byte order mark is none', async ({ service }) => {
    expect((await send(service, 'application/json', `\uFEFF${GOOD}`)).statusCode).toBe(200);
  });
});

describe('size', () => {
  const bodyOf = (bytes: number) => {
    const frame = JSON.stringify({ credential_id: '', x: '' }).length;
    return JSON.stringify({ credential_id: '', x: 'a'.repeat(bytes - frame) });
  };
  const verify = (service: Service, payload: string | Readable) =>
    service.inject({ method: 'POST', url: '/api/passkeys/verify/options', headers: { 'content-type': 'application/json' }, payload });

  test('64 KiB are taken and one byte more is a 413, with and without Content-Length', async ({ service }) => {
    expect((await verify(service, bodyOf(65_536))).statusCode).toBe(404);
    for (const payload of [bodyOf(65_537), Readable.from([bodyOf(65_537)])]) {
      const reply = await verify(service, payload);
      expect([reply.statusCode, reply.json().code]).toEqual([413, 'payload_too_large']);
    }
  });

  test('the limit is a setting', async () => {
    await using service = await Service.start({ settings: { bodyLimit: 1000 } });
    expect((await verify(service, bodyOf(1000))).statusCode).toBe(404);
    expect((await verify(service, bodyOf(1001))).statusCode).toBe(413);
  });
});

describe('order of checks', () => {
  const big = 'x'.repeat(70_000);

  test('401 before everything that the body could do', async ({ service }) => {
    for (const [type, payload] of [
      ['text/plain', 'x'],
      ['application/json', big],
      ['application/json', '{'],
      ['application/json', '{}'],
    ] as const) {
      const reply = await service.inject({ method: 'POST', url: '/api/passkeys/register', headers: { 'content-type': type }, payload });
      expect([reply.statusCode, reply.json().code]).toEqual([401, 'unauthenticated']);
    }
  });

  test('a content coding: after 401, before 413', async ({ service }) => {
    const headers = { 'content-encoding': 'gzip' };
    const large = { app_name: 'x'.repeat(100_000) };
    expect((await service.post(OPTIONS, large, { token: null, headers })).statusCode).toBe(401);
    expect((await service.post(OPTIONS, large, { headers })).statusCode).toBe(415);
  });

  test('415 before 413, 413 before 400', async ({ service }) => {
    expect((await send(service, 'text/plain', big)).statusCode).toBe(415);
    expect((await send(service, 'application/json', big)).statusCode).toBe(413);
  });

  test('422 of the shape, then 404, then 422 of rawId, then the challenge', async ({ service }) => {
    const { credentialId } = await service.register();
    const unknown = encodeBase64url(new Uint8Array(32));
    const wrongChallenge = encodeBase64url(
      new TextEncoder().encode('{"type":"webauthn.get","challenge":"AAAA","origin":"https://app.example.com"}'),
    );
    const response = { clientDataJSON: wrongChallenge, authenticatorData: 'AAAA', signature: 'AAAA' };
    const verify = async (body: unknown) => {
      const reply = await service.post('/api/passkeys/verify', body, { token: null });
      return [reply.statusCode, reply.json().code];
    };
    const type = 'public-key';
    expect(await verify({ id: unknown, rawId: 'AAAA', type, response: { ...response, signature: '*' } })).toEqual([
      422,
      'validation_failed',
    ]);
    expect(await verify({ id: unknown, rawId: 'AAAA', type, response })).toEqual([404, 'passkey_not_found']);
    expect(await verify({ id: credentialId, rawId: 'AAAA', type, response })).toEqual([422, 'validation_failed']);
    expect(await verify({ id: credentialId, rawId: credentialId, type, response })).toEqual([401, 'challenge_unknown']);
  });
});

describe('encodings of binary input', () => {
  const response = { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA', userHandle: 'AAAA', attestationObject: 'AAAA' };
  const body = { id: 'AAAA', rawId: 'AAAA', type: 'public-key', response };
  const withMember = (pointer: string, value: unknown) => {
    const [, first = '', second] = pointer.split('/');
    return second === undefined ? { ...body, [first]: value } : { ...body, response: { ...response, [second]: value } };
  };

  test.each([
    ['/api/passkeys/register', ['/id', '/rawId', '/response/clientDataJSON', '/response/attestationObject']],
    [
      '/api/passkeys/verify',
      ['/id', '/rawId', '/response/clientDataJSON', '/response/authenticatorData', '/response/signature', '/response/userHandle'],
    ],
    [
      '/api/passkeys/login',
      ['/id', '/rawId', '/response/clientDataJSON', '/response/authenticatorData', '/response/signature', '/response/userHandle'],
    ],
  ])('%s names the field that is in neither alphabet, missing or of another type', async (url, pointers) => {
    await using service = await Service.start();
    for (const pointer of pointers) {
      for (const value of ['A*AA', 'AAA\n', 'AA A', 'AA=A', 'ä', 5, [], {}, true]) {
        const reply = await service.post(url, withMember(pointer, value));
        expect(reply.statusCode).toBe(422);
        expect(reply.json()).toMatchObject({ code: 'validation_failed', errors: [{ pointer }] });
        expect(reply.json().errors).toHaveLength(1);
      }
      if (pointer !== '/response/userHandle') {
        const missing = await service.post(url, withMember(pointer, undefined));
        expect(missing.json()).toMatchObject({ status: 422, errors: [{ pointer, detail: 'is missing' }] });
        expect((await service.post(url, withMember(pointer, null))).json()).toMatchObject({ status: 422, errors: [{ pointer }] });
      }
    }
  });

  test('every wrong field is named at once', async ({ service }) => {
    const reply = await service.post('/api/passkeys/register', {
      label: 7,
      id: '!',
      type: 'password',
      response: { clientDataJSON: null, transports: ['usb', 5] },
      authenticatorAttachment: 1,
      clientExtensionResults: 'none',
    });
    expect(
      reply
        .json()
        .errors.map(({ pointer }: { pointer: string }) => pointer)
        .sort(),
    ).toEqual([
      '/authenticatorAttachment',
      '/clientExtensionResults',
      '/id',
      '/label',
      '/rawId',
      '/response/attestationObject',
      '/response/clientDataJSON',
      '/response/transports/1',
      '/type',
    ]);
  });

  test.each([
    ['type', 'password', '/type'],
    ['response', 'AAAA', '/response'],
    ['response', null, '/response'],
    ['label', 'x'.repeat(256), '/label'],
  ])('%s: %j is a 422', async (name, value, pointer) => {
    await using service = await Service.start();
    const reply = await service.post('/api/passkeys/register', { ...body, [name]: value });
    expect(reply.json()).toMatchObject({ status: 422, code: 'validation_failed', errors: [{ pointer }] });
  });

  test('an answer never repeats the value that it refuses', async ({ service }) => {
    const secret = 'pk_secret value!';
    const reply = await service.post('/api/passkeys/verify/options', { credential_id: secret }, { token: null });
    expect(reply.statusCode).toBe(422);
    expect(reply.body).not.toContain('secret');
  });
});

test('bodies that are held at once are bounded: one more is a 503 until others are answered', async () => {
  const app = fastify({ bodyLimit: 1000, logger: false });
  boundBodies(app, 250);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  app.post('/', async () => {
    await released;
    return 'done';
  });
  const send = (length: number) =>
    app.inject({
      method: 'POST',
      url: '/',
      payload: JSON.stringify('x'.repeat(length - 2)),
      headers: { 'content-type': 'application/json' },
    });
  // Sent when it is waited for.
  app.get('/', async () => 'page');
  const first = [send(100), send(120)].map(async (reply) => await reply);
  const refused = await send(40);
  expect([refused.statusCode, refused.json().code]).toEqual([503, 'overloaded']);
  // One without a body holds none.
  expect((await app.inject('/')).body).toBe('page');
  release();
  expect((await Promise.all(first)).map(({ body }) => body)).toEqual(['done', 'done']);
  // One alone is never refused.
  expect((await send(400)).body).toBe('done');
  await app.close();
});
