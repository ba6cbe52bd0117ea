import { randomBytes } from 'node:crypto';
import { PasskeyError } from '../errors.js';
import type { Contents } from './file-codec.js';
import { FileDamage } from './file-rows.js';
import { FileSizeLimit } from './file-size.js';
import { resolveTarget } from './file-system.js';
import { readStore } from './opened-store.js';
import { writeNewFile } from './replace-file.js';
import { type Damage, salvageStore } from './salvage.js';
import { encodeFile } from './snapshot-text.js';
import { newFileFailure, readFailure } from './store-failures.js';

/** What is in a store, as far as it can be read. */
export interface StoreReport {
  /** Symbolic links resolved. */
  readonly path: string;
  readonly owners: number;
  readonly passkeys: number;
  /** Of the passkeys. */
  readonly revoked: number;
  /** Sessions and tokens, ended ones included. */
  readonly accesses: number;
  /** Changes that are in the journal and not in the file yet. */
  readonly pending: number;
  readonly damages: readonly Damage[];
}

/**
 * Looks at the JSON file of a store and at its journal, and changes neither.
 *
 * @throws PasskeyError `store_absent` · `store_unavailable`; damage is in the report.
 */
export async function checkStore(path: string): Promise<StoreReport> {
  return (await inspect(path)).report;
}

/**
 * Writes what can be read of a store into a new file, which may have any name; the store stays as it is.
 *
 * @throws PasskeyError `usage` when there is such a file · as above.
 */
export async function repairStore(path: string, out: string): Promise<StoreReport> {
  const { contents, report } = await inspect(path);
  try {
    const target = await resolveTarget(out, { noun: 'file' });
    await writeNewFile(target, encodeFile({ ...contents, store: randomBytes(16).toString('hex'), sequence: 0 }), { ownerOf: report.path });
  } catch (cause) {
    throw newFileFailure(out, cause);
  }
  return report;
}

async function inspect(path: string): Promise<{ readonly contents: Contents; readonly report: StoreReport }> {
  try {
    const target = await resolveTarget(path);
    const opened = await readStore(path, new FileSizeLimit(path, {})).catch((error: unknown) => {
      if (error instanceof FileDamage || (error instanceof PasskeyError && error.code === 'store_damaged')) return undefined;
      throw error;
    });
    opened?.journal?.close();
    const inFile = opened?.inFile;
    const { contents, damages } = opened ? { contents: opened.contents, damages: [] } : await salvageStore(target);
    const { state } = contents;
    const report = {
      path: target,
      owners: state.owners.size,
      passkeys: state.passkeys.size,
      revoked: state.revokedPasskeys.size,
      accesses: state.accesses.size,
      pending: inFile === undefined ? 0 : contents.sequence - inFile,
      damages,
    };
    return { contents, report };
  } catch (cause) {
    throw readFailure(path, cause);
  }
}
