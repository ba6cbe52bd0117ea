import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, extname, join } from 'node:path';
import { PasskeyError } from '../../errors.js';
import { MAX_ANSWER_BYTES } from '../http/http.js';
import { HAS_GROUPS, killGroup } from './process-group.js';

/** Result of a command that the profile runs. */
type ExecResult =
  | { readonly kind: 'ended'; readonly exitCode: number; readonly output: string }
  /** The command failed to give a result, for this reason. */
  | { readonly kind: 'broken'; readonly reason: string };

interface ExecOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal | undefined;
  /** Time limit in milliseconds; default: 60 seconds. */
  readonly within?: number;
}

const EXEC_WITHIN_MS = 60_000;

/**
 * Runs a command without a shell and reads its output. {@link commandFor} explains the differences on Windows.
 *
 * @throws PasskeyError `interrupted`; `configuration_invalid` for an argument that cannot be passed to the command.
 */
export async function runCommand(words: readonly string[], { env, signal, within = EXEC_WITHIN_MS }: ExecOptions): Promise<ExecResult> {
  const { file, args, verbatim } = commandFor(words, { platform: process.platform, env, exists: existsSync });
  const result = await new Promise<ExecResult>((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const child = spawn(file, args, {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
      windowsHide: true,
      windowsVerbatimArguments: verbatim,
      detached: HAS_GROUPS,
    });
    const stop = () => abandon('the run was interrupted');
    const deadline = setTimeout(() => abandon(`it did not end within ${within / 1000} s`), within);
    signal?.addEventListener('abort', stop);
    function settle(ended: ExecResult): void {
      clearTimeout(deadline);
      signal?.removeEventListener('abort', stop);
      resolve(ended);
    }
    /**
     * Stops waiting for the command, and ends all processes that it started. A surviving process would keep the output pipe open, so that
     * the run would wait for that process.
     */
    function abandon(reason: string): void {
      killGroup(child, 'SIGKILL');
      child.stdout.destroy();
      settle({ kind: 'broken', reason });
    }
    if (signal?.aborted) stop();
    child.stdout.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= MAX_ANSWER_BYTES) chunks.push(chunk);
      else abandon(`it printed more than ${MAX_ANSWER_BYTES} bytes`);
    });
    child.on('error', (error) => abandon(`it cannot be run (${error.message})`));
    child.on('close', (exitCode, killedBy) => {
      if (exitCode === null) abandon(`it was ended by ${killedBy ?? 'a signal'}`);
      else settle({ kind: 'ended', exitCode, output: Buffer.concat(chunks).toString('utf8') });
    });
  });
  if (signal?.aborted) throw new PasskeyError('interrupted', 'The run was interrupted.');
  return result;
}

interface Command {
  readonly file: string;
  readonly args: readonly string[];
  /** Whether the arguments are already quoted for Windows, so that Node must pass them unchanged. */
  readonly verbatim: boolean;
}

interface System {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  exists(file: string): boolean;
}

/** Characters that cmd.exe interprets even in a quoted argument, or that would end the argument. */
const UNSAFE_FOR_CMD = /["%!\r\n]/;

/**
 * Finds the program and arguments that run a command. They differ from the command only on Windows, where Node itself finds only `.exe`
 * files in PATH. There, a name without an extension is looked up in PATH with the extensions of PATHEXT, as shells do. A `.cmd` or `.bat`
 * file, such as npm's, runs in cmd.exe with every argument quoted.
 *
 * @throws PasskeyError `configuration_invalid` for an argument with a character that cmd.exe would interpret.
 */
export function commandFor([name = '', ...args]: readonly string[], { platform, env, exists }: System): Command {
  if (platform !== 'win32') return { file: name, args, verbatim: false };
  const file = findOnWindows(name, env, exists);
  if (!/\.(?:cmd|bat)$/i.test(file)) return { file, args, verbatim: false };
  const unsafe = [file, ...args].find((word) => UNSAFE_FOR_CMD.test(word));
  if (unsafe !== undefined) {
    const expected = `Expected arguments without ", %, ! and line breaks for ${file}, which cmd.exe runs`;
    throw new PasskeyError('configuration_invalid', `${expected}; got ${JSON.stringify(unsafe)}. Call a program instead of a script.`);
  }
  const line = [file, ...args].map((word) => `"${word}"`).join(' ');
  return { file: env['ComSpec'] ?? 'cmd.exe', args: ['/d', '/v:off', '/s', '/c', `"${line}"`], verbatim: true };
}

function findOnWindows(name: string, env: System['env'], exists: System['exists']): string {
  if (extname(name) !== '' || /[\\/]/.test(name)) return name;
  const value = (variable: string) => Object.entries(env).find(([key]) => key.toUpperCase() === variable)?.[1] ?? '';
  const extensions = (value('PATHEXT') || '.COM;.EXE;.BAT;.CMD').split(';');
  const folders = value('PATH').split(delimiter);
  const candidates = folders.flatMap((folder) => extensions.map((extension) => join(folder, name + extension)));
  return candidates.find(exists) ?? name;
}
