import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isObject, type JsonObject } from '../kernel/json-value.js';

/** Finds the folder of this package, wherever the bundler has put this module. */
export function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  // Not by package.json: folders that hold CommonJS have one of their own.
  while (!existsSync(join(folder, 'bin/passkey.js')) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

/** Finds the path of the documentation's first page. Returns a relative path if the documentation is missing, as in the executable. */
export function findDocumentation(): string {
  const page = join('docs', 'README.md');
  const path = join(packageFolder(), page);
  return existsSync(path) ? path : page;
}

/** Reads the version of this package. The bundler inserts it into the code; sources that are not bundled read it from package.json. */
export function version(): string {
  const built = process.env.PASSKEY_BUILD_VERSION;
  if (built) return built;
  const { version: written } = readManifest();
  return typeof written === 'string' ? written : '0.0.0';
}

function readManifest(): JsonObject {
  const manifest: unknown = JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8'));
  return isObject(manifest) ? manifest : {};
}

/** Reads the address for bug reports from `bugs` in package.json. Only a release has this member. */
export function findReportAddress(read: () => JsonObject = readManifest): string | undefined {
  try {
    const { bugs } = read();
    const address = isObject(bugs) ? (bugs.url ?? bugs.email) : bugs;
    return typeof address === 'string' && address !== '' ? address : undefined;
  } catch {
    // The executable is without it.
    return undefined;
  }
}
