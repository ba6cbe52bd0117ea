import assert from 'node:assert/strict';
import { createRelyingParty, DEFAULT_POLICY } from 'passkey-cli/relying-party';
import { createMemoryStore } from 'passkey-cli/store';

const newChallenge = () => crypto.getRandomValues(new Uint8Array(32));
const store = createMemoryStore();
const relyingParty = createRelyingParty({ store, policy: DEFAULT_POLICY, origins: [], now: Date.now, newChallenge });
assert.deepEqual(await relyingParty.list(), []);
