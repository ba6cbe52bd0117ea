import { appendFile, cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { createAuthenticator } from '../../../src/authenticator/authenticator.js';
import { createClient } from '../../../src/client/client.js';
import { openStore } from '../../../src/store/open-store.js';
import { newAuditEntry } from '../../contract/samples.js';
import { MISTAKES, recordRefusedLogin } from '../../explain/refused-logins.js';
import { runIn } from '../run-in.js';
import { seedCredentials } from '../seeded-credentials.js';
import { passkeyOf } from '../seeded-store.js';
import { tempFolder } from '../temp-folder.js';

export const CHALLENGE = '3q2-7wABAgMEBQYHCAkKCw';
const FIXTURES = join(import.meta.dirname, '../../../fixtures');
let prepared: string;

/** Makes the folder that the examples take for granted once. */
export function prepareFolder(): void {
  beforeAll(async () => {
    prepared = await mkdtemp(join(tmpdir(), 'passkey-examples-'));
    await fill(prepared);
  });
  afterAll(() => rm(prepared, { recursive: true, force: true }));
}

/** A copy of it for some commands: an empty folder where they add the first user, and without fixtures where they make the first. */
export async function folderFor(commands: string): Promise<string> {
  const cwd = await tempFolder();
  if (/^passkey user add(?!.*--store)/m.test(commands)) return cwd;
  const fixtures = /\b(?:explain|simulate)\b|fixtures\/|^passkey fixture (?!import)/.test(commands);
  const left = fixtures ? undefined : join(prepared, 'fixtures');
  await cp(prepared, cwd, { recursive: true, filter: (path) => path !== left });
  return cwd;
}

/** Users, passkeys, tokens, fixtures, and the files of a ceremony. */
async function fill(cwd: string): Promise<void> {
  await cp(FIXTURES, join(cwd, 'fixtures'), { recursive: true });
  await fillStore(join(cwd, '.passkey/passkeys.jsonl'));
  for (const user of ['User:1', 'User:2']) await runIn(cwd, ['token', 'create', '--user', user]);
  const request = { via: 'api', os_user: null, email: 'ada@example.com', reason: null } as const;
  const refused = { ...request, outcome: 'refused', code: 'signature_invalid', address: '127.0.0.1', passkey_id: 2 } as const;
  for (const change of [{ ...request, actor: 'User:1' }, refused]) {
    await appendFile(
      join(cwd, '.passkey/passkeys.jsonl.audit.jsonl'),
      `${JSON.stringify(newAuditEntry({ ...change, action: 'authenticate' }))}\n`,
    );
  }
  await runIn(cwd, ['store', 'export', '--out', 'backup.jsonl']);
  await seedCredentials(cwd, CHALLENGE);
  const client = createClient({ authenticator: createAuthenticator(), origin: 'https://example.org' });
  const options = {
    rp: { id: 'example.org', name: 'Example' },
    user: { id: 'AAAAAAAAAAAAAAAAAAAAAA', name: 'ada', displayName: 'Ada' },
    challenge: CHALLENGE,
    pubKeyCredParams: [{ type: 'public-key' as const, alg: -7 }],
    authenticatorSelection: { residentKey: 'required' as const },
  };
  const login = { challenge: CHALLENGE, rpId: 'example.org' };
  const created = await client.create({ publicKey: options });
  const asserted = await client.get({ publicKey: login });
  const archive = archiveOf([{}, options], [created, {}], [{}, login], [asserted, {}]);
  const files = {
    'options.json': options,
    'response.json': created,
    'registration.json': created,
    'login.json': asserted,
    'log.jsonl': { code: 'challenge_used' },
  };
  for (const [name, content] of Object.entries({ ...files, 'recording.har': archive })) {
    await writeFile(join(cwd, name), JSON.stringify(content));
  }
  await writeFile(join(cwd, 'login.har'), (await recordRefusedLogin(MISTAKES['wrong expected origin'])).har);
}

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 0, 15, 9, 30);

/** Two users with two passkeys each, in a provider and on a security key. Times are days before that of the commands. */
async function fillStore(path: string): Promise<void> {
  const store = await openStore(path, { create: true });
  const ada = await store.insertOwner({ type: 'User', email: 'ada@example.com', name: 'Ada', createdAt: NOW - 300 * DAY });
  const bob = await store.insertOwner({ type: 'User', email: 'bob@example.com', name: 'Bob', createdAt: NOW - 300 * DAY });
  for (const { n, owner = ada, label, aaguid, synced, created, used } of [
    { n: 1, label: 'iCloud Keychain', aaguid: 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd', synced: true, created: 200, used: 2 },
    { n: 2, label: 'Blue key', aaguid: '2fc0579f-8113-47ea-b116-bb5a8db9202a', synced: false, created: 190, used: 150 },
    { n: 3, owner: bob, label: 'Spare key', aaguid: '2fc0579f-8113-47ea-b116-bb5a8db9202a', synced: false, created: 120 },
    {
      n: 4,
      owner: bob,
      label: 'Google Password Manager',
      aaguid: 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4',
      synced: true,
      created: 30,
      used: 1,
    },
  ]) {
    const passkey = passkeyOf(owner, n, label, 'app.example.com');
    const backup = { backupEligible: synced, backupState: synced };
    await store.insertPasskey({
      ...passkey,
      aaguid,
      createdAt: NOW - created * DAY,
      credential: { ...passkey.credential, ...backup },
    });
    if (used === undefined) continue;
    const { signCount } = passkey.credential;
    const use = { expectedSignCount: signCount, signCount, backupState: synced, uvInitialized: true, lastUsedAt: NOW - used * DAY };
    await store.recordLogin({ passkeyId: n, use });
  }
  await store.close();
}

/** What a browser exports of requests to one server. */
function archiveOf(...exchanges: readonly (readonly [sent: object, received: object])[]): object {
  const text = (content: object) => ({ text: JSON.stringify(content) });
  const entries = exchanges.map(([sent, received], index) => ({
    startedDateTime: `2026-01-15T10:30:0${index}.000Z`,
    request: { method: 'POST', url: 'https://example.org/webauthn', headers: [], postData: text(sent) },
    response: { status: 200, headers: [], content: text(received) },
  }));
  return { log: { entries } };
}
