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

/** Credentials in memory, until the process ends. */
export function keptInMemory(): Keeper {
  const store = createCredentialSourceStore();
  return { place: 'this server', change: (_, work) => work(store) };
}
