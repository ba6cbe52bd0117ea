import { randomBytes } from 'node:crypto';
import { closeSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PasskeyError } from '../errors.js';
import { guardPath } from './file-lock.js';
import { type Claim, claimLock, dropClaim, prepareClaim, removeIfThere } from './lock-claim.js';

// What a file system must be able to do for a store on it to be safe.

/** File systems that other hosts may have mounted as well, by their `f_type` of statfs(2) on Linux. */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x01021997, '9P'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x73757245, 'Coda'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
]);

/** Finds the type of the file system that contains a folder; undefined if the type is unknown. */
export async function fileSystemType(folder: string): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined;
  return statfs(folder).then(
    // Some platforms give it as a negative number of 32 bits.
    ({ type }) => type >>> 0,
    () => undefined,
  );
}

/** Builds the warning about a store on a file system of this type; undefined for types without a warning. */
export function networkWarning(path: string, type: number | undefined): string | undefined {
  const name = type === undefined ? undefined : NETWORK_FILE_SYSTEMS.get(type);
  return (
    name &&
    `the store ${path} is on a network file system (${name}): locks and flushes may not hold there, so let no two hosts use it at once. A local disk is safe.`
  );
}

/**
 * Checks that locks work on the file system: takes a test lock, and tries to take it again while it is held.
 *
 * @param path path of the store's lock.
 * @throws PasskeyError `store_unavailable` if both attempts get the lock; the system's error if the lock cannot be made.
 */
export async function requireLocks(
  path: string,
  take: (path: string, claim: Claim) => { readonly status: string; readonly fd?: number } = claimLock,
): Promise<void> {
  // If this process is killed, the probe is removed with the guards.
  const probe = guardPath(path, randomBytes(12).toString('hex'));
  const claims: Claim[] = [];
  try {
    const taken: string[] = [];
    for (let handle = 0; handle < 2; handle += 1) {
      const claim = prepareClaim(path);
      claims.push(claim);
      const { status, fd = claim.fd } = take(probe, claim);
      if (fd !== claim.fd) closeSync(fd);
      taken.push(status);
    }
    if (taken.every((status) => status === 'held')) {
      throw new PasskeyError(
        'store_unavailable',
        `The file system of ${dirname(path)} lets two processes hold one lock, so changes of one could undo those of another. Nothing was changed. Name a store on a local disk with --store.`,
      );
    }
  } finally {
    for (const claim of claims) dropClaim(claim);
    removeIfThere(probe);
  }
}
