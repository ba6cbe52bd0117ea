import type { CredentialSource } from '../authenticator/credential-source.js';
import { type CredentialSourceStore, createCredentialSourceStore } from '../authenticator/credential-store.js';
import { exportCredentials, importCredentials } from '../authenticator/interchange/interchange.js';
import { PasskeyError } from '../errors.js';
import { clause } from '../kernel/wording.js';
import type { FileNames } from '../store/file-system.js';
import { keptFile } from '../store/kept-file.js';

/** The private side of credentials on disk: the shape `json` of the interchange, kept as the store is. */
const NAMES: FileNames = { noun: 'credentials file', flag: '--credentials' };

/** @throws PasskeyError `store_absent`, `store_damaged` naming the member, or `store_unavailable`. */
export async function readCredentials(path: string): Promise<readonly CredentialSource[]> {
  const text = await keptFile(path, NAMES).read();
  if (text === undefined) throw absent(path);
  return decode(path, text);
}

/**
 * Changes the file in one step, under its lock: what `change` throws leaves it as it was.
 *
 * @param create whether to make it when there is none
 * @throws PasskeyError as {@link readCredentials} does.
 */
export async function changeCredentials<T>(
  path: string,
  { create }: { readonly create: boolean },
  change: (store: CredentialSourceStore) => Promise<T>,
): Promise<T> {
  const file = keptFile(path, NAMES);
  // Before the folder is made for the lock.
  if (!create && (await file.read()) === undefined) throw absent(path);
  return file.change(async (text) => {
    const store = createCredentialSourceStore(text === undefined ? [] : await decode(path, text));
    const result = await change(store);
    const { text: written } = await exportCredentials('json', await store.list());
    return { text: `${written}\n`, result };
  });
}

async function decode(path: string, text: string): Promise<readonly CredentialSource[]> {
  try {
    return (await importCredentials('json', text)).credentials;
  } catch (cause) {
    if (!(cause instanceof PasskeyError)) throw cause;
    const advice = 'Nothing was changed. Correct it, restore a copy, or name another with --credentials.';
    throw new PasskeyError('store_damaged', `The credentials file ${path} is damaged: ${clause(cause.message)}. ${advice}`, { cause });
  }
}

function absent(path: string): PasskeyError {
  return new PasskeyError(
    'store_absent',
    `There is no credentials file at ${path}. A registration by "passkey credential answer" or "passkey credential create" makes one. Register first, or name another with --credentials or PASSKEY_CREDENTIALS.`,
  );
}
