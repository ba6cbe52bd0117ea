import { existsSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join, relative } from 'node:path';

/** How the user started this command. */
export interface Invocation {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the working directory. */
  readonly cwd: string;
  /** The name under which the user ran the executable. Absent if Node runs the package. */
  readonly command?: string;
  /** Absolute path of the script that Node runs: `bin/passkey.js`, or a link to it. Absent in an executable. */
  readonly script?: string | undefined;
}

/**
 * Finds how a person can run this command again in the same folder: by the executable's name as typed, by the name of a command on the
 * path, through npx for a package that the project has installed, and in a clone by its package.json script or its file. In a clone, npx
 * has no such package and fails. Elsewhere npx would download the package named `passkey`, which is not ours.
 */
export function ownCommand({ command, script, env, cwd }: Invocation): string {
  if (command !== undefined) return path(command);
  if (script === undefined) return 'passkey';
  const [modules] = /^.*?[\\/]node_modules(?=[\\/])/.exec(script) ?? [];
  if (modules !== undefined && (env.npm_lifecycle_event === 'npx' || isBelow(dirname(modules), cwd))) return 'npx passkey-cli';
  // On Windows npm puts the command of a global package beside node_modules.
  if (modules !== undefined && existsSync(join(dirname(modules), 'passkey.cmd'))) return 'passkey';
  if (basename(script) !== 'passkey.js') return isOnPath(script, env) ? basename(script) : path(script);
  const clone = dirname(dirname(script));
  if (env.npm_package_json === join(clone, 'package.json')) {
    // npm runs a script in the folder of package.json. -s keeps npm's own lines out of stdout.
    return isBelow(clone, env.INIT_CWD ?? clone) ? 'npm run -s passkey --' : `npm --prefix ${path(clone)} run -s passkey --`;
  }
  return `node ${path(isBelow(cwd, script) ? relative(cwd, script) : script)}`;
}

const isOnPath = (script: string, { PATH = '' }: Invocation['env']): boolean => PATH.split(delimiter).includes(dirname(script));

function isBelow(folder: string, file: string): boolean {
  const way = relative(folder, file);
  return !isAbsolute(way) && !/^\.\.(?:[\\/]|$)/.test(way);
}

/** Formats a path for a shell, in quotes if necessary. */
const path = (value: string): string => (/^[\w./+-]+$/.test(value) ? value : quoteWord(value));

/**
 * Quotes a word for both POSIX and Windows shells, if necessary. Uses double quotes, in which both keep backslashes, or single quotes if a
 * POSIX shell would expand the word.
 */
export function quoteWord(value: string): string {
  if (/^[\w@.:+-]+$/.test(value)) return value;
  return /["$`!]|\\(?:\\|$)/.test(value) ? `'${value.replaceAll("'", String.raw`'\''`)}'` : `"${value}"`;
}
