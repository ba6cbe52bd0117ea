import assert from 'node:assert/strict';
import { createAccounts } from 'passkey-cli/accounts';
import { createMemoryStore } from 'passkey-cli/store';

const randomBytes = (length) => crypto.getRandomValues(new Uint8Array(length));
const accounts = createAccounts({ store: createMemoryStore(), ownerType: 'User', now: Date.now, randomBytes });
const owner = await accounts.addOwner({ email: 'ada@example.com', name: 'Ada' });
const { token } = await accounts.createToken({ owner });
assert.match(token, /^pk_/);
