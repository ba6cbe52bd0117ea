import { PasskeyError } from '../errors.js';
import type { Store } from './store.js';

export interface OpenStoreOptions {
  /** If true, an absent store is created. Commands that only read pass false. */
  readonly create: boolean;
  /** Milliseconds after which an operation on a database gives up, for a server whose clients wait. Default: operations do not give up. */
  readonly patience?: number | undefined;
  /** Called when the store approaches the maximum size for this process. */
  readonly onWarning?: (message: string) => void;
  /** Called with the location, without a password, of a store that was created because it was absent. */
  readonly onCreated?: ((location: string) => void) | undefined;
}

export const isPostgresUrl = (location: string): boolean => /^postgres(?:ql)?:\/\//i.test(location);

/**
 * Opens the store that `--store` names: `memory:`, the URL of a PostgreSQL database, or the path of a file.
 *
 * @throws PasskeyError `usage` for any other kind of location; `store_absent`, `store_damaged` or `store_unavailable` if the store cannot
 * be opened.
 */
export async function openStore(location: string, options: OpenStoreOptions): Promise<Store> {
  if (location === 'memory:') {
    const { createMemoryStore } = await import('./memory.js');
    return createMemoryStore();
  }
  if (isPostgresUrl(location)) {
    const { openPostgresStore } = await import('./postgres/open.js');
    return openPostgresStore(location, options);
  }
  const scheme = /^\s*(?:[a-z][a-z0-9+.-]+(?=:\/\/)|(?:memory|postgres|postgresql)(?=:))/i.exec(location)?.[0].trimStart();
  if (scheme !== undefined) {
    // The rest of a URL may hold a password, so it is not repeated.
    throw new PasskeyError('usage', `Expected "memory:", postgres://… or the path of a file as store; "${scheme}:" is none of them.`);
  }
  if (location.trim() === '') {
    throw new PasskeyError('usage', 'Expected "memory:", postgres://… or the path of a file as store; got nothing. Name one with --store.');
  }
  const { openJsonFileStore } = await import('./json-file.js');
  return openJsonFileStore(location, options);
}
