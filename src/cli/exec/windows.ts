import { existsSync, statSync } from 'node:fs';
import { win32 } from 'node:path';
import { PasskeyError } from '../../errors.js';

// Windows starts only what ends in .exe or .com by itself: `npm` and `npx` are batch files, which cmd.exe has to run. Node refuses to
// start them without a shell, since cmd.exe reads its arguments once more (https://nodejs.org/api/child_process.html, CVE-2024-27980).

/** How Node must start a command on Windows, which depends on the kind of file. */
interface WindowsStart {
  readonly file: string;
  readonly args: readonly string[];
  /** Whether the arguments form one command line that is already quoted. */
  readonly windowsVerbatimArguments: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

interface WindowsPlace {
  readonly cwd: string;
  /** Environment variables. As always on Windows, the case of their names makes no difference. */
  readonly env: Environment;
  /** Checks whether a path is a file. Default: a check in the file system. */
  readonly isFile?: (path: string) => boolean;
}

const isFileHere = (path: string): boolean => existsSync(path) && statSync(path).isFile();

/**
 * Finds a command through PATH and PATHEXT, as cmd.exe does. If the command is not found, returns it unchanged, so that starting it fails.
 *
 * @throws PasskeyError `usage` if an argument of a batch file contains a line break, which would end the command line.
 */
export function windowsStart(command: string, args: readonly string[], place: WindowsPlace): WindowsStart {
  const file = findOnWindows(command, place) ?? command;
  if (!/\.(?:cmd|bat)$/i.test(file)) return { file, args, windowsVerbatimArguments: false };
  if (args.some((arg) => /[\r\n\0]/.test(arg))) {
    throw new PasskeyError(
      'usage',
      `${command} is a batch file, whose arguments cannot contain line breaks. Pass the text in a file instead.`,
    );
  }
  // Those that npm writes hand their arguments to another command line, which is read a second time.
  const isShim = /[\\/]node_modules[\\/]\.bin[\\/][^\\/]+\.cmd$/i.test(file);
  const line = [guarded(win32.normalize(file)), ...args.map((arg) => quoted(arg, isShim))].join(' ');
  return {
    file: variable(place.env, 'comspec') ?? 'cmd.exe',
    args: ['/d', '/s', '/c', `"${line}"`],
    windowsVerbatimArguments: true,
  };
}

function findOnWindows(command: string, { cwd, env, isFile = isFileHere }: WindowsPlace): string | undefined {
  const extensions = (variable(env, 'pathext') ?? '.COM;.EXE;.BAT;.CMD').split(';').filter((extension) => extension !== '');
  const named = extensions.some((extension) => command.toLowerCase().endsWith(extension.toLowerCase()));
  const names = [...(named ? [command] : []), ...extensions.map((extension) => command + extension)];
  // The working directory is not searched: what lies there by chance would take the place of npm.
  const folders = /[\\/:]/.test(command) ? [cwd] : (variable(env, 'path') ?? '').split(';').filter((folder) => folder !== '');
  for (const folder of folders) {
    for (const name of names) {
      const path = win32.resolve(cwd, folder.replaceAll('"', ''), name);
      if (isFile(path)) return path;
    }
  }
  return undefined;
}

function variable(env: Environment, name: string): string | undefined {
  return Object.entries(env).find(([key]) => key.toLowerCase() === name)?.[1];
}

/** Escapes each character that is special in cmd.exe with a preceding caret. */
const guarded = (text: string): string => text.replaceAll(/[()[\]%!^"`<>&|;, *?]/g, '^$&');

/** Quotes one argument for the started program, which parses its own command line. Then escapes the result for cmd.exe. */
function quoted(arg: string, twice: boolean): string {
  const inQuotes = `"${arg.replaceAll(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`;
  return twice ? guarded(guarded(inQuotes)) : guarded(inQuotes);
}
