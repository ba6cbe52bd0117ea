import { CeremonyMemory } from './ceremony-memory.js';
import { createState } from './state.js';
import { createStateStore, type Store } from './store.js';

export interface MemoryStoreOptions {
  /** Ceremonies remembered at most, spent and expired ones included. Default 50,000. */
  readonly ceremonyLimit?: number;
}

/** A store that lives as long as the process. Records go in and come out as copies. */
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
