import { type CredentialSourceStore, createCredentialSourceStore } from '../../authenticator/credential-store.js';
import { CredentialsFile, changeCredentials, limit, noteChanges, type Touched } from '../credentials-file.js';
import { SnapshotSchedule } from './snapshot-schedule.js';

/** Keeps the credentials of a software authenticator, with their private keys. */
export interface Keeper {
  /** Where the credentials are stored. Messages show this text. */
  readonly place: string;
  /**
   * Passes the credentials to `work` and saves the changes that `work` makes. If `work` throws, the stored credentials stay unchanged.
   *
   * @param create whether to create the file if it does not exist.
   */
  change<T>(o: { readonly create: boolean }, work: (store: CredentialSourceStore) => Promise<T>): Promise<T>;
  /** Writes changes that are only in the journal into the file. */
  close?(): Promise<void>;
}

/**
 * Makes a keeper that stores credentials in a file. The file is locked during each change, so that processes do not overwrite each other's
 * changes.
 */
export const keptInFile = (path: string, onCreated: (path: string) => void): Keeper => ({
  place: path,
  change: (o, work) => changeCredentials(path, { ...o, onCreated }, work),
});

/** Maximum number of credentials that one server keeps. They use about 600 MB if all are as large as a request can make them. */
const MAX_CREDENTIALS = 10_000;

/**
 * Makes a keeper that stores the credentials of a server in a file. Creates the file if it does not exist. Removes the oldest credentials
 * when there are more than `max`.
 */
export function keptInServerFile(path: string, max = MAX_CREDENTIALS): Keeper {
  const file = new CredentialsFile(path);
  const snapshots = new SnapshotSchedule(() => file.fold());
  return {
    place: path,
    async change(_, work) {
      const result = await file.change(work, { max });
      snapshots.changed(file.progress);
      return result;
    },
    close: () => snapshots.finish(),
  };
}

/**
 * Makes a keeper that holds credentials in memory until the process ends. Removes the oldest credentials when there are more than `max`.
 */
export function keptInMemory(max = MAX_CREDENTIALS): Keeper {
  const store = createCredentialSourceStore();
  const touched: Touched[] = [];
  const noted = noteChanges(store, touched);
  return {
    place: 'this server',
    async change(_, work) {
      const result = await work(noted);
      await limit(store, { max, touched: touched.splice(0) });
      return result;
    },
  };
}
