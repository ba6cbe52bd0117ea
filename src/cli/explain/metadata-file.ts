import { readFile } from 'node:fs/promises';
import { PasskeyError } from '../../errors.js';
import { readMetadataAsOf } from '../../explain/expectations.js';
import type { MetadataBlob } from '../../relying-party/attestation/metadata-blob.js';
import { type Io, say } from '../io.js';
import { printableLines } from '../output/printable.js';
import { readRootFiles } from './root-files.js';

interface MetadataFile {
  /** Of `--metadata-root`. */
  readonly rootFiles: readonly string[] | undefined;
  /** Milliseconds since the epoch: as of one of them the certificates of the BLOB must be valid. */
  readonly times: readonly number[];
}

/**
 * The BLOB of `--metadata`; what is to be known of it (it is stale, or signed by another than the FIDO Alliance) is told on stderr.
 *
 * @throws PasskeyError `usage` without a root, `configuration_invalid` naming the file that cannot be used, and why.
 */
export async function readMetadataFile(io: Io, file: string, { rootFiles, times }: MetadataFile): Promise<MetadataBlob> {
  if (rootFiles === undefined) {
    throw new PasskeyError(
      'usage',
      '--metadata needs --metadata-root FILE, the root certificate that its signature must lead to: for the BLOB of the FIDO Alliance, GlobalSign Root R3.',
    );
  }
  const roots = await readRootFiles(rootFiles, '--metadata-root');
  const bytes = await readFile(file).catch((cause: NodeJS.ErrnoException) => {
    throw unusable(file, `cannot be read (${cause.code ?? cause.message}).`, cause);
  });
  let metadata: MetadataBlob;
  try {
    metadata = readMetadataAsOf(times, bytes, roots);
  } catch (error) {
    throw error instanceof PasskeyError ? unusable(file, `is not one, or not to be trusted. ${error.message}`, error) : error;
  }
  for (const { status, expected, received, hint = '' } of metadata.checks) {
    if (status === 'warn') say(io, printableLines(`passkey: mind --metadata ${file}: expected ${expected}; got ${received}. ${hint}`));
  }
  return metadata;
}

function unusable(file: string, what: string, cause: unknown): PasskeyError {
  return new PasskeyError('configuration_invalid', `--metadata expects a FIDO metadata BLOB; ${file} ${what}`, { cause });
}
