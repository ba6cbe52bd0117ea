/** The entry point `passkey-cli/store`: stores for passkeys, accounts and ceremonies. */
export { createMemoryStore, type MemoryStoreOptions } from './memory.js';
export { type OpenStoreOptions, openStore } from './open-store.js';
export type { Store } from './store.js';
