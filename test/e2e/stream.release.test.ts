import { expect, test } from 'vitest';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import { createClient } from '../../src/client/client.js';
import type { StreamDetail, StreamDocument, StreamEntry } from '../../src/server/schemas/stream.js';
import type { PublicKeyCredentialCreationOptionsJSON } from '../../src/webauthn/json.js';
import { tempFolder } from '../cli/temp-folder.js';
import { HAS_POSTGRES, postgresServer } from '../store/postgres-server.js';
import { until } from '../until.js';
import { passkey, serve } from './passkey-process.js';

const ORIGIN = 'https://shop.example.org';
const ADA = 'ada@example.com';
/** Milliseconds: so short that the test need not wait long for the end of a challenge; when it is too slow to answer, it begins again. */
const TTL = 2_000;
const POLICY = ['--timeout', `${TTL}ms`, '--challenge-ttl', `${TTL}ms`];

async function get<T>(url: string, path: string): Promise<T> {
  const json: T = JSON.parse(await (await fetch(`${url}${path}`)).text());
  return json;
}

const entriesOf = async (url: string): Promise<StreamEntry[]> => (await get<StreamDocument>(url, '/dev/stream')).entries;

test.skipIf(!HAS_POSTGRES)('a ceremony that is begun at one server on a database and answered at another', async () => {
  const store = await (await postgresServer()).newDatabase();
  // Each in a folder of its own, as on a machine of its own.
  const [home, other] = [await tempFolder(), await tempFolder()];
  const [first, second] = [
    await serve(['--store', store, ...POLICY], { cwd: home }),
    await serve(['--store', store, ...POLICY], { cwd: other }),
  ];
  await passkey(['user', 'add', '--email', ADA, '--name', 'Ada', '--store', store], { cwd: home });
  const token = (await passkey(['token', 'create', '--user', ADA, '--store', store], { cwd: home })).stdout.trim();
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const post = async (url: string, path: string, body: object) =>
    await fetch(`${url}/api/passkeys/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });

  let begun = 0;
  let challenge = '';
  await until(async () => {
    begun += 1;
    const end = Date.now() + TTL;
    const options: PublicKeyCredentialCreationOptionsJSON = JSON.parse(
      await (await post(first.url, 'register/options', { app_name: 'Shop', app_url: ORIGIN })).text(),
    );
    challenge = options.challenge;
    const client = createClient({ authenticator: createAuthenticator(), origin: ORIGIN });
    const answer = await post(second.url, 'register', { ...(await client.create({ publicKey: options })) });
    // One that is answered so late that the other server may have asked before is no example.
    return answer.status === 200 && Date.now() < end;
  });

  // Where it was answered it is there once, and whole. Commands are told of at both.
  const ceremonies = (entries: readonly StreamEntry[]) => entries.filter(({ kind }) => kind !== 'change');
  const [answered, ...late] = ceremonies(await entriesOf(second.url));
  expect(answered).toMatchObject({ kind: 'registration', state: 'verified', user: ADA, code: null, status: 200 });
  expect(late).toHaveLength(begun - 1);
  const whole = await get<StreamDetail>(second.url, `/dev/stream/${answered?.id}`);
  expect(whole).toMatchObject({
    path: '/api/passkeys/register',
    options: { challenge, rp: { id: 'shop.example.org' } },
    response: { type: 'public-key' },
    explanation: { ceremony: 'registration' },
    fixture: { kind: 'registration' },
    why_no_fixture: null,
  });
  expect(whole.explanation?.steps.map(({ status }) => status)).not.toContain('failed');

  // Where it was begun it is open, for as long as its challenge is good, and then elsewhere. Nothing is told of its answer.
  await until(async () => ceremonies(await entriesOf(first.url))[0]?.state !== 'open');
  const all = ceremonies(await entriesOf(first.url));
  expect(all).toHaveLength(begun);
  expect(all[0]).toMatchObject({ kind: 'registration', state: 'elsewhere', passkey: null, code: null, finished_at: null });
  expect(await get<StreamDetail>(first.url, `/dev/stream/${all[0]?.id}`)).toMatchObject({
    options: { challenge },
    response: null,
    explanation: null,
    why_no_fixture: 'another process got the response',
  });
  expect(ceremonies(await entriesOf(second.url)).map(({ state }) => state)).toEqual(['verified', ...late.map(({ state }) => state)]);
  for (const server of [first, second]) expect(await server.stop()).toBe(0);
});
