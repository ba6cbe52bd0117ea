import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export const ROOT = join(import.meta.dirname, '../..');
export const BIN = join(ROOT, 'bin/passkey.js');

interface ProcessOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A file to write to instead of a pipe. */
  readonly stdout?: number;
  readonly stderr?: number;
  /** File descriptors that it may have open (`ulimit -n`). */
  readonly descriptors?: string;
}

/** The built command line starts clean: nothing of this process's own configuration reaches it. */
function environment(env: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(PASSKEY_|npm_|CI$|NO_COLOR$|FORCE_COLOR$|NODE_OPTIONS$|VITEST)/.test(name),
  );
  return { ...Object.fromEntries(inherited), ...env };
}

/** A server that a test talks to. */
export interface Listening {
  readonly url: string;
  readonly port: number;
  readonly mode: string;
  /** What `serve --json` printed. */
  readonly document: { readonly url: string; readonly page: string | null; readonly port: number; readonly mode: string };
  /** All that it has written so far. */
  readonly output: { readonly stdout: string; readonly stderr: string };
  /** Resolves to its exit code. */
  stop(signal?: NodeJS.Signals): Promise<unknown>;
}

export function spawnPasskey(argv: readonly string[], { cwd, env, stdout, stderr, descriptors }: ProcessOptions): ChildProcess {
  const own = [process.execPath, BIN, ...argv];
  const [command = '', ...args] = descriptors === undefined ? own : ['sh', '-c', 'ulimit -n "$0"; exec "$@"', descriptors, ...own];
  return spawn(command, args, { cwd, env: environment(env), stdio: ['ignore', stdout ?? 'pipe', stderr ?? 'pipe'] });
}

export async function collect(child: ChildProcess) {
  const output = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  const [code, signal]: unknown[] = await once(child, 'close');
  return { code, signal, ...output };
}

/** One command of `bin/passkey.js` to its end. */
export function passkey(argv: readonly string[], options: ProcessOptions) {
  return collect(spawnPasskey(argv, options));
}

/** `passkey serve --json` on a free port; ends with the test. */
export async function serve(argv: readonly string[], options: ProcessOptions): Promise<Listening> {
  const { child, listening } = startServing(argv, options);
  onTestFinished(() => void child.kill('SIGKILL'));
  return listening;
}

/** As {@link serve}; the caller ends it. */
export function startServing(argv: readonly string[], options: ProcessOptions) {
  const child = spawnPasskey(['serve', '--port', '0', '--no-open', '--json', ...argv], options);
  return { child, listening: untilListening(child) };
}

async function untilListening(child: ChildProcess): Promise<Listening> {
  const output = { stdout: '', stderr: '' };
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  const closed = once(child, 'close');
  const listening = new Promise<void>((resolve) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output.stdout += text;
      if (output.stdout.includes('\n')) resolve();
    });
  });
  await Promise.race([listening, closed]);
  if (!output.stdout.includes('\n')) throw new Error(`passkey serve ended before it listened: ${output.stderr}`);
  const document: Listening['document'] = JSON.parse(output.stdout);
  return {
    ...document,
    document,
    output,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      const [code]: unknown[] = await closed;
      return code;
    },
  };
}
