import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';
import { type Listening, ROOT } from './passkey-process.js';

/** The built command line, as bin/passkey.js loads it: for what needs no process of its own. */
const built: typeof import('../../src/cli/main.js') = await import(pathToFileURL(join(ROOT, 'dist/cli.js')).href);

/** What a process without a terminal has, and nothing of this one. */
function ownIo(cwd: string, env: Readonly<Record<string, string>> = {}) {
  const [stdin, stdout, stderr] = [new PassThrough().end(), new PassThrough(), new PassThrough()];
  const output = { stdout: '', stderr: '' };
  stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  const [signals, uncaught] = [new EventEmitter(), new EventEmitter()];
  return { io: { stdin, stdout, stderr, env, cwd, signals, uncaught, now: Date.now }, output, signals };
}

interface HereOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** As `passkey` of passkey-process.ts. */
export async function passkeyHere(argv: readonly string[], { cwd, env }: HereOptions) {
  const { io, output } = ownIo(cwd, env);
  const code = await built.run(argv, io);
  return { code, ...output };
}

/** The same, interrupted at the first that it prints. */
export async function interruptHere(argv: readonly string[], { cwd }: HereOptions) {
  const { io, output, signals } = ownIo(cwd);
  io.stdout.once('data', () => signals.emit('SIGINT'));
  const code = await built.run(argv, io);
  return { code, ...output };
}

/** As `serve` of passkey-process.ts, several times as quick. */
export async function serveHere(argv: readonly string[], { cwd }: { readonly cwd: string }): Promise<Listening> {
  const { io, output, signals } = ownIo(cwd);
  const ended = built.run(['serve', '--port', '0', '--no-open', '--json', ...argv], io);
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    signals.emit(signal);
    return await ended;
  };
  onTestFinished(async () => void (await stop()));
  await Promise.race([once(io.stdout, 'data'), ended]);
  if (!output.stdout.includes('\n')) throw new Error(`passkey serve ended before it listened: ${output.stderr}`);
  const document: Listening['document'] = JSON.parse(output.stdout);
  return { ...document, document, output, stop };
}
