import assert from 'node:assert/strict';
import { createMemoryStore, openStore } from 'passkey-cli/store';

const store = await openStore('memory:', {});
await store.check();
await store.close();
assert.ok(createMemoryStore());
