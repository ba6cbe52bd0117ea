import { type CredentialSourceStore, createCredentialSourceStore } from '../../authenticator/credential-store.js';
import { changeCredentials } from '../credentials-file.js';

/** Where the private side of the credentials is that answer. */
export interface Keeper {
  /** In messages. */
  readonly place: string;
  /**
   * Gives the credentials to `work` and keeps what it made of them; what it throws leaves them as they were, where they are in a file.
   *
   * @param create whether to make the file when there is none.
   */
  change<T>(o: { readonly create: boolean }, work: (store: CredentialSourceStore) => Promise<T>): Promise<T>;
}

/** A credentials file, under its lock: answers that several processes give at once lose nothing. */
export const keptInFile = (path: string): Keeper => ({ place: path, change: (o, work) => changeCredentials(path, o, work) });

/** Until the process ends. */
export function keptInMemory(): Keeper {
  const store = createCredentialSourceStore();
  return { place: 'this server', change: (_, work) => work(store) };
}
