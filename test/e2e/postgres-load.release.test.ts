import { expect, test } from 'vitest';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import { createClient } from '../../src/client/client.js';
import { openPostgresStore } from '../../src/store/postgres/open.js';
import { decodeAuthenticatorData } from '../../src/webauthn/authenticator-data.js';
import { decodeBase64url } from '../../src/webauthn/base64url.js';
import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '../../src/webauthn/json.js';
import { tempFolder } from '../cli/temp-folder.js';
import { Acknowledged } from '../fuzz/acknowledged.js';
import { loadServer } from '../fuzz/kill-load.js';
import { Random } from '../fuzz/random.js';
import { HAS_POSTGRES, postgresServer } from '../store/postgres-server.js';
import { passkey, serve } from './passkey-process.js';
import { APP_URL, call } from './relying-party-over-http.js';

const SERVERS = 4;
const USER = 'ada@example.com';

async function cluster() {
  const cwd = await tempFolder();
  const url = await (await postgresServer()).newDatabase();
  const servers = await Promise.all(Array.from({ length: SERVERS }, () => serve(['--store', url, '--log-level', 'silent'], { cwd })));
  expect((await passkey(['user', 'add', '--email', USER, '--name', 'Ada', '--store', url], { cwd })).code).toBe(0);
  const token = (await passkey(['token', 'create', '--user', USER, '--store', url], { cwd })).stdout.trim();
  return { url, servers, token };
}

test.skipIf(!HAS_POSTGRES)(
  'under load, with servers killed in the middle, nothing acknowledged is lost and the others answer on',
  async () => {
    const { url, servers, token } = await cluster();
    const random = new Random(16, 1);
    const acknowledged = new Acknowledged();
    const loads = servers.map((server, index) => loadServer({ url: server.url, token, acknowledged, random: new Random(16, 2 + index) }));
    await Promise.all(loads.map((load) => load.answers(40)));
    const killed = [0, 1];
    for (const index of killed) {
      await Promise.all(loads.slice(index).map((load) => load.answers(40 + 20 * (index + 1) + random.below(10))));
      await servers[index]?.stop('SIGKILL');
      expect((await loads[index]?.ended)?.failed).toBeUndefined();
    }
    // Those that are left make as much again.
    const left = loads.slice(killed.length);
    await Promise.all(left.map((load) => load.answers(140)));
    await Promise.all(servers.slice(killed.length).map((server) => server.stop('SIGKILL')));
    for (const { answered, failed } of await Promise.all(left.map((load) => load.ended))) {
      expect(failed).toBeUndefined();
      expect(answered).toBeGreaterThanOrEqual(140);
    }
    const store = await openPostgresStore(url);
    const passkeys = await store.listPasskeys({ revoked: true });
    // Throws where one is lost, has another's credential, an older sign count, or is live though it was revoked.
    acknowledged.check(passkeys, await store.listOwners());
    const distinct = new Set(passkeys.map(({ credential }) => Buffer.from(credential.id).toString('hex')));
    expect(distinct.size).toBe(passkeys.length);
    await store.close();
  },
);

test.skipIf(!HAS_POSTGRES)('an answer that is sent to every server at once is accepted by exactly one', async () => {
  const { url, servers, token } = await cluster();
  const client = createClient({
    authenticator: createAuthenticator({ signCount: { kind: 'per-credential', start: 1, step: 1 } }),
    origin: new URL(APP_URL).origin,
  });
  const headers = { authorization: `Bearer ${token}` };
  const send = <Body>(server: number, path: string, body: unknown) =>
    call<Body>('POST', `${servers[server % SERVERS]?.url}/api/passkeys/${path}`, { headers, body });
  const everywhere = async (path: string, response: object) => {
    const answers = await Promise.all(
      servers.flatMap((_, index) => [send<{ code?: string }>(index, path, response), send<{ code?: string }>(index, path, response)]),
    );
    return answers.map(({ status, body }) => body.code ?? String(status)).toSorted();
  };
  const used = Array.from({ length: 2 * SERVERS - 1 }, () => 'challenge_used');

  const { body: creation } = await send<PublicKeyCredentialCreationOptionsJSON>(0, 'register/options', {
    app_name: 'App',
    app_url: APP_URL,
  });
  const created = await client.create({ publicKey: creation });
  expect(await everywhere('register', { ...created })).toEqual(['200', ...used]);
  const logins = 25;
  for (let round = 0; round < logins; round += 1) {
    const { body } = await send<PublicKeyCredentialRequestOptionsJSON>(round, 'verify/options', { credential_id: created.id });
    const response = await client.get({ publicKey: { rpId: new URL(APP_URL).hostname, ...body } });
    expect(await everywhere('login', { ...response })).toEqual(['200', ...used]);
  }

  // Logins that race each other: one is refused when another with a higher count was faster, and the highest that was accepted is kept.
  const raced = await Promise.all(
    Array.from({ length: 3 * SERVERS }, async (_, index) => {
      const { body } = await send<PublicKeyCredentialRequestOptionsJSON>(index, 'verify/options', { credential_id: created.id });
      const response = await client.get({ publicKey: { rpId: new URL(APP_URL).hostname, ...body } });
      const { signCount } = decodeAuthenticatorData(decodeBase64url(response.response.authenticatorData));
      return { response, signCount };
    }),
  );
  const outcomes = await Promise.all(
    raced.map(async ({ response, signCount }, index) => {
      const { status, body } = await send<{ code?: string }>(index, 'login', response);
      return { outcome: body.code ?? String(status), signCount };
    }),
  );
  const accepted = outcomes.filter(({ outcome }) => outcome === '200');
  expect(outcomes.filter(({ outcome }) => !['200', 'counter_regressed'].includes(outcome))).toEqual([]);
  const store = await openPostgresStore(url);
  const [stored] = await store.listPasskeys();
  expect(stored?.credential.signCount).toBe(Math.max(...accepted.map(({ signCount }) => signCount)));
  expect(stored?.counterRegressions).toBe(outcomes.length - accepted.length);
  expect(await store.listAccess({ kind: 'session' })).toHaveLength(logins + accepted.length);
  await store.close();
});
