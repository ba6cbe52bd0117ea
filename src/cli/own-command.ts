import { existsSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join, relative } from 'node:path';

/** How this command was started. */
export interface Invocation {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly cwd: string;
  /** The name under which the user ran the executable; absent if Node runs the package. */
  readonly command?: string;
  /** The script that Node was started with: `bin/passkey.js`, or a link to it. Absolute; absent in an executable. */
  readonly script?: string | undefined;
}

/**
 * The command as a person can repeat it in the same folder: an executable by the name the user typed, a command on the path by its name,
 * the package of a project through npx, and a clone by its script in package.json or the file that Node runs. npx fails in a clone, which
 * has no such package, and elsewhere fetches the package of the given name; the one called `passkey` is not ours.
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

/** A path, quoted where need be. */
const path = (value: string): string => (/^[\w./+-]+$/.test(value) ? value : quoteWord(value));

/**
 * Quotes a word if necessary, for POSIX shells and those of Windows: in double quotes, whose backslashes both keep; in single quotes if
 * POSIX shells would expand it.
 */
export function quoteWord(value: string): string {
  if (/^[\w@.:+-]+$/.test(value)) return value;
  return /["$`!]|\\(?:\\|$)/.test(value) ? `'${value.replaceAll("'", String.raw`'\''`)}'` : `"${value}"`;
}
