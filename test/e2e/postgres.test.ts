import { expect, onTestFinished } from 'vitest';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import { createClient } from '../../src/client/client.js';
import { openDatabase } from '../../src/store/postgres/database.js';
import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '../../src/webauthn/json.js';
import { tempFolder } from '../cli/temp-folder.js';
import { HAS_POSTGRES, postgresServer } from '../store/postgres-server.js';
import { message, proxyTo, READY_AND_GONE, refusal, scriptedPostgres } from '../store/scripted-postgres.js';
import { quick as test, thorough } from '../thorough.js';
import { passkey, serve } from './passkey-process.js';

const ORIGIN = 'https://shop.example.org';

/** `T` is what the API answers with to such a request. */
async function post<T = { readonly code?: string }>(url: string, path: string, body: object, token?: string) {
  const headers = { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) };
  const response = await fetch(`${url}/api/passkeys/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const json: T = JSON.parse(await response.text());
  return { status: response.status, json };
}

/** Two processes on one database, a user with a token, and a passkey of hers. */
async function cluster() {
  const cwd = await tempFolder();
  const store = await (await postgresServer()).newDatabase();
  const servers = await Promise.all([1, 2].map(() => serve(['--store', store], { cwd })));
  await passkey(['user', 'add', '--email', 'ada@example.com', '--name', 'Ada', '--store', store], { cwd });
  const token = (await passkey(['token', 'create', '--user', 'ada@example.com', '--store', store], { cwd })).stdout.trim();
  const [a, b] = servers.map(({ url }) => url);
  if (a === undefined || b === undefined) throw new TypeError('Expected two servers.');
  const client = createClient({
    authenticator: createAuthenticator({ signCount: { kind: 'per-credential', start: 1, step: 1 } }),
    origin: ORIGIN,
  });
  const { json: options } = await post<PublicKeyCredentialCreationOptionsJSON>(
    a,
    'register/options',
    { app_name: 'Shop', app_url: ORIGIN },
    token,
  );
  const created = await client.create({ publicKey: options });
  const registered = await post<{ readonly passkey: { readonly id: number } }>(b, 'register', { ...created }, token);
  expect(registered.status).toBe(200);
  const login = async (begin: string, end: string) => {
    const { json: publicKey } = await post<PublicKeyCredentialRequestOptionsJSON>(begin, 'verify/options', { credential_id: created.id });
    const response = { ...(await client.get({ publicKey })) };
    return { response, ...(await post<{ readonly user?: { readonly email: string } }>(end, 'login', response)) };
  };
  return { cwd, store, a, b, servers, login, credentialId: created.id, id: registered.json.passkey.id };
}

thorough.skipIf(!HAS_POSTGRES)('any number of servers share one database: what one begins another ends, and nobody twice', async () => {
  const { a, b, login } = await cluster();
  for (const [begin, end] of [
    [a, b],
    [b, a],
    [a, a],
  ] as const) {
    const { status, response, json } = await login(begin, end);
    expect([status, json.user?.email]).toEqual([200, 'ada@example.com']);
    expect(await post(begin, 'login', response)).toMatchObject({ status: 401, json: { code: 'challenge_used' } });
  }
});

thorough.skipIf(!HAS_POSTGRES)('a revocation by the command line counts at every server from the next request on', async () => {
  const { cwd, store, a, b, credentialId, id } = await cluster();
  expect(await passkey(['revoke', String(id), '--yes', '--store', store], { cwd })).toMatchObject({ code: 0 });
  for (const url of [a, b]) expect(await post(url, 'verify/options', { credential_id: credentialId })).toMatchObject({ status: 404 });
});

thorough.skipIf(!HAS_POSTGRES)('one that is killed in the middle of everything loses nothing that it acknowledged', async () => {
  const { cwd, store, a, b, servers, login, id } = await cluster();
  let acknowledged = 0;
  for (let round = 0; round < 12; round += 1) {
    if (round === 6) await servers[0]?.stop('SIGKILL');
    const { status } = await login(round < 6 ? a : b, b);
    if (status === 200) acknowledged += 1;
  }
  expect(acknowledged).toBe(12);
  const { stdout } = await passkey(['list', '--json', '--store', store], { cwd });
  expect(JSON.parse(stdout)).toEqual([expect.objectContaining({ id, sign_count: 13 })]);
});

test.each([
  ['ends each connection when it is ready', READY_AND_GONE, 'Client has encountered a connection error'],
  ['knows no mechanism of authentication', message('R', 10, 'UNKNOWN\0\0'), 'SASL'],
  ['sends a message without a length', Buffer.from('R\0\0\0\0'), 'cannot be used: '],
  ['refuses the user, and keeps the connection', refusal('28000', 'no entry'), 'no entry'],
])('a command says why, and ends, when the server %s', async (_, answer, reason) => {
  const { url } = await scriptedPostgres([answer]);
  const { code, stderr } = await passkey(['list', '--store', url], { cwd: await tempFolder() });
  expect(stderr).toContain(reason);
  expect(code).toBe(3);
});

test.skipIf(!HAS_POSTGRES)('a server goes on when connections end in the packet that makes them ready', async () => {
  const { store, proxy, url, server } = await behindProxy();
  proxy.endNext(3);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  proxy.endNext(3);
  expect(await post(url, 'login/options', {})).toMatchObject({ status: 200 });
  expect(await passkey(['list', '--store', store], { cwd: await tempFolder() })).toMatchObject({ code: 0 });
  expect(await server.stop()).toBe(0);
});

async function behindProxy() {
  const store = await (await postgresServer()).newDatabase();
  const proxy = await proxyTo(store);
  const server = await serve(['--store', proxy.url, '--log-level', 'silent'], { cwd: await tempFolder() });
  return { store, proxy, url: server.url, server };
}

/** What `work` returns, and the seconds it took. */
async function timed<T>(work: () => Promise<T>): Promise<readonly [T, number]> {
  const start = performance.now();
  return [await work(), (performance.now() - start) / 1_000];
}

async function expectAnswersInTime({ url, server }: Pick<Awaited<ReturnType<typeof behindProxy>>, 'url' | 'server'>): Promise<void> {
  // More than there are connections: some have to wait for one.
  const logins = Array.from({ length: 15 }, () => timed(() => post(url, 'login/options', {})));
  const [health, healthSeconds] = await timed(() => fetch(`${url}/healthz`));
  expect([health.status, healthSeconds < 5]).toStrictEqual([503, true]);
  for (const [{ status, json }, seconds] of await Promise.all(logins)) {
    expect([status, json.code, seconds < 10]).toStrictEqual([503, 'store_unavailable', true]);
  }
  const waiting = post(url, 'login/options', {}).catch(() => undefined);
  const [code, seconds] = await timed(() => server.stop());
  expect([code, seconds < 10]).toStrictEqual([0, true]);
  await waiting;
}

thorough.skipIf(!HAS_POSTGRES)('a silent database keeps no request, no probe and no stop waiting', async () => {
  const { proxy, url, server } = await behindProxy();
  expect(await post(url, 'login/options', {})).toMatchObject({ status: 200 });
  proxy.silence();
  await expectAnswersInTime({ url, server });
});

thorough.skipIf(!HAS_POSTGRES)('nor do locked tables', async () => {
  const { store, url, server } = await behindProxy();
  const database = await openDatabase(store);
  onTestFinished(() => database.close());
  const locks = await database.snapshot();
  onTestFinished(() => locks.close());
  const tables = await locks.query<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
  );
  for (const { name } of tables) await locks.query(`LOCK TABLE ${name} IN ACCESS EXCLUSIVE MODE`);
  await expectAnswersInTime({ url, server });
});
