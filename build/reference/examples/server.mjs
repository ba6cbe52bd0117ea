import assert from 'node:assert/strict';
import { createAccounts } from 'passkey-cli/accounts';
import { createRelyingParty, DEFAULT_POLICY } from 'passkey-cli/relying-party';
import { buildApp, DEFAULT_SETTINGS, listen } from 'passkey-cli/server';
import { createMemoryStore } from 'passkey-cli/store';

const now = Date.now;
const randomBytes = (length) => crypto.getRandomValues(new Uint8Array(length));
const store = createMemoryStore();
const relyingParty = createRelyingParty({ store, policy: DEFAULT_POLICY, origins: [], now, newChallenge: () => randomBytes(32) });
const accounts = createAccounts({ store, ownerType: 'User', now, randomBytes });
const settings = { ...DEFAULT_SETTINGS, origin: 'http://localhost:7277' };
const app = await buildApp({ relyingParty, accounts, settings, logger: false, now, checkStore: () => store.check() });
const url = await listen(app, { host: 'localhost', port: 0 });
assert.equal((await fetch(`${url}/healthz`)).status, 200);
await app.close();
