import { type CredentialSourceStore, createCredentialSourceStore } from '../../authenticator/credential-store.js';
import { SnapshotSchedule } from '../../store/snapshot-schedule.js';
import { CredentialsFile, changeCredentials, limit, noteChanges, type Touched } from '../credentials-file.js';

/** Holds the credentials that answer, with their private keys. */
export interface Keeper {
  /** Its name in messages. */
  readonly place: string;
  /**
   * Gives the credentials to `work` and keeps its changes. If `work` throws, the file stays as it was.
   *
   * @param create whether to make the file when there is none.
   */
  change<T>(o: { readonly create: boolean }, work: (store: CredentialSourceStore) => Promise<T>): Promise<T>;
  /** Brings the file up to date. */
  close?(): Promise<void>;
}

/** A credentials file, under its lock: answers that several processes give at once lose nothing. */
export const keptInFile = (path: string, onCreated: (path: string) => void): Keeper => ({
  place: path,
  change: (o, work) => changeCredentials(path, { ...o, onCreated }, work),
});

/** Credentials of one server: some 600 MB if all are as large as a request can make them. */
const MAX_CREDENTIALS = 10_000;

/** Opens a credentials file for a server. Creates it if absent, and drops the oldest credentials beyond `max`. */
export function keptInServerFile(path: string, max = MAX_CREDENTIALS): Keeper {
  const file = new CredentialsFile(path);
  const snapshots = new SnapshotSchedule({ write: () => file.fold(), onFailure: () => {} });
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

/** Credentials in memory, until the process ends, or until there are more than `max` and the oldest go. */
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
