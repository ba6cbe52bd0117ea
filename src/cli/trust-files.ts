import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PasskeyError } from '../errors.js';
import { readNamedFile } from '../fixture/named-file.js';
import { MAX_DOCUMENT_BYTES } from '../kernel/limits.js';
import { clause } from '../kernel/wording.js';
import { type MetadataBlob, readMetadataBlob } from '../relying-party/attestation/metadata-blob.js';
import { readAttestationRoots, readRoots } from '../relying-party/attestation/roots.js';
import { type Io, warn } from './io.js';
import { printableLines } from './output/printable.js';

const CERTIFICATE_FILE = /\.(pem|crt|cer|der)$/i;

/**
 * Reads the certificates that a flag names. Each path is a file in PEM (with any number of certificates) or DER, or a folder, in which
 * every *.pem, *.crt, *.cer and *.der file is read.
 *
 * @throws PasskeyError `configuration_invalid` naming the flag and the file that holds no certificate.
 */
export async function readRootFiles(flag: string, paths: readonly string[]): Promise<readonly Uint8Array[]> {
  const unusable: Unusable = (path, what, cause) =>
    new PasskeyError('configuration_invalid', `${flag} expects certificates in PEM or DER; ${path} ${what}.`, { cause });
  const files = (await Promise.all(paths.map((path) => findFiles(path, unusable)))).flat();
  const roots: Uint8Array[] = [];
  for (const file of files) {
    const bytes = await readNamedFile(file, MAX_DOCUMENT_BYTES).catch((cause: Error) => {
      throw unusable(file, cause.message, cause);
    });
    try {
      readAttestationRoots([bytes]);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw unusable(file, `holds something else: ${why.replace(/\.$/, '')}`, cause);
    }
    roots.push(bytes);
  }
  return roots;
}

type Unusable = (path: string, what: string, cause?: unknown) => PasskeyError;

async function findFiles(path: string, unusable: Unusable): Promise<string[]> {
  const found = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    throw unusable(path, `cannot be read (${cause.code ?? cause.message})`, cause);
  });
  if (!found.isDirectory()) return [path];
  const names = await readdir(path).catch((cause: NodeJS.ErrnoException) => {
    throw unusable(path, `cannot be read (${cause.code ?? cause.message})`, cause);
  });
  const files = names.filter((name) => CERTIFICATE_FILE.test(name)).toSorted();
  if (files.length === 0) throw unusable(path, 'contains no *.pem, *.crt, *.cer or *.der file');
  return files.map((name) => join(path, name));
}

/** Maximum number of bytes of a metadata BLOB. The BLOB of the FIDO Alliance had 10 MB in 2026. */
const MAX_METADATA_BYTES = 64 * 1024 * 1024;

interface MetadataFiles {
  /** Path of the BLOB that `--metadata` names. */
  readonly metadata: string | undefined;
  /** Paths of the root certificates that `--metadata-root` names. */
  readonly metadataRoot: readonly string[] | undefined;
  /** Time at which the certificates that signed the BLOB must be valid, in milliseconds since the epoch. Default: now. */
  readonly at?: number | undefined;
}

/**
 * Reads the metadata BLOB that `--metadata` names. Undefined if none is given. Warns on stderr if the BLOB is outdated, or not signed by
 * the FIDO Alliance.
 *
 * @throws PasskeyError `usage` if only one of `--metadata` and `--metadata-root` is given; `configuration_invalid` naming the file that
 * cannot be used.
 */
export async function readMetadataFiles(
  io: Io,
  { metadata: file, metadataRoot, at: then }: MetadataFiles,
): Promise<MetadataBlob | undefined> {
  if (file === undefined) {
    if (metadataRoot === undefined) return undefined;
    throw new PasskeyError('usage', '--metadata-root has no effect without --metadata FILE. Add it, or leave --metadata-root out.');
  }
  if (metadataRoot === undefined) {
    throw new PasskeyError(
      'usage',
      '--metadata needs --metadata-root FILE, the root certificate that its signature must chain to: GlobalSign Root R3 for the BLOB of the FIDO Alliance.',
    );
  }
  const roots = readRoots(await readRootFiles('--metadata-root', metadataRoot));
  const bytes = await readNamedFile(file, MAX_METADATA_BYTES).catch((cause: Error) => {
    throw unusableBlob(file, `${cause.message}.`, cause);
  });
  const metadata = readAt(then === undefined ? [io.now()] : [io.now(), then], (at) => readMetadataBlob(bytes, { roots, at }), file);
  for (const { status, expected, received, hint = '' } of metadata.checks) {
    if (status === 'warn') {
      warn(io, printableLines(`warning: --metadata ${file}: expected ${expected}; got ${clause(received)}. ${hint}`.trimEnd()));
    }
  }
  return metadata;
}

function readAt([at = 0, ...others]: readonly number[], read: (at: number) => MetadataBlob, file: string): MetadataBlob {
  try {
    return read(at);
  } catch (error) {
    if (!(error instanceof PasskeyError)) throw error;
    if (others.length > 0) return readAt(others, read, file);
    throw unusableBlob(file, `cannot be trusted. ${error.message}`, error);
  }
}

function unusableBlob(file: string, what: string, cause: unknown): PasskeyError {
  return new PasskeyError('configuration_invalid', `--metadata expects a FIDO metadata BLOB; ${file} ${what}`, { cause });
}
