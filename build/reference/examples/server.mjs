import assert from 'node:assert/strict';
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
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
const post = async (path, body) => (await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json();
const client = createClient({ authenticator: createAuthenticator(), origin: url });
const publicKey = await post('/api/passkeys/register/options', { app_name: 'Example', app_url: url });
const registered = await post('/api/passkeys/register', await client.create({ publicKey }));
assert.equal(registered.passkey.label, 'Passkey');
assert.equal((await relyingParty.list()).length, 1);
await app.close();
