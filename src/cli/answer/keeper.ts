import { type CredentialSourceStore, createCredentialSourceStore } from '../../authenticator/credential-store.js';
import { changeCredentials } from '../credentials-file.js';

/** Holds the credentials that answer, with their private keys. */
export interface Keeper {
  /** What messages call it. */
  readonly place: string;
  /**
   * Gives the credentials to `work` and keeps its changes. Where `work` throws, those in a file stay as they were.
   *
   * @param create whether to make the file when there is none.
   */
  change<T>(o: { readonly create: boolean }, work: (store: CredentialSourceStore) => Promise<T>): Promise<T>;
}

/** A credentials file, under its lock: answers that several processes give at once lose nothing. */
export const keptInFile = (path: string): Keeper => ({ place: path, change: (o, work) => changeCredentials(path, o, work) });

/** Of one server without a credentials file; some 600 MB where every one of them is as large as a request can make it. */
const MAX_IN_MEMORY = 10_000;

/** Credentials in memory, until the process ends, or until there are more than `max` and the oldest go. */
export function keptInMemory(max = MAX_IN_MEMORY): Keeper {
  const store = createCredentialSourceStore();
  return {
    place: 'this server',
    async change(_, work) {
      const result = await work(store);
      const all = await store.list();
      for (const { rpId, id } of all.slice(0, Math.max(0, all.length - max))) await store.remove(rpId, id);
      return result;
    },
  };
}
