import diagnostics from 'node:diagnostics_channel';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { simulate } from '../../src/simulate/simulate.js';

// How much work a run in process is, counted: its time depends on the machine.

/** What the servers of a run got, in order. */
let requests: string[] = [];
let servers = 0;
let connections = 0;

function onServer(message: unknown): void {
  servers += 1;
  // Fastify publishes its instances before anything is added to them.
  const { fastify } = message as { readonly fastify: { addHook(name: 'onRequest', hook: (request: Asked) => Promise<void>): void } };
  fastify.addHook('onRequest', async ({ method, url }) => void requests.push(`${method} ${url}`));
}

interface Asked {
  readonly method: string;
  readonly url: string;
}

const onConnection = () => {
  connections += 1;
};

beforeAll(() => {
  diagnostics.subscribe('fastify.initialization', onServer);
  diagnostics.subscribe('http.client.request.start', onConnection);
});
afterAll(() => {
  diagnostics.unsubscribe('fastify.initialization', onServer);
  diagnostics.unsubscribe('http.client.request.start', onConnection);
});
beforeEach(() => {
  [requests, servers, connections] = [[], 0, 0];
});

const run = (...ids: readonly string[]) => simulate({ fixtures: [], version: 'test', jobs: 1, select: { ids } });

describe('in process', () => {
  test('a login is one registration, one login and a look at who is signed in, without a connection', async () => {
    const { summary } = await run('login.signature-bit');
    expect(summary).toMatchObject({ total: 1, passed: 1 });
    expect(requests).toEqual([
      'POST /api/passkeys/register/options',
      'POST /api/passkeys/register',
      'POST /api/passkeys/verify/options',
      'POST /api/passkeys/login',
      'GET /api/session',
    ]);
    expect(connections).toBe(0);
  });

  test('one server serves all cases with its settings', async () => {
    const { summary } = await run('register.challenge-*');
    expect(summary.passed).toBeGreaterThan(20);
    expect(servers).toBe(1);
  });

  test('what is about HTTP goes over HTTP', async () => {
    await run('http.*');
    expect(connections).toBeGreaterThan(0);
  });
});
