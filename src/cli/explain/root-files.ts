import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PasskeyError } from '../../errors.js';
import { readAttestationRoots } from '../../relying-party/attestation/trust.js';

const CERTIFICATE_FILE = /\.(pem|crt|cer|der)$/i;

/**
 * The contents of `--roots`, or of another `flag`: PEM (several to a file) or DER, and of a folder every *.pem, *.crt, *.cer and *.der in it.
 *
 * @throws PasskeyError `configuration_invalid` naming the file that is no certificate.
 */
export async function readRootFiles(paths: readonly string[], flag = '--roots'): Promise<readonly Uint8Array[]> {
  const unusable: Unusable = (path, what, cause) =>
    new PasskeyError('configuration_invalid', `${flag} expects certificates in PEM or DER; ${path} ${what}.`, { cause });
  const files = (await Promise.all(paths.map((path) => filesOf(path, unusable)))).flat();
  return Promise.all(
    files.map(async (file) => {
      const bytes = await readFile(file).catch((cause: NodeJS.ErrnoException) => {
        throw unusable(file, `cannot be read (${cause.code ?? cause.message})`, cause);
      });
      try {
        readAttestationRoots([bytes]);
      } catch (cause) {
        throw unusable(file, `is none: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
      }
      return bytes;
    }),
  );
}

type Unusable = (path: string, what: string, cause?: unknown) => PasskeyError;

async function filesOf(path: string, unusable: Unusable): Promise<string[]> {
  const found = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    throw unusable(path, `cannot be read (${cause.code ?? cause.message})`, cause);
  });
  if (!found.isDirectory()) return [path];
  const files = (await readdir(path)).filter((name) => CERTIFICATE_FILE.test(name)).toSorted();
  if (files.length === 0) throw unusable(path, 'holds no *.pem, *.crt, *.cer or *.der');
  return files.map((name) => join(path, name));
}
