import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { asObject } from '../../src/kernel/json-value.js';
import { createCeremonies } from '../../src/testing/ceremonies.js';
import { startServer } from '../../src/testing/start-server.js';

const root = resolve(import.meta.dirname, '../..');

async function post(url: string, body: unknown, token?: string): Promise<{ status: number; json: Record<string, unknown> }> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  return { status: answer.status, json: asObject(await answer.json()) };
}

describe('startServer', () => {
  test('serves the API, with an account and a token for each user', async () => {
    await using server = await startServer({ users: ['ada@example.com', { email: 'bob@example.com', name: 'Bob', id: 41 }] });
    expect(server.owners['bob@example.com']).toMatchObject({ id: 41, name: 'Bob', type: 'User' });
    const api = `${server.url}/api/passkeys`;
    const ceremonies = createCeremonies({ origin: server.url });
    const token = server.tokens['ada@example.com'];
    const begun = await post(`${api}/register/options`, { app_name: 'App', app_url: server.url }, token);
    expect(begun).toMatchObject({ status: 200, json: { user: { name: 'ada@example.com' } } });
    const challenge = String(begun.json.challenge);
    const { response } = await ceremonies.registration({ ...begun.json, challenge });
    expect(await post(`${api}/register`, response, token)).toMatchObject({ status: 200, json: { passkey: { id: 1 } } });
    const login = await post(`${api}/login/options`, { app_url: server.url });
    const { response: assertion } = await ceremonies.authentication({ ...login.json, challenge: String(login.json.challenge) });
    expect(await post(`${api}/login`, assertion)).toMatchObject({ status: 200, json: { user: { email: 'ada@example.com' } } });
    expect(await server.relyingParty.list()).toHaveLength(1);
  });

  test('behaves as in development, with a policy of one’s own', async () => {
    await using server = await startServer({ policy: { userVerification: 'required' }, settings: { ownerType: 'Person' } });
    const state = await fetch(`${server.url}/dev/state`);
    expect(await state.json()).toMatchObject({
      mode: 'development',
      origin: server.url,
      policy: { userVerification: 'required', attestation: 'none' },
      ownerType: 'Person',
    });
    const answers = await Promise.all(
      Array.from({ length: 130 }, () => fetch(`${server.url}/api/passkeys/login/options`, { method: 'POST' })),
    );
    expect(answers.filter(({ status }) => status === 429)).toEqual([]);
  });

  test('limits requests of this machine in production alone', async () => {
    const twice = async (mode: 'development' | 'production') => {
      await using server = await startServer({ settings: { mode, rateLimit: 1 } });
      const ask = async () => (await post(`${server.url}/api/passkeys/login/options`, { app_url: server.url })).status;
      return [await ask(), await ask()];
    };
    expect([await twice('development'), await twice('production')]).toEqual([
      [200, 200],
      [200, 429],
    ]);
  });

  test('runs beside others, on a port of its own, with users and passkeys of its own', async () => {
    await using one = await startServer({ users: ['ada@example.com'] });
    await using other = await startServer({ users: ['ada@example.com'] });
    expect(one.url).not.toBe(other.url);
    const authorization = `Bearer ${one.tokens['ada@example.com']}`;
    expect((await fetch(`${one.url}/api/passkeys`, { headers: { authorization } })).status).toBe(200);
    expect((await fetch(`${other.url}/api/passkeys`, { headers: { authorization } })).status).toBe(401);
  });

  test('takes clock and challenges from the test', async () => {
    const challenge = new Uint8Array(32).fill(7);
    await using server = await startServer({ now: () => Date.UTC(2026, 0, 1), newChallenge: () => challenge });
    const { json } = await post(`${server.url}/api/passkeys/login/options`, { app_url: server.url });
    expect(json.challenge).toBe(Buffer.from(challenge).toString('base64url'));
  });

  test('has users with the members that are given, or those of a new one', async () => {
    const users = [
      'ada@example.com',
      { email: 'bob@example.com', name: 'Bob', id: 41, type: 'Customer' },
      { email: 'cyd@example.com', userHandle: 'random' },
    ] as const;
    const now = () => Date.UTC(2026, 0, 1);
    await using server = await startServer({ users, now, settings: { ownerType: 'Person' } });
    const made = { type: 'Person', userHandle: undefined, createdAt: now() };
    expect(server.owners).toEqual({
      'ada@example.com': { ...made, id: 1, email: 'ada@example.com', name: 'ada@example.com' },
      'bob@example.com': { ...made, id: 41, type: 'Customer', email: 'bob@example.com', name: 'Bob' },
      'cyd@example.com': { ...made, id: 2, email: 'cyd@example.com', name: 'cyd@example.com', userHandle: expect.any(Uint8Array) },
    });
    expect(server.owners['cyd@example.com'].userHandle).toHaveLength(32);
    expect(new Set(Object.values(server.tokens)).size).toBe(3);
    expect(Object.keys(server.tokens)).toEqual(Object.keys(server.owners));
  });

  test('accepts the pages of other origins if a test says so', async () => {
    await using server = await startServer({ settings: { origins: ['https://shop.example'] } });
    const begin = async (url: string) => await post(`${server.url}/api/passkeys/login/options`, { app_url: url });
    expect(await begin('https://other.example')).toMatchObject({ status: 403, json: { code: 'origin_not_allowed' } });
    expect(await begin('https://shop.example')).toMatchObject({ status: 200, json: { rpId: 'shop.example' } });
  });

  test('listens on the port that is given, unless it is taken', async () => {
    await using server = await startServer();
    const port = Number(new URL(server.url).port);
    expect(server.url).toBe(`http://localhost:${port}`);
    await expect(startServer({ port })).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringContaining(`${port}`),
    });
  });

  test('refuses users that cannot be', async () => {
    await expect(startServer({ users: ['ada@example.com', 'ada@example.com'] })).rejects.toMatchObject({ code: 'owner_already_exists' });
  });

  test('stops once, however often it is told, and refuses connections then', async () => {
    const server = await startServer();
    await fetch(`${server.url}/healthz`);
    await Promise.all([server.stop(), server.stop()]);
    await server.stop();
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow(TypeError);
  });

  test('lets the process end', async () => {
    const script = `import { startServer } from ${JSON.stringify(join(root, 'dist/testing.js'))};
      const server = await startServer({ users: ['ada@example.com'] });
      console.log((await fetch(server.url + '/healthz')).status);
      await server.stop();`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    expect(stdout).toBe('200\n');
  });
});
