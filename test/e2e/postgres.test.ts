import { expect } from 'vitest';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import { createClient } from '../../src/client/client.js';
import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '../../src/webauthn/json.js';
import { tempFolder } from '../cli/temp-folder.js';
import { HAS_POSTGRES, postgresServer } from '../store/postgres-server.js';
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

test.skipIf(!HAS_POSTGRES)('any number of servers share one database: what one begins another ends, and nobody twice', async () => {
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
