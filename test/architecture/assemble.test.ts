import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

/** A relying party of one's own, from the parts that the package exports. docs/library.md shows the same. */
const EXAMPLE = `
import { createAccounts } from 'passkey-cli/accounts';
import { createAuthenticator } from 'passkey-cli/authenticator';
import { createClient } from 'passkey-cli/client';
import { createRelyingParty, DEFAULT_POLICY } from 'passkey-cli/relying-party';
import { buildApp, DEFAULT_SETTINGS, listen } from 'passkey-cli/server';
import { createMemoryStore } from 'passkey-cli/store';

const now = Date.now;
const randomBytes = (n) => crypto.getRandomValues(new Uint8Array(n));
const store = createMemoryStore();
const relyingParty = createRelyingParty({ store, policy: DEFAULT_POLICY, origins: [], now, newChallenge: () => randomBytes(32) });
const accounts = createAccounts({ store, ownerType: 'User', now, randomBytes });
const settings = { ...DEFAULT_SETTINGS, origin: 'http://localhost:7277' };
const app = await buildApp({ relyingParty, accounts, settings, logger: false, now, checkStore: () => store.check() });
const url = await listen(app, { host: 'localhost', port: 0 });

const owner = await accounts.addOwner({ email: 'ada@example.com', name: 'Ada' });
const { token } = await accounts.createToken({ owner });
const headers = { authorization: 'Bearer ' + token, 'content-type': 'application/json' };
const post = async (path, body) => (await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })).json();
const client = createClient({ authenticator: createAuthenticator(), origin: url });
const publicKey = await post('/api/passkeys/register/options', { app_name: 'Example', app_url: url });
const registered = await post('/api/passkeys/register', await client.create({ publicKey }));
console.log(JSON.stringify(registered), (await relyingParty.list()).length);
await app.close();
`;

test('docs/library.md shows how the server is put together', () => {
  const [, assembly = ''] = /(const now = Date\.now;[\s\S]*?)const url/.exec(EXAMPLE) ?? [];
  expect(assembly).not.toBe('');
  expect(readFileSync(resolve(root, 'docs/library.md'), 'utf8')).toContain(assembly);
});

test('somebody else can assemble accounts, store, relying party and server', () => {
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', EXAMPLE], { cwd: root, encoding: 'utf8' });
  const [, document, count] = /^(\{.*\}) (\d+)\n$/.exec(printed) ?? [];
  expect([JSON.parse(document ?? 'null'), count]).toMatchObject([{ passkey: { id: 1, label: 'Passkey' } }, '1']);
});
