/** `passkey-cli/store`: where passkeys, accounts and ceremonies are kept. */
export { createMemoryStore, type MemoryStoreOptions } from './memory.js';
export { type OpenStoreOptions, openStore } from './open-store.js';
export type { Store } from './store.js';
