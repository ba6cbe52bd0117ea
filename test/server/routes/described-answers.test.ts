import type { LightMyRequestResponse } from 'fastify';
import { afterAll, describe, expect, test } from 'vitest';
import { Service } from '../app.js';

interface Operation {
  readonly path: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly secured: boolean;
  readonly responses: Readonly<Record<string, { readonly content?: object; readonly headers?: object }>>;
}

async function operations(service: Service): Promise<Operation[]> {
  const { paths } = (await service.inject({ url: '/openapi.json' })).json();
  return Object.entries(paths as Record<string, Record<string, { security?: unknown; responses: Operation['responses'] }>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, { security, responses }]) => ({
        path,
        method: method.toUpperCase() as Operation['method'],
        secured: security !== undefined,
        responses,
      })),
  );
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** What anybody can send to any route, whatever it is for. */
const SITUATIONS: Readonly<Record<string, { readonly headers?: Record<string, string>; readonly payload?: string }>> = {
  'nothing more': {},
  'an empty object': { headers: JSON_TYPE, payload: '{}' },
  'malformed JSON': { headers: JSON_TYPE, payload: '{' },
  'a body that is no object': { headers: JSON_TYPE, payload: '[1]' },
  'a body of another type': { headers: { 'content-type': 'text/plain' }, payload: 'hello' },
  'a coded body': { headers: { ...JSON_TYPE, 'content-encoding': 'gzip' }, payload: '{}' },
  'a body over the limit': { headers: JSON_TYPE, payload: JSON.stringify({ x: 'x'.repeat(100_000) }) },
  'another host': { headers: { host: 'evil.test' } },
  'an origin of another site': { headers: { origin: 'https://evil.test' } },
  'an expectation': { headers: { expect: 'tea' } },
};

describe.each(['development', 'production'] as const)('in %s, every answer is one that /openapi.json describes', (mode) => {
  const seen = new Map<string, Set<number>>();

  function check({ path, method, responses }: Operation, reply: LightMyRequestResponse): void {
    const described = responses[reply.statusCode];
    const name = `${method} ${path}`;
    expect(described, `${name} answered ${reply.statusCode} ${reply.body}`).toBeDefined();
    const [type] = String(reply.headers['content-type'] ?? '').split(';');
    expect(Object.keys(described?.content ?? { '': true }), `${name} ${reply.statusCode}`).toContain(type);
    for (const field of Object.keys(described?.headers ?? {})) expect(reply.headers).toHaveProperty(field.toLowerCase());
    seen.set(name, (seen.get(name) ?? new Set()).add(reply.statusCode));
  }

  test.each(Object.entries(SITUATIONS))('to %s', async (_what, { headers = {}, payload }) => {
    await using service = await Service.start({ settings: { mode, rateLimit: undefined, allowedHosts: ['localhost'] } });
    const { passkey } = await service.register();
    const signedIn = await service.accounts.createSession({ owner: service.owner, expiresAt: service.clock.now + 1_000_000 });
    const sessionCookie = { cookie: `passkey_session${mode === 'production' ? '' : '_7277'}=${signedIn.secret}` };
    for (const operation of await operations(service)) {
      const credentials = operation.secured
        ? [{}, sessionCookie, { authorization: `Bearer ${service.token}` }, { authorization: 'Basic x' }]
        : [{}];
      for (const id of operation.path.includes('{id}') ? ['99', String(passkey.id), 'x'] : ['']) {
        for (const credential of credentials) {
          const reply = await service.inject({
            method: operation.method,
            url: operation.path.replace('{id}', id),
            headers: { ...credential, ...headers },
            ...(payload === undefined ? {} : { payload }),
          });
          check(operation, reply);
        }
      }
    }
  });

  test('to one request too many', async () => {
    await using service = await Service.start({ settings: { mode, rateLimit: 1 } });
    for (const operation of await operations(service)) {
      for (let index = 0; index < 32; index++) {
        const authorization = operation.secured ? { authorization: `Bearer ${service.token}` } : {};
        check(
          operation,
          await service.inject({
            method: operation.method,
            url: operation.path.replace('{id}', '9'),
            headers: authorization,
            remoteAddress: '203.0.113.7',
          }),
        );
      }
    }
  });

  // All situations, in whatever order, have met many of them.
  afterAll(() => {
    const statuses = [...(seen.get('DELETE /api/passkeys/{id}') ?? [])].sort((a, b) => a - b);
    expect(statuses).toEqual([204, 400, 401, 403, 404, 413, 415, 417]);
    expect([...(seen.get('POST /api/passkeys/register') ?? [])].sort((a, b) => a - b)).toEqual([
      400,
      401,
      403,
      413,
      415,
      417,
      422,
      ...(mode === 'production' ? [429] : []),
    ]);
  });
});
