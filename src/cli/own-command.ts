import { existsSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join, relative } from 'node:path';

/** Describes how the user started this command. */
export interface Invocation {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the working directory. */
  readonly cwd: string;
  /** The name under which the user ran the executable. Absent if Node runs this package. */
  readonly command?: string;
  /** Absolute path of the script that Node runs: `bin/passkey.js`, or a link to it. Absent if the user ran the executable. */
  readonly script?: string | undefined;
}

/**
 * Finds the command with which a person can run this program again in the same folder. For the executable, it is the name that the user
 * typed. If a command on the path starts this package, it is that command's name. If the project has installed this package, it is npx. In
 * a clone, it is the clone's package.json script or the file itself, because npx finds no such package there. In any other folder, npx
 * would download the package named `passkey`, which is not ours.
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
 * Quotes a word, if necessary, so that both POSIX and Windows shells read it unchanged. Uses double quotes, in which both keep backslashes.
 * If a POSIX shell would expand the word in double quotes, uses single quotes.
 */
export function quoteWord(value: string): string {
  if (/^[\w@.:+-]+$/.test(value)) return value;
  return /["$`!]|\\(?:\\|$)/.test(value) ? `'${value.replaceAll("'", String.raw`'\''`)}'` : `"${value}"`;
}
