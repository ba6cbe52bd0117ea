import { describe, expect, test } from 'vitest';
import { PasskeyError } from '../../../src/errors.js';
import { collectLog, Service } from '../app.js';

interface Operation {
  operationId: string;
  summary: string;
  security?: Record<string, string[]>[];
  requestBody?: { required: boolean; content: Record<string, { schema: { properties: Record<string, unknown>; required?: string[] } }> };
  responses: Record<string, { description: string; headers?: Record<string, unknown>; content?: Record<string, { schema: unknown }> }>;
}

interface Document {
  openapi: string;
  info: { title: string; version: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown>; securitySchemes: Record<string, unknown> };
}

async function documentOf(settings = {}): Promise<Document> {
  await using service = await Service.start({ settings });
  const reply = await service.inject({ url: '/openapi.json' });
  expect(reply.statusCode).toBe(200);
  expect(reply.headers['content-type']).toMatch(/^application\/json/);
  return reply.json();
}

test('is OpenAPI 3.1 with the version of the package', async () => {
  const document = await documentOf();
  expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '1.2.3' }, servers: [{ url: 'http://localhost:7277' }] });
});

test('describes every endpoint and nothing of /dev or the page', async () => {
  const { paths } = await documentOf();
  const operations = Object.entries(paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`));
  expect(operations.sort()).toEqual([
    'delete /api/passkeys/{id}',
    'delete /api/session',
    'get /api/passkeys',
    'get /api/session',
    'get /healthz',
    'patch /api/passkeys/{id}',
    'post /api/passkeys/login',
    'post /api/passkeys/login/options',
    'post /api/passkeys/register',
    'post /api/passkeys/register/options',
    'post /api/passkeys/verify',
    'post /api/passkeys/verify/options',
  ]);
});

test('is the same in production', async () => {
  expect((await documentOf({ mode: 'production' })).paths).toEqual((await documentOf()).paths);
});

describe('every operation', () => {
  test('has a name, a summary, and problem documents for what can go wrong', async () => {
    const { paths, components } = await documentOf();
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    for (const { summary, responses, requestBody, security } of operations) {
      expect(summary).not.toBe('');
      const problems = Object.entries(responses).filter(([status]) => Number(status) >= 400);
      const statuses = problems.map(([status]) => Number(status));
      expect(statuses).toEqual(expect.arrayContaining([400, 403, 408, 417, 431, 500, 503]));
      if (requestBody !== undefined) expect(statuses).toEqual(expect.arrayContaining([400, 413, 415, 422]));
      if (security !== undefined) expect(statuses).toContain(401);
      for (const [status, { content, description, headers }] of problems) {
        expect(description).not.toBe('');
        expect(content).toEqual({ 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } });
        expect(headers !== undefined).toBe(status === '401' || status === '429');
      }
    }
    expect(components.schemas.Problem).toMatchObject({ type: 'object', required: ['type', 'title', 'status', 'code', 'request_id'] });
  });

  test('says who may use it', async () => {
    const { paths, components } = await documentOf();
    expect(Object.keys(components.securitySchemes)).toEqual(['bearer', 'session']);
    const securityOf = (method: string, path: string) => paths[path]?.[method]?.security;
    expect(securityOf('post', '/api/passkeys/register')).toEqual([{ bearer: [] }]);
    expect(securityOf('patch', '/api/passkeys/{id}')).toEqual([{ bearer: [] }, { session: [] }]);
    expect(securityOf('get', '/api/session')).toEqual([{ bearer: [] }, { session: [] }]);
    expect(securityOf('delete', '/api/session')).toEqual([{ session: [] }]);
    expect(securityOf('post', '/api/passkeys/login')).toBeUndefined();
  });
});

test('says which bodies may be left out', async () => {
  const { paths } = await documentOf();
  expect(paths['/api/passkeys/login/options']?.post?.requestBody?.required).toBe(false);
  expect(paths['/api/passkeys/login']?.post?.requestBody?.required).toBe(true);
});

test('a body that a schema describes is what the validator takes: same members, same requirements', async () => {
  const { paths } = await documentOf();
  await using service = await Service.start();
  for (const [path, { post }] of Object.entries(paths)) {
    const schema = post?.requestBody?.content['application/json']?.schema;
    if (schema?.required !== undefined) {
      const reply = await service.post(path, {});
      expect(reply.statusCode).toBe(422);
      expect(reply.json().errors.map(({ pointer }: { pointer: string }) => pointer.slice(1))).toEqual(schema.required);
    }
  }
});

test('GET /healthz is 200 while the store can be read', async () => {
  await using service = await Service.start({ settings: { mode: 'production' } });
  const reply = await service.inject({ url: '/healthz' });
  expect([reply.statusCode, reply.json()]).toEqual([200, { status: 'ok' }]);
  expect((await service.inject({ method: 'HEAD', url: '/healthz' })).statusCode).toBe(200);
});

test('and 503 when it cannot, without saying where it is', async () => {
  await using service = await Service.start({
    store: (store) => ({
      ...store,
      check: () => Promise.reject(new PasskeyError('store_damaged', '/secret/place.json is damaged at line 3')),
    }),
  });
  const reply = await service.inject({ url: '/healthz' });
  expect([reply.statusCode, reply.json().code]).toEqual([503, 'store_unavailable']);
  expect(reply.body).not.toContain('/secret/place');
});

test.each(['store_damaged', 'store_absent', 'store_unavailable'] as const)(
  'whatever is wrong with the store (%s) is the one code of a 503',
  async (code) => {
    const log = collectLog();
    await using service = await Service.start({
      store: (store) => ({ ...store, findPasskeyByCredentialId: () => Promise.reject(new PasskeyError(code, 'what is wrong with it')) }),
      logger: log.logger,
    });
    const reply = await service.post('/api/passkeys/verify/options', { credential_id: 'AAAA' }, { token: null });
    expect([reply.statusCode, reply.json().code, reply.json().detail]).toEqual([503, 'store_unavailable', 'what is wrong with it']);
    expect(JSON.stringify(log.lines)).toContain(`"code":"${code}"`);
  },
);
