import { CeremonyMemory } from './ceremony-memory.js';
import { createState } from './state.js';
import { createStateStore, type Store } from './store.js';

export interface MemoryStoreOptions {
  /** Maximum number of ceremonies to remember, including spent and expired ones; default: 50,000. */
  readonly ceremonyLimit?: number;
}

/** Creates a store that exists as long as the process. Callers pass and receive copies of the records. */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  const state = createState();
  return createStateStore(
    {
      location: 'memory:',
      read: async (operation) => operation(state),
      change: async (operation) => operation(state),
      check: async () => {},
      close: async () => {},
    },
    new CeremonyMemory(options.ceremonyLimit),
  );
}
